"""What a step has to say for itself, in bits that survive a compiled loop."""

import enum


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
    """The step's result was not finite, so it was not taken; the belief before it was kept."""
    BACKWARDS = 16
    """Time went backwards or is not a number: the step was not taken."""
    TOO_LATE = 32
    """A late measurement was older than the buffer and was dropped."""
    CHANGED = 64
    """A sudden change of a watched parameter was detected, and the belief reopened."""


_REASONS = {
    Status.PARTIAL: "some channels were silent",
    Status.COASTED: "every channel was silent, so the model coasted",
    Status.BLIND: "an input was missing, so the model's idle control was assumed",
    Status.HELD: "the result was not finite, so the belief before the step was kept",
    Status.BACKWARDS: "time did not go forwards, so the step was skipped",
    Status.TOO_LATE: "a measurement was older than the buffer and was dropped",
    Status.CHANGED: "a watched parameter jumped, so the belief was reopened",
}


def explain(status: int) -> str:
    """A status in words.

    >>> explain(Status.OK)
    'fine'
    >>> explain(5)
    'some channels were silent; an input was missing, so the model's idle control was assumed'
    """
    said = [reason for flag, reason in _REASONS.items() if int(status) & flag]
    return "; ".join(said) if said else "fine"
