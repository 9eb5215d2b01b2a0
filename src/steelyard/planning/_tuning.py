"""Numbers that tune the search for a more telling motion."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PlanningTuning:
    """Of `plan`."""

    candidates: int = 8
    """Random motions among which the better one is looked for: each doubles the work, and eight differ enough."""
    planar_unknown: float = 1.0
    """Standard deviation (share, or m) from which on a planar quantity is unknown and left out."""
    spatial_unknown: float = 0.3
    """The same of a spatial quantity (share, m or rad): beyond it the linear bound means nothing."""
    hardly_turns: float = 0.05
    """rad/s about the busiest axis, root mean square, below which a load hardly turns."""
    one_axis: float = 0.1
    """Share of the busiest axis's mean square, below which a load hardly turns about an axis."""
    paper_spin: float = 3.0
    """rad/s: the paper first makes the load turn, and only then lets everybody push the same way."""


TUNING = PlanningTuning()
