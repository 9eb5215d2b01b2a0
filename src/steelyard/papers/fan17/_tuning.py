"""Our choices where the spatial paper states nothing, and how its reproduction is drawn."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SpatialTrialTuning:
    """Figures of the paper are in `_scenario.py`."""

    curve_every: float = 0.5
    """s between two points of a curve."""
    drawn: float = 20.0
    """s at which the load is drawn: its inertia is asked for then."""
    runs_a_motion: int = 10
    """Runs, each with its own noise, that share a motion: simulating one costs more than a run."""
    team_seconds: float = 8.0
    """Of a run of ours over messages, s."""
    messages_seconds: float = 10.0
    """s of ours over messages in a trial."""


TUNING = SpatialTrialTuning()
