"""The numbers that tune how a planar load is identified from a log."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PlanarAnswerTuning:
    """Of reading a log, running the team over it, and judging its motion."""

    fewest_rows: int = 10
    """Of a log: its noise, where nobody states it, is estimated from them."""
    least_velocity_noise: float = 1e-6
    """m/s: no sensor is better, and a noise-free log stays solvable."""
    longest_force_gap: float = 0.25
    """s of blank cells over which a robot's force is taken to vary evenly: a fraction of a period of a push."""
    same_time: float = 0.02
    """Of a step: times that are nearer to even ones are even."""
    most_lost: float = 50.0
    """Rows lost one after another, usually: beyond, rows that nearly coincide are two samples of one moment."""
    lost_between: float = 0.7
    """Of the median step, below which the steps of rows that follow each other are a log's own: others were lost."""
    alike_steps: float = 0.1
    """Share by which three quarters of such steps may differ: those of a log whose times are noisy differ by more."""
    row_lost_above: float = 1.95
    """Steps between two rows from which on one between them was lost; below, times are noisy."""
    gradient_seconds: float = 0.1
    """s before and after a sample over which its velocity's gradient is taken: its noise times half a step is small."""
    gradient_steps: float = 3.0
    """The same in steps, at least."""
    gradient_samples: int = 4
    """Samples in that time, below which no gradient is taken."""
    extrapolate_within: float = 0.5
    """s: a robot's final estimate is rotated to the last sample if it is at most this old; the load's rotation is
    predictable for about this long."""
    drain_seconds: float = 2.0
    """s after the last row for which the robots go on exchanging messages, beside `drain_hops`."""
    drain_hops: int = 12
    """Times the graph's diameter in hops for which they go on: there and back, several outer iterations."""
    still_below: float = 0.01
    """rad: a load that turned by less did not turn."""
    cancel_below: float = 1e-3
    """Share of the forces (or torques) below which their sum is zero."""
    same_point_below: float = 1e-3
    """Share of the load's size below which two contacts are one point."""
    velocity_block: int = 25
    """Rows averaged before two robots' velocities are compared: their noise is then a fifth."""
    fewest_blocks: int = 4
    """Such blocks, below which a log is too short to say that two robots hold the load at one point."""
    equal_velocity_below: float = 2.0
    """Times what noise alone gives, in the mean square, below which two robots' velocities are equal."""
    check_rows: int = 300
    """Rows below which no sensor error is looked for: a few seconds tell little of one."""
    check_seconds: float = 20.0
    """s at the end of a log in which one is looked for: about the team's own window."""
    check_shares: tuple[float, ...] = (0.15, 0.3, 0.6, 1.0)
    """Of the rows, to which the fit with all readings in one place is extended: rotations are hard to predict."""
    check_iterations: int = 8
    """Gauss-Newton iterations of each of those fits."""
    check_converged: float = 0.01
    """Squared deviations by which its last step improves it."""
    check_misfit: float = 50.0
    """Mean squared residual, in variances, beyond which the readings are too far from the model to linearise it."""
    check_decisive: float = 30.0
    """Twice the log-likelihood by which an error must be better: noise gives one in 10⁶ of those so much."""
    check_penalty: float = 2.0
    """The same for each of its unknowns."""
    check_moved: float = 1.0
    """Standard deviations by which it must move mass, inertia or a contact: a smaller one changes no answer."""
    check_smoothing: float = 0.1
    """s over which a velocity is averaged before its gradient is taken."""
    first_rows: int = 20
    """Rows over which the first angular velocity and velocity of the load are averaged."""
    exported_rows: int = 128
    """Rows of sums in the window that the exported step fits: a fixed shape."""
    rows_on_the_way: int = 24
    """Rows at the end of a run whose sums have not reached every robot yet."""


TUNING = PlanarAnswerTuning()
