"""What tunes the plans of motions in space."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SpatialPlanTuning:
    """Of the search for a better motion, and of what counts as unknown."""

    candidates: int = 8
    """Motions among which the better one is looked for."""
    unknown_above: float = 0.3
    """Standard deviation (relative, m or rad) from which on a quantity is unknown and left out."""
    hardly_turns: float = 0.05
    """rad/s about the busiest axis, root mean square, below which a load hardly turns."""
    one_axis: float = 0.1
    """Share of the busiest axis's mean square, below which a load hardly turns about an axis."""


TUNING = SpatialPlanTuning()
