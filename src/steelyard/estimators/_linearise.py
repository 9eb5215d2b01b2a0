"""First-order pictures of a model around a state, by automatic differentiation."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from steelyard.estimators._estimator import Noise
from steelyard.geometry import local, retract, tangent_size
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
    dt = jnp.where(dt >= 0, dt, 0.0)
    u, missing = fill_in(control, model.idle(state))
    after = model.dynamics(state, u, dt)
    n = tangent_size(state)

    def moved(delta):
        return local(after, model.dynamics(retract(state, delta[:n]), retract(u, delta[n:]), dt))

    jacobian = jax.jacfwd(moved)(jnp.zeros(n + tangent_size(u)))
    F, G = jacobian[:, :n], jacobian[:, n:]
    u_variance = jnp.where(missing, noise.blind, noise.control) ** 2
    Q = (G * u_variance[None, :]) @ G.T + jnp.diag(noise.drift**2 * dt)
    return Transition(after, u, F, Q, missing)


class Observation(eqx.Module):
    """One measurement, linearised."""

    residual: Float[Array, " meas"]
    """Measured less expected, in tangent coordinates; zero where silent."""
    H: Float[Array, "meas state"]
    R: Float[Array, " meas"]
    """Noise variance of each coordinate."""
    present: Bool[Array, " meas"]
    """Which channels spoke."""


def linearise_observation(
    model: Model, noise: Noise, state: State, control: Control, measurement: Measurement
) -> Observation:
    """`y - h(x)` and `H` of [sesame, Eq. (7)], for a measurement on a manifold with silent channels."""
    expected = model.observe(state, control)
    residual = local(expected, measurement)
    present = ~jnp.isnan(residual)
    H = jax.jacfwd(lambda delta: local(expected, model.observe(retract(state, delta), control)))(
        jnp.zeros(tangent_size(state))
    )
    return Observation(jnp.where(present, residual, 0.0), H, noise.measurement**2, present)


def fill_in(control: Control, idle: Control) -> tuple[Control, Bool[Array, " control"]]:
    """The control with its NaNs replaced by the idle one, and where they were."""
    filled = jax.tree.map(lambda u, spare: jnp.where(jnp.isnan(u), spare, u), control, idle)
    missing = jnp.concatenate([jnp.ravel(jnp.isnan(u)) for u in jax.tree.leaves(control)])
    return filled, missing
