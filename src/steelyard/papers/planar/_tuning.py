"""Our choices where the planar papers state nothing, and how their reproductions are drawn."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PlanarTrialTuning:
    """Figures of the papers are in `_scenario.py`."""

    our_seconds: int = 20
    """Of the push of [cdc14] that our method takes, s, from its start: ours needs no stages."""
    our_noise: float = 0.01
    """m/s an axis; there is none in [cdc14], but our method needs a value."""
    curve_every: int = 10
    """Samples between two points of a curve."""
    drawn_spread: float = 0.1
    """Share of the truth above and below which the first, wild values of a fit are not shown."""
    gyro_noises: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3)
    """Standard deviations of ω with which the observer is tried, rad/s."""
    observer_gain: float = 3.0
    """k_e of the observer; the papers state none."""
    observer_end: float = 0.25
    """Share of the motion at its end over which an error is taken."""
    team_robots: int = 4
    """Of the teams of ours over messages, as in the papers."""
    team_seconds: float = 20.0
    """Of a run of theirs, s."""
    drop: float = 0.3
    """Share of the load that is lost at half time."""


TUNING = PlanarTrialTuning()
