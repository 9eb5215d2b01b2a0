"""The model contract: what moves, and what its sensors would read."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

State = Any
"""A point on a manifold: any pytree of arrays and rotation or pose groups (see `geometry.retract`)."""

Control = Any
"""What drives the model over an interval: any pytree of arrays."""

Measurement = Any
"""What sensors read at an instant: any pytree of arrays and groups; NaN where a sensor was silent."""

if TYPE_CHECKING:
    Numbers = Any
else:
    Numbers = Array | np.ndarray
"""Leaves of states, controls and measurements; a whole log of them has a leading axis of time (`*batch`)."""

Seconds = Float[Array, ""] | float


class Model(eqx.Module):
    """A robot or a load whose state carries its unknown parameters.

    Three pure methods make a model; every estimator, bound and report follows from them. Unknown parameters are part
    of the state, in coordinates without limits (`log_mass`, log-Cholesky), so that no estimate can be impossible.
    Jacobians come from differentiating these methods: write them smooth.
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
