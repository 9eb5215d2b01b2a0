"""Nothing a robot computes uses what it did not measure or receive."""

import load_runs
import msgspec
import numpy as np
import pytest
from earnest import in_earnest
from load_runs import Recorder, outputs
from planar_world import CONTACTS, NAMES, PlanarWorld

from steelyard.errors import BadInput
from steelyard.papers.planar.robots import cdc14_team, drive
from steelyard.team import Bus, Graph, PlanarSample, run_team

LINE = Graph.line(NAMES)


def recorded(seconds):
    team = [Recorder(agent) for agent in cdc14_team(LINE)]
    drive(team, PlanarWorld(5.0, 12.3795, CONTACTS), Bus(LINE), seconds, 100.0)
    return {agent.name: agent for agent in team}


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_robot_alone_with_its_samples_and_letters_does_the_same(name):
    """Fresh agent, nobody else there, letters from their bytes: all that it says is the same to the last bit.

    Short, and with types checked.
    """
    team = recorded(3.0)
    agent = cdc14_team(LINE)[NAMES.index(name)]
    state = agent.init()
    for sample, letters, before in zip(team[name].samples, team[name].inboxes, team[name].turns, strict=True):
        turn = agent.step(state, sample, tuple(agent.decode(data) for data in letters))
        assert outputs(turn) == before
        state = turn.state


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_weighing_robot_alone_does_the_same_and_its_state_is_a_value(name):
    """As above, over fits; and states come back from their bytes, and are never changed by a step."""
    differs, changed, statuses = in_earnest(load_runs.differences_when_alone, name)
    assert not differs
    assert not changed
    assert "known" in statuses


def test_news_of_a_weighing_robot_travel_no_faster_than_a_link_a_sample():
    """Its samples go into rows of four, so they may travel slower."""
    start = 150
    for name, first in in_earnest(load_runs.first_differences, start).items():
        assert start + LINE.distances("r4")[name] <= first < start + 20, name


def replayed(samples):
    team = [Recorder(agent) for agent in cdc14_team(LINE)]
    run_team(team, samples, Bus(LINE))
    return {agent.name: agent.turns for agent in team}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("garbage", [float("nan"), 1e9], ids=["nan", "huge"])
def test_news_travel_one_link_a_sample_and_no_faster(garbage):
    """From one sample on r4 measures garbage: a robot h links away cannot differ before h samples later."""
    team, start = recorded(2.5), 150
    samples = {name: agent.samples for name, agent in team.items()}
    spoilt = PlanarSample
    bad = samples | {
        "r4": [
            sample if k < start else spoilt(sample.time, (garbage, garbage), (garbage, garbage))
            for k, sample in enumerate(samples["r4"])
        ]
    }
    good, worse = replayed(samples), replayed(bad)
    for name in NAMES:
        hops = LINE.distances("r4")[name]
        differs = [k for k, (a, b) in enumerate(zip(good[name], worse[name], strict=True)) if not same(a, b)]
        assert differs, name
        assert min(differs) == start + hops, name


def same(left, right):
    """Equality for which NaN equals NaN: compares the text."""
    return repr(left) == repr(right)


@pytest.mark.usefixtures("unchecked")
def test_letters_from_strangers_change_nothing():
    team = recorded(3.0)
    agent = cdc14_team(LINE)[0]
    state = agent.init()
    for k, sample in enumerate(team["r1"].samples):
        stranger = [agent.decode(data) for data in team["r3"].inboxes[k] if agent.decode(data).sender == "r4"]
        inbox = tuple(agent.decode(data) for data in team["r1"].inboxes[k])
        turn = agent.step(state, sample, (*stranger, *inbox, *inbox))  # and its own letters twice
        assert outputs(turn) == team["r1"].turns[k]
        state = turn.state


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("change", ["short", "nan", "stage", "velocity"])
def test_a_garbled_letter_counts_as_lost(change):
    team = recorded(1.0)
    agent = cdc14_team(LINE)[0]
    state = agent.init()
    for k, sample in enumerate(team["r1"].samples):
        inbox = tuple(agent.decode(data) for data in team["r1"].inboxes[k])
        garbled = tuple(garble(message, change) for message in inbox)
        turn = agent.step(state, sample, garbled if k == 60 else inbox)
        if k == 60:
            assert outputs(turn) == outputs(agent.step(state, sample, ()))
            assert outputs(turn) != team["r1"].turns[k]
        state = turn.state
    assert np.isfinite(turn.action).all()


def garble(message, change):
    told, replace = message.flow, msgspec.structs.replace
    match change:
        case "short":
            return replace(message, flow=replace(told, values=told.values[:-1]))
        case "nan":
            return replace(message, flow=replace(told, flows=(float("nan"), *told.flows[1:])))
        case "stage":
            return replace(message, stage=77)
    return replace(message, velocity=(float("inf"), 0.0))


@pytest.mark.usefixtures("unchecked")
def test_a_replayed_log_gives_what_the_drive_gave():
    team = recorded(2.5)
    again = replayed({name: agent.samples for name, agent in team.items()})
    assert again == {name: agent.turns for name, agent in team.items()}


def test_samples_must_fit_the_team():
    agents = cdc14_team(LINE)
    still = PlanarSample(0.0, (0.0, 0.0), (0.0, 0.0))
    with pytest.raises(BadInput, match='"r4" has no samples'):
        run_team(agents, {name: [still] for name in NAMES[:3]}, Bus(LINE))
    with pytest.raises(BadInput, match='"r1" has fewer samples'):
        run_team(agents, {name: [still] * (1 if name == "r1" else 2) for name in NAMES}, Bus(LINE))
    with pytest.raises(BadInput, match='"r4" is either without an agent'):
        run_team(agents[:3], {name: [still] for name in NAMES}, Bus(LINE))
    with pytest.raises(BadInput, match="is none; give positive numbers"):
        drive(agents, lambda forces, dt: {name: np.zeros(2) for name in NAMES}, Bus(LINE), 1.0, 0.0)
