"""How a step went, as bit flags that survive a compiled loop."""

import enum

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from steelyard.models import Seconds


class Status(enum.IntFlag):
    """How the last step went; flags add up, zero means that everything was there and worked."""

    OK = 0
    PARTIAL = 1
    """Some channels were silent."""
    COASTED = 2
    """All channels were silent: the belief was carried forward by the model alone."""
    BLIND = 4
    """An input was not recorded: the model's idle control stood in, with its wide uncertainty."""
    HELD = 8
    """The step's result was not finite, so it was not taken; the belief stayed as it was."""
    BACKWARDS = 16
    """Time went backwards or is not a finite number: the belief was not carried forward."""
    CHANGED = 64
    """A sudden change of a watched parameter was detected, and the belief reopened."""
    OUTLIER = 128
    """A reading was an outlier, and hardly counted."""


_REASONS = {
    Status.PARTIAL: "some channels were silent",
    Status.COASTED: "every channel was silent, so the model coasted",
    Status.BLIND: "an input was missing, so the model's idle control was assumed",
    Status.HELD: "the result was not finite, so the belief stayed as it was",
    Status.BACKWARDS: "time did not go forwards, so the belief was not carried on",
    Status.CHANGED: "a watched parameter jumped, so the belief was reopened",
    Status.OUTLIER: "a reading was an outlier, so it hardly counted",
}


def explain(status: int) -> str:
    """A status as text.

    >>> explain(Status.OK)
    'fine'
    >>> explain(Status.PARTIAL | Status.CHANGED)
    'some channels were silent; a watched parameter jumped, so the belief was reopened'
    """
    reasons = [reason for flag, reason in _REASONS.items() if int(status) & flag]
    return "; ".join(reasons) if reasons else "fine"


def forwards(dt: Seconds) -> Float[Array, ""]:
    """The step in time that can be taken: a step back, by NaN or without end is none."""
    return jnp.where((dt >= 0) & (dt < jnp.inf), dt, 0.0)


def flag(condition: Bool[Array, ""], status: Status) -> Int[Array, ""]:
    """The status where the condition holds, else none; an integer of one firm type, so that a step compiles once."""
    return jnp.where(condition, int(status), 0).astype(int)


def after_prediction(missing: Bool[Array, " control"], dt: Seconds) -> Int[Array, ""]:
    """The status of a step once its prediction is done."""
    return flag(jnp.any(missing), Status.BLIND) | flag(forwards(dt) != dt, Status.BACKWARDS)


def after_update(status: Int[Array, ""], heard: Bool[Array, " meas"]) -> Int[Array, ""]:
    """The status of a step once its update is done, too."""
    some, every = jnp.any(heard), jnp.all(heard)
    return status | flag(~some, Status.COASTED) | flag(some & ~every, Status.PARTIAL)
