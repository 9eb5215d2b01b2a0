"""The model contract: what moves, and what its sensors would read."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

State = Any
"""A point on a manifold: any pytree of arrays and rotation or pose groups (see `geometry.retract`)."""

Control = Any
"""What drives the model over an interval: any pytree of arrays."""

Measurement = Any
"""What sensors read at an instant: any pytree of arrays and groups; NaN where a sensor was silent."""

Increment = Any
"""What controls did over a span, whatever the state was at its start: any pytree of arrays and groups."""

if TYPE_CHECKING:
    Numbers = Any
else:
    Numbers = Array | np.ndarray
"""Leaves of states, controls and measurements; a whole log of them has a leading axis of time (`*batch`)."""

Seconds = Float[Array, ""] | float


class MeanControl(eqx.Module):
    """The increment of a model that does not define its own."""

    control: Control
    """Its mean over the span."""
    span: Float[Numbers, "*batch"]
    """s."""


class Model(eqx.Module):
    """A robot or a load whose state carries its unknown parameters.

    >>> import jax.numpy as jnp
    >>> import steelyard as sy
    >>> class Cart(sy.Model):  # a force pushes it, its speed is measured, its mass is unknown
    ...     def dynamics(self, state, control, dt):
    ...         v, log_mass = state
    ...         return jnp.stack([v + dt * control[0] / jnp.exp(log_mass), log_mass])
    ...     def observe(self, state, control): return state[:1]
    ...     def idle(self, state): return jnp.zeros(1)
    >>> after = Cart().dynamics(jnp.array([0.0, jnp.log(2.0)]), jnp.array([4.0]), 0.5)
    >>> print(after[0].round(3))
    1.0

    Three pure methods make a model; every estimator, bound and report follows from them. Unknown parameters are part
    of the state, in coordinates without limits (`log_mass`, log-Cholesky), so that no estimate can be impossible.
    Jacobians come from differentiating these methods: write them smooth.

    Three more, which have defaults, gather the controls of many rows into one increment, so that an estimator which
    looks back over a span need not run its rows again (pre-integration, [sesame, Eqs. (19), (51)]). Whatever they do,
    for a single row `travel(x, gather(begin(x), u, dt))` must be `dynamics(x, u, dt)`.
    """

    @abstractmethod
    def dynamics(self, state: State, control: Control, dt: Seconds) -> State:
        """The state `dt` seconds later, under a control that is constant over the interval."""

    @abstractmethod
    def observe(self, state: State, control: Control) -> Measurement:
        """What noise-free sensors would read in this state; `control` is the one that led here."""

    @abstractmethod
    def idle(self, state: State) -> Control:
        """The control to assume while none is known: a drone hovers, a cart coasts."""

    def begin(self, state: State) -> Increment:
        """The increment of no time at all; `state` is an example, and its values must not matter."""
        return MeanControl(self.idle(state), jnp.zeros(()))

    def gather(self, increment: Increment, control: Control, dt: Seconds) -> Increment:
        """The increment, `dt` seconds longer; the default keeps the mean of the controls, weighted by time."""
        span = increment.span + dt
        share = jnp.where(span > 0, dt / jnp.where(span > 0, span, 1.0), 1.0)  # before any time, the newest
        mean = jax.tree.map(lambda so_far, u: so_far + share * (u - so_far), increment.control, control)
        return MeanControl(mean, span)

    def travel(self, state: State, increment: Increment) -> State:
        """The state at the end of the increment; the default is `dynamics` under the mean control.

        That is exact for a single row, and for many where their order does not matter.
        """
        return self.dynamics(state, increment.control, increment.span)
