"""Numbers that tune how a robot of a team runs: rates, timeouts and thresholds."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class RobotTuning:
    """Of one robot's process."""

    hello_interval: float = 0.05
    """s between envelopes while there is nothing else to send: clocks and `alive` need some twenty a second."""
    update_interval: float = 0.1
    """s between updates of clocks, neighbours and the consistency check."""
    status_interval: float = 0.1
    """s between two statuses: what a person can follow."""
    checkpoint_interval: float = 1.0
    """s between two checkpoints, and two flushes of the recording: what a kill may cost."""
    checkpoint_lifetime: float = 60.0
    """s after which a checkpoint is too old: neighbours no longer have the samples in between."""
    snapshot_interval: float = 1.0
    """s between two states of the agent that are kept for a return to before a fault."""
    longest_undetected_fault: float = 6.0
    """s for which a faulty member may have gone unnoticed: `check_span`, two checks, and messages that are late."""
    drain: float = 0.9
    """s for which a robot that stops still receives."""
    longest_drain: float = 3.0
    """s more, if much has come that was not processed."""
    most_waiting: int = 20_000
    """Messages and samples that wait to be processed; more are dropped and counted."""
    earliest_sample: float = 0.25
    """s by which a sample of the robot's own sensors may be ahead of its clock: their clocks differ a little."""
    oldest_sample: float = 5.0
    """s by which it may be behind: what is older comes too late for the team."""
    longest_pause: float = 600.0
    """s from one sample to the next where a log is replayed as fast as it goes."""
    fastest_sensor: float = 20.0
    """Samples for each of the team's, beyond which a sensor port is flooded: an IMU of 2 kHz at 100 Hz."""
    sensor_event_interval: float = 10.0
    """s between two events about samples that are not used, for each reason."""
    largest_readings: Mapping[str, float] = dataclasses.field(
        default_factory=lambda: {
            "velocity": 1e3,
            "force": 1e6,
            "twist/angular": 1e3,
            "twist/linear": 1e3,
            "specific_force": 2e3,
            "wrench/torque": 1e6,
            "wrench/force": 1e6,
        }
    )
    """By signal, in SI units: a few times what any robot, load or sensor for them reaches."""
    row_slack: float = 1.0
    """s by which the rows of a message may be ahead of the team's time: clocks agree to milliseconds."""
    unpaced_row_slack: float = 600.0
    """s, the same where samples come as fast as they can and there is no common time."""
    gradient_span: float = 0.1
    """s of samples through which a signal's slope is taken when it is moved to its tick."""
    longest_interpolation: float = 0.25
    """s of lost samples over which what a robot does is taken as a straight line."""
    on_tick: float = 0.02
    """Ticks; a sample that is so close to its tick is taken as it is."""
    check_span: float = 4.0
    """s of reports that are checked together: enough motion for a table of full rank."""
    check_row: float = 0.04
    """s over which reports are averaged for the check: a twenty-fifth of the messages, and motion is slower."""
    check_interval: float = 0.4
    """s between two consistency checks."""
    check_verdicts: int = 2
    """Checks in a row that name the same member before it counts as faulty."""
    largest_report: float = 1e6
    """In the units of the sensors; more is no measurement."""
    inconsistent: float = 8.0
    """Standard deviations of chi-square beyond which a group of robots does not fit together."""
    consistent: float = 5.0
    """Standard deviations of chi-square up to which it does."""
    warm_up_rate: float = 25.0
    """Hz of the warm-up: the same programs as at any rate, in fewer steps."""
    most_robots: int = 100
    """Robots of a team, at most: what a robot remembers of others, by row, is sized for so many."""


TUNING = RobotTuning()
