"""Numbers that tune the sums over a tree; times are in samples, one step of an agent each."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class TreeTuning:
    """See `TreeSum`."""

    silence: int = 40
    """Samples without a message, or without a new beat, after which a robot counts as gone (0.4 s at 100 Hz): over a
    radio that loses a third of all messages, 40 lost in a row never happen."""
    first_timeout: int = 4
    """Samples after which an unconfirmed message is sent again, before the round trip is known: one there, one back,
    and one each for the two to act."""
    per_message: int = 8
    """Sums that a message carries each way, where its user does not say."""


TUNING = TreeTuning()
