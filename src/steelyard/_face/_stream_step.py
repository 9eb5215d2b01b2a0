"""What a stream knows after a sample."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

from steelyard.problems import Event, Quantities


@dataclasses.dataclass(frozen=True)
class Step:
    """What a stream knows after a sample."""

    time: float
    """Of the newest sample, s."""
    estimates: Quantities
    """By quantity: `step.estimates.mass.value`; each has the time, s, that it is of."""
    events: Sequence[Event]
    """Those that were detected with this sample."""
    status: Literal["starting", "running", "late", "repeated"]
    """`starting` until there is enough for a first guess; `late` where the sample was older than the newest and has
    been taken in at its own time; `repeated` where its time was known already and it brought nothing new."""
    reason: str | None
    """One sentence where the step was not a usual one: a channel was missing, a reading was an outlier."""
