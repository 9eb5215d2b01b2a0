"""All times that decide who is in a team, since when, and what of a robot that is silent still counts."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MembershipTuning:
    """Times are s of the robot's own clock unless stated; docs/TEAMS.md says where each is used."""

    silence: float = 0.5
    """Since a neighbour was last heard, after which it counts as absent: ten hellos, of which some may be lost."""
    silent_messages: int = 40
    """The same where messages are counted: samples without a message of a neighbour, or own messages without an answer.
    Over a radio that loses a third of all messages, 40 lost in a row never happen."""
    gone: float = 1.0
    """Since a neighbour was last heard, after which that is an event."""
    missing: float = 20.0
    """After which a neighbour that never appeared is reported: a cold start compiles for about ten."""
    forgotten: float = 2.0
    """Without a new beat of the leader, without a message, or without an echo, after which a robot is no longer
    followed and its process may be replaced."""
    alone: float = 1.5
    """Without anybody who knows the team's time, after which a robot's own clock is the team's: links need a second."""
    start_report: float = 0.3
    """After the team's time was found, in which neighbours may still report a start of the team."""
    start_settled: float = 5.0
    """After the own first sample, from which on only all neighbours together can move the team's start."""
    late: float = 1.0
    """By which a robot's sample may be later than others' before it counts as missing."""
    catching_up: float = 1.5
    """In which neighbours send a robot that was away what it has missed: until then no sample counts as missing."""
    lets_go: float = 1.0
    """Since a robot was last known to be heard by anybody, after which it lets go of the load."""
    released: float = 2.0
    """Since a robot's last sample, within which it has let go if nobody hears it: `lets_go`, what lies between its last
    sample and its last message, and what a grip takes to open."""
    steady_rows: int = 12
    """Rows in a row that show the same members before they count as the team: sums that are being re-routed change."""
    newcomer_rows: int = 180
    """Rows after a robot's first, in which it learns from older rows who was in the team before it came."""
    refused_timeouts: int = 5
    """Timeouts for which the beats of a dead leader are refused: no old beat travels for longer, and a leader whose
    clock was set back has lower beats than before."""


TUNING = MembershipTuning()
