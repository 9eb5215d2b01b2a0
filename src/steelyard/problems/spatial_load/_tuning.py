"""The numbers that tune how a team's load in space is identified from a log."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SpatialLoadTuning:
    """Of screening channels, of judging the motion, and of answering."""

    stuck_seconds: float = 0.5
    """s for which a channel repeats itself to the last digit before it is stuck."""
    clipped_rows: int = 5
    """Times that a channel's extreme is there to the last digit before it is the sensor's limit."""
    size_ratio: float = 5.0
    """By which angular velocities of two robots on one body may differ; forces may by its square."""
    clock_smoothing: float = 0.1
    """s to either side over which angular velocities are smoothed before their delays are compared."""
    longest_arm: float = 20.0
    """m, torque over force: a longer lever arm means wrong units."""
    failed_after: float = 3.0
    """s of rows after which an estimator without any linearisation has failed."""
    axis_known_below: float = 0.1
    """Relative standard deviation below which the inertia about a single axis is known."""
    single_axis_share: float = 0.1
    """Share of the squared angular velocity that other axes may have for a rotation about a single axis."""
    turning_above: float = 0.05
    """rad/s, root mean square: a slower load hardly turned."""
    consistent_below: float = 1.1
    """Times their expected size, up to which the innovations are consistent with the noise."""
    inconsistent_channel: float = 1.25
    """Times the expected mean square beyond which a channel is named as inconsistent."""


TUNING = SpatialLoadTuning()
