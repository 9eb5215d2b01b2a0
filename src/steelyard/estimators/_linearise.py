"""First-order pictures of a model around a state, by automatic differentiation."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from steelyard.estimators._estimator import Noise
from steelyard.estimators._status import forwards
from steelyard.geometry import differentiate, local, product, tangent_size
from steelyard.models import Control, Measurement, Model, Seconds, State


class Transition(eqx.Module):
    """One prediction, linearised."""

    state: State
    """The state at its end."""
    control: Control
    """The control that was used, missing inputs filled in."""
    F: Float[Array, "state state"]
    """How an error at its start shows at its end, both in tangent coordinates."""
    Q: Float[Array, "state state"]
    """Covariance that it adds."""
    missing: Bool[Array, " control"]
    """Which inputs were not recorded."""


def linearise_dynamics(model: Model, noise: Noise, state: State, control: Control, dt: Seconds) -> Transition:
    """`F` and `Q` of [sesame, Eqs. (4)-(6)], the exponential replaced by the derivative of the step itself.

    Noise enters where it arises: through the inputs, and as a random walk of the states that drift. A step back in
    time, or by NaN, is no step.
    """
    dt = forwards(dt)
    u, missing = fill_in(control, model.idle(state))
    after, jacobian = differentiate(lambda state, u: model.dynamics(state, u, dt), state, u)
    n = tangent_size(state)
    F, G = jacobian[:, :n], jacobian[:, n:]
    u_variance = jnp.where(missing, noise.blind, noise.control) ** 2
    Q = product(G * u_variance[None, :], G.T) + jnp.diag(noise.drift**2 * dt)
    return Transition(after, u, F, Q, missing)


class Observation(eqx.Module):
    """One measurement, linearised."""

    residual: Float[Array, " meas"]
    """Measured less expected, in tangent coordinates; zero where silent."""
    H: Float[Array, "meas state"]
    R: Float[Array, " meas"]
    """Noise variance of each coordinate."""
    present: Bool[Array, " meas"]
    """Which channels were read."""


def linearise_observation(
    model: Model, noise: Noise, state: State, control: Control, measurement: Measurement, blind: Bool[Array, ""]
) -> Observation:
    """`y - h(x)` and `H` of [sesame, Eq. (7)], for a measurement on a manifold with silent channels.

    Where a channel depends on the control, the control's noise is noise to it too; and while the control is not known
    (`blind`), such a channel counts as silent: its expected value is NaN, which marks it.
    """
    _, jacobian = differentiate(model.observe, state, control)
    n = tangent_size(state)
    H, D = jacobian[:, :n], jacobian[:, n:]
    known = jax.tree.map(lambda u: jnp.where(blind, jnp.nan, u), control)
    residual = local(model.observe(state, known), measurement)
    present = ~jnp.isnan(residual)
    R = noise.measurement**2 + product(D**2, noise.control**2)
    return Observation(jnp.where(present, residual, 0.0), H, R, present)


def fill_in(control: Control, idle: Control) -> tuple[Control, Bool[Array, " control"]]:
    """The control with what is not a finite number in it replaced by the idle one, and where that was."""
    filled = jax.tree.map(lambda u, spare: jnp.where(jnp.isfinite(u), u, spare), control, idle)
    missing = jnp.concatenate([jnp.ravel(~jnp.isfinite(u)) for u in jax.tree.leaves(control)])
    return filled, missing
