"""The team's clock."""

from steelyard.team.transport import TeamClock, Timing


def test_the_echo_of_an_earlier_process_is_no_round_trip():
    """A robot died when its clock showed 7 s, and comes back with a clock that is 1 s ahead: it showed 10 s.

    Its neighbour, whose clock is the team's, answers what the dead process sent at 7 s. Half of the second was
    once taken for an offset, and the robot's samples were half a second away from everybody else's.
    """
    clock = TeamClock("r2", ("r1",), 10.0)
    clock.receive("r1", Timing(9.1, 9.1, "r1", 91, 0, 3.0, echo=7.0, held=2.0), 10.1)
    clock.update(10.1)
    assert not clock.known
    clock.receive("r1", Timing(9.2, 9.2, "r1", 92, 0, 3.0, echo=10.15, held=0.03), 10.2)
    clock.update(10.2)
    assert clock.known
    assert abs(clock.team_time(10.2) - 9.2) < 0.02
