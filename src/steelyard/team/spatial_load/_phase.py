"""What the spatial estimator is doing; docs/TEAMS.md has the transitions, and a test holds them to the code."""

from enum import Enum


class Phase(Enum):
    """One of them at any row."""

    STARTING = "starting"
    """Collects rows for a first linearisation point; nothing is known."""
    TRACKING = "tracking"
    """A filter pass follows the rows."""
    RELINEARISING = "relinearising"
    """A filter pass follows the rows, and a second one catches up from a better point."""
    GAP = "in a gap"
    """Somebody's wrench is unknown for long: what was known stands."""
    AFTER_GAP = "after a gap"
    """Collects rows; load and grips are known from before."""
    AFTER_CHANGE = "after a change"
    """Collects rows; the load is another one, the grips are known."""
