"""Numbers that tune how a trial runs a team on one machine."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class TrialTuning:
    """Of the processes, the world and what is measured."""

    stop_timeout: float = 10.0
    """s for a process to end by itself before it is killed: a robot drains for up to four."""
    start_timeout: float = 180.0
    """s for all robots to run: a cold compilation cache on few cores takes about one minute."""
    robots_timeout: float = 120.0
    """s for which the world waits for robots to hear their neighbours; then it goes on without the missing ones."""
    hangs: float = 20.0
    """s without a status, after which a process that was not stopped on purpose counts as hanging."""
    settled: float = 1.2
    """s without a new estimate, after the last sample, after which a run is over."""
    longest_settling: float = 8.0
    """s after the last sample, after which it is over in any case."""
    caught_up: float = 1.0
    """s; a robot whose estimate is of less than so long ago knows the load as it is."""
    usage_interval: float = 10.0
    """s between two samples of a robot's memory and threads."""
    lead: int = 8
    """Ticks by which the world may be ahead of the slowest robot where it goes as fast as it can."""
    grip_timeout: float = 0.6
    """s since a robot's last status, after which its grip is taken as open."""
    unpaced_grip_timeout: float = 5.0
    """s, the same for a world without a pace, which until then waits for the robot."""
    virtual_delay: float = 0.002
    """s that a message takes at least where a team runs in virtual time."""
    chaos_rate: float = 50.0
    """Hz of chaos runs: at 25 the wrench between two rows is uncertain by more than good sensors are noisy."""
    disasters_until: float = 6.0
    """s of a chaos run by which all disasters are over."""
    recovery: float = 10.0
    """s after that, within which all robots know the load again and agree."""
    most_deviations: float = 5.0
    """Stated standard deviations that an estimate may be off while it says known."""
    faulty_named: float = 6.0
    """s in which a faulty member is named and what it did is forgotten."""
    change_noticed_within: float = 2.5
    """s after a change of the load in which the old load may still be reported as known."""
    change_dated_within: float = 1.5
    """s from a change to the time that an event gives it."""
    agreement: float = 2.0
    """Stated standard deviations by which robots may differ at the end: they have the same data, some of it later."""
    shortest_disaster: float = 0.1
    """s below which a disaster is not shrunk further."""
    link_timeout: float = 10.0
    """s for a link to malformed messages' recipient to stand."""
    table_events: int = 6
    """The last so many events stand below the table: it stays on one screen."""


TUNING = TrialTuning()
