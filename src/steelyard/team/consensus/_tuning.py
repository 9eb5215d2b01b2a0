"""Numbers that tune the sums over a tree; times are in samples, one step of an agent each."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class TreeTuning:
    """See `TreeSum`."""

    first_timeout: int = 4
    """Samples after which an unconfirmed message is sent again, before the round trip is known: one there, one back,
    and one each for the two to act."""
    per_message: int = 8
    """Sums that a message carries each way, where its user does not say."""


TUNING = TreeTuning()
