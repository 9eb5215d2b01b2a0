"""The numbers that tune the preflight checks."""

import dataclasses

OWN = "own"
"""The problem's name of a robot of one's own: which of its columns are inputs is not known."""


@dataclasses.dataclass(frozen=True)
class PreflightTuning:
    """Limits of what is normal in a log."""

    slowest_step: float = 0.5
    """s between rows: robots are logged faster than twice a second, and a log in ms has a thousand times as much."""
    lost_share: float = 0.02
    """Of rows that a regular log lacks, from which on it is told."""
    stuck_seconds: float = 0.15
    """s for which a measured signal does not change at all, while it does otherwise."""
    held_share: float = 0.4
    """Of rows that repeat the row before, from which on a signal is a slower one whose values are held."""
    limit_rows: int = 6
    """Samples at exactly the same extreme that are a limit; noise never repeats an extreme."""
    limit_share: float = 0.01
    """Of the samples at that extreme, at least."""
    most_left_out: float = 0.2
    """Share of a sensor's samples that may be left out because they are stuck or at a limit."""
    coarse_repeats: float = 0.7
    """Share of rows in which an axis of a velocity repeats itself, from which on its noise does not blur its steps."""
    coarse_share: float = 0.1
    """Of the velocity's own scatter: smaller steps do not matter. Steps of half a metre a second made masses wrong by
    1.4 and 3.5 %, 7 deviations; those of 0.05 m/s none."""
    moved_distance: float = 0.2
    """m by which a position moves along an axis at least whose velocity must not stand at one value."""
    least_quaternion: float = 0.1
    """Norm below which a quaternion is none: a mean of opposite ones, or zeros."""
    blank_jump: float = 5.0
    """Size of a signal beside a zero in all of its axes, in its usual changes from row to row, from which on the zero
    was written where a sample was missing."""
    blank_rows: int = 10
    """Rows one after another that may be such zeros; longer, the signal is off."""
    outlier_factor: float = 12.0
    """Deviations of a sample from its neighbours' cubic, in robust ones, from which on it is an outlier."""
    outlier_steps: float = 3.0
    """The same in usual steps between unlike samples, where most samples repeat the one before: a reading that flickers
    between two or three values of a coarse converter is none."""
    outlier_share: float = 0.0
    """Of the samples, above which outliers are left out and told: a single one is enough."""
    outliers_repaired: float = 0.03
    """Of the samples, up to which outliers are left out without being asked."""
    block: float = 0.1
    """s over which signals are averaged before they are compared: noise is small and motion is left."""
    block_rows: float = 3.0
    """Rows in a block at the least: fewer are mostly noise, more hide the motion of a log at a few Hz."""
    decisive: float = 40.0
    """Twice the log-likelihood by which another reading of the log must be better; clean logs stay below 12."""
    improved: float = 0.6
    """Share of the squared misfit that another reading may leave in at least one comparison."""
    delays: tuple[float, ...] = (0.03, 0.06, 0.12, 0.2, 0.3)
    """s by which a signal may be late, as tried."""
    other_unit: float = 30.0
    """By which one robot's velocities exceed the others' in size, from which on they are in another unit."""
    heaviest: float = 25.0
    """kg of a multirotor that nobody states; thrust in grams makes a hundred times its mass."""
    share_thrust: float = 1.05
    """Largest thrust that may be a share of full thrust, not newtons."""
    guess_factor: float = 4.0
    """By which a stated mass and the thrust may differ: units do by ten and more."""
    stuck_input_seconds: float = 1.0
    """s for which an input that is never held otherwise does not change."""
    floors: tuple[float, float, float] = (0.01, 0.01, 0.05)
    """rad/s, m/s and m/s²: misfits of turning, moving and accelerating below which readings are equally good."""
    segment: float = 2.0
    """s over which a mass is taken as constant: it may change a few times in a flight."""
    same_motion: float = 0.8
    """Correlation of two signals from which on their sizes are compared."""
    rates_scale: float = 1.5
    """By which rates may be larger or smaller than the attitude turns, averages having some noise."""
    late_blocks: int = 5
    """Blocks by which rates and attitude are shifted against each other where they have nothing in common."""
    jump: float = 12.0
    """Deviations of a position from where its velocity leads, from which on time or position jumps."""
    jump_distance: float = 0.02
    """m, at least: motion capture slips by millimetres; a clock that jumps by 20 ms at 1 m/s makes this much."""
    flying_thrust: float = 0.5
    """Share of the usual thrust below which a vehicle falls or stands."""
    touchdown: float = 0.5
    """s about such rows in which a velocity behind a filter may lag far behind a fall or an impact."""
    rise: float = 0.025
    """Share by which a mass may seem to rise evenly in a flight."""
    rise_certain: float = 1.8
    """Deviations of that rise; those of twelve clean flights stayed below 0.5."""
    planar_misfit: float = 2.5
    """Times its noise by which a planar team's velocities or impulses may miss one rigid load; clean ones: 1 to 1.5."""
    wrist_block: float = 0.05
    """s, the same for a load that is shaken."""
    wrist_delays: tuple[float, ...] = (0.01, 0.02, 0.04, 0.08)
    """s by which a wrist's signal may be late, as tried."""
    wrist_floors: tuple[float, float, float, float] = (0.5, 0.05, 0.02, 0.02)
    """m/s³, m/s², and shares of the force and the torque: misfits below which readings are equally good."""
    difference_certain: float = 8.0
    """Deviations of a difference between a base's velocity and how its position changes, from which on it is certain;
    of 26 clean logs the largest was 1.6."""
    drift_limits: tuple[tuple[float, float], tuple[float, float]] = ((0.05, 0.005), (0.01, 0.005))
    """m/s and m/s², rad/s and rad/s²: differences, and their growth, below which they are of no account: a twentieth of
    a percent of gravity is a twentieth of a percent of a weight."""
    fast_wrist: float = 6.0
    """rad/s, the median of a wrist's angular velocity: no load is turned faster for long."""
    most_repairs: int = 4
    """Rounds of repairing or mending and checking again: a log with more faults is left to its owner."""
    g: float = 9.81
    """m/s²."""


TUNING = PreflightTuning()
