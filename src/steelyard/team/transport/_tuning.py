"""Numbers that tune the transport, with units and reasons."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ClockTuning:
    """Of `TeamClock`; all in seconds of the robot's own clock unless stated."""

    round_trip_window: float = 3.0
    """Over which the shortest round trip counts: long enough for some short ones, short against a clock's drift."""
    largest_drift: float = 1e-4
    """Between two clocks, s a second: quartzes are off by up to 5e-5 each. An older trip counts as so much worse."""
    short_trip: float = 0.1
    """Round trip by which a robot that has just come takes the team's time at once: it is off by half of that."""
    trips_wait: float = 0.8
    """In which a robot that has just come waits for a shorter one: a neighbour that stood still answers late."""
    jump: float = 0.001
    """Error from which on the time counts as newly found, while no samples are taken yet."""
    gain: float = 0.3
    """Share of an error that is corrected at once: of a few round trips, one is short."""
    slew: float = 0.002
    """The most that is corrected at once while samples are taken: a fifth of a sample at 100 Hz."""


@dataclasses.dataclass(frozen=True)
class GateTuning:
    """Of what a robot lets in."""

    largest_envelope: int = 256 * 1024
    """Bytes of the largest envelope that is opened: messages have some kilobytes."""
    most_messages: float = 2000.0
    """A second, that a robot sends to one neighbour: twice the fastest team's."""
    latest_time: float = 1e11
    """s since 1970 that a clock can show: the year 5138. Nanoseconds and forged times are beyond it."""
    longest_run: float = 3e7
    """s for which a team can have run: a year."""
    earliest_start: float = 60.0
    """s by which a start may be ahead of the sender's team time, while clocks are still being agreed on."""
    numbers_remembered: int = 4096
    """Numbers before the newest by which a late message is told from a copy: 40 s at 100 messages a second."""


@dataclasses.dataclass(frozen=True)
class TransportTuning:
    """All of it."""

    clock: ClockTuning = ClockTuning()
    """How fast, and how far, a robot's clock follows the team's."""
    gate: GateTuning = GateTuning()
    """What of a message is too large, too fast or of no possible time."""
    lease: int = 1000
    """ms after which a silent Zenoh peer counts as gone: of four signs of life in it, some may be lost."""
    certificate_years: int = 5
    """Years of 365 days for which certificates are valid: they are rarely renewed, and a lost key must not count for
    ever."""


TUNING = TransportTuning()
