"""The numbers that tune how a robot of one's own is identified."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class OwnTuning:
    """Defaults of every method."""

    known_below: float = 0.5
    """Share of its prior standard deviation below which a quantity is known: the log taught more than it left open."""
    never_seen_above: float = 0.999
    """Share of its prior standard deviation above which a quantity never showed in a measurement: rounding only."""
    jump_threshold: float = 10.0
    """Log-likelihood ratio from which on a jump is believed, as for a multirotor's mass."""
    jump_settled_after: float = 1.0
    """Time after a jump, s, at which its size is read from the estimate; at its detection the size is rough."""
    steps_compared: float = 1.0
    """s over which a map with whole steps is compared with one of half steps."""
    step_matters: float = 0.5
    """Deviations of the noise by which the two may differ."""


TUNING = OwnTuning()
