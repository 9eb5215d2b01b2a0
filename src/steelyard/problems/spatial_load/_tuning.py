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
    linearisation_seconds: float = 1.5
    """s of rows from which the exported step's linearisation point is found."""
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
    same_mass: float = 0.02
    """Share of the mass by which a load must change for it to be another load."""
    error_span: float = 0.05
    """s over which readings are averaged before sensor errors are looked for, to either side."""
    error_blocks: int = 40
    """Fewest such averages."""
    error_gap: float = 3.5
    """Steps without a row over which no average reaches."""
    pause: float = 0.15
    """s without a row, from which on blank rows stand for what is missing."""
    blank_seconds: float = 1.0
    """s of blank rows in a pause: after a third of it the motion counts as lost."""
    error_noise: float = 0.05
    """Noise of averaged accelerations over gravity, beyond which sensor errors are not looked for: the norm of a noisy
    gravity is too large by about that share squared; at half of gravity, clean logs showed an offset of 2 m/s²."""
    error_certain: float = 6.0
    """Deviations from which on a sensor error is certain."""
    error_counts: float = 3.0
    """Deviations from which on what it does to the answers counts in their deviations."""
    error_matters: float = 0.3
    """Share of what sensors usually have below which an error is none: averages of fast motions are not exact."""
    shift_counts: float = 2.0
    """Deviations from which on what all offsets together do to an answer counts in its deviation."""
    error_moves: float = 1.0
    """Deviations of an answer that an error must move it by, to be told."""


@dataclasses.dataclass(frozen=True)
class SensorErrorPriors:
    """Errors of sensors that were tared and calibrated as well as people do: one standard deviation an axis."""

    force_offset: float = 0.5
    """N; much larger ones are told by the filter itself."""
    torque_offset: float = 0.05
    """N m."""
    force_scale: float = 0.02
    """A share, of one robot against the others."""
    torque_scale: float = 0.02
    """A share."""
    accelerometer_bias: float = 0.2
    """m/s²: 20 mg."""
    accelerometer_scale: float = 0.01
    """A share."""
    wrench_delay: float = 0.005
    """s."""
    gyro_bias: float = 0.01
    """rad/s."""
    velocity_bias: float = 0.02
    """m/s."""
    lever: float = 0.03
    """m: inertial sensors sit beside the force sensor, not in it."""


TUNING = SpatialLoadTuning()
ERRORS = SensorErrorPriors()
