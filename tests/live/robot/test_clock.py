"""Clocks that differ and drift agree over the links, whatever the radio does."""

import pickle

from teams import PLANAR, SPATIAL, VirtualTeam, configured

from steelyard.config import WrongClock
from steelyard.team.transport import TeamClock, Timing


def spread(team: VirtualTeam) -> float:
    times = [node.clock.team_time(team.clock(name)) for name, node in team.nodes.items()]
    return max(times) - min(times)


WRONG = {"r1": WrongClock(0.05), "r2": WrongClock(-0.08, 2e-5), "r3": WrongClock(0.1, -5e-5)}


def test_clocks_a_tenth_of_a_second_apart_agree_to_a_millisecond():
    team = VirtualTeam(configured(PLANAR, clocks=WRONG))
    team.advance(3.0, samples=False)
    assert spread(team) < 0.001  # s: a tenth of the time between two samples
    assert {node.clock.leader for node in team.nodes.values()} == {"r1"}


def test_the_time_reaches_the_other_end_of_a_ring_within_a_second_or_two():
    team = VirtualTeam(configured(SPATIAL, clocks={"r2": WrongClock(0.1, 2e-5), "r4": WrongClock(-0.05)}))
    team.advance(3.0, samples=False)
    assert spread(team) < 0.001  # s: a tenth of the time between two samples


def test_a_bad_radio_costs_accuracy_of_half_its_jitter_at_most():
    jitter = 0.02
    team = VirtualTeam(configured(PLANAR, clocks=WRONG, loss=0.2, jitter=jitter, double=0.1))
    team.advance(6.0, samples=False)
    assert spread(team) < 0.5 * jitter  # half the difference between the ways of a round trip


def test_when_the_first_robot_goes_the_time_goes_on_as_it_is():
    team = VirtualTeam(configured(PLANAR, clocks=WRONG))
    team.advance(3.0, samples=False)
    before = team.nodes["r2"].clock.team_time(team.clock("r2"))
    team.dead.add("r1")
    team.advance(5.0, samples=False)
    after = team.nodes["r2"].clock.team_time(team.clock("r2"))
    assert abs(after - before - 5.0) < 0.001  # s: a tenth of the time between two samples
    assert team.nodes["r3"].clock.leader == "r2"


def test_samples_of_one_instant_get_the_same_tick_everywhere():
    team = VirtualTeam(configured(PLANAR, clocks=WRONG))
    team.advance(3.0, samples=False)
    team.advance(1.0)
    assert len({node.tick for node in team.nodes.values()}) == 1


def test_a_clock_remembers_seconds_whomever_it_follows():
    """Of neighbours that it does not follow, too: a robot runs for days."""
    team = VirtualTeam(configured(PLANAR))
    sizes = []
    for _ in range(2):
        team.advance(6.0, samples=False)
        sizes.append(len(pickle.dumps([node.clock for node in team.nodes.values()])))
    assert sizes[1] < 1.05 * sizes[0]


def test_a_neighbour_that_stood_still_does_not_set_the_time_of_one_that_comes_back():
    """Both neighbours' clocks are right; what r2 answers had waited for 0.3 s without its knowledge."""
    clock = TeamClock("r1", ("r2", "r3"), now=100.0)
    clock.receive("r2", Timing(100.300, 100.300, "r2", 1, 0, None, 100.0, 0.0), 100.302)
    clock.update(100.31)
    assert clock.offset is None, "a shorter trip may come"
    clock.receive("r3", Timing(100.410, 100.410, "r2", 1, 1, None, 100.4, 0.005), 100.412)
    clock.update(100.42)
    assert clock.offset is not None
    assert abs(clock.offset) < 0.005
