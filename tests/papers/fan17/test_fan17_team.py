"""The spatial paper's team: exact without noise, silent where it cannot know, and strictly local."""

import msgspec
import numpy as np
import pytest
from earnest import in_earnest
from fan17_runs import NAMES, RING, one_axis, without_noise
from load_runs import Recorder, outputs
from spatial_world import SpatialWorld

from steelyard.errors import BadInput
from steelyard.papers.fan17.robots import Fan17Agent, fan17_team
from steelyard.team import Bus, Graph, run_team

QUICK = {"settle": 0.4, "rounds": 8, "noise": (0.01,) * 5, "report_every": 5}


def test_without_noise_every_robot_knows_the_load_and_its_neighbours():
    """What is left is the gyro's difference, which a 1600th of the weight of accelerometers lets into α.

    Its error is Δt²/6 of a third derivative of 1.5 · 7³ · 2 a second cubed, 0.02 rad/s²: 1e-5 of α, and as much of all.
    """
    mass, com, inertia, place = in_earnest(without_noise)
    assert max(mass, com, inertia) < 1e-5
    assert place < 1e-9


def test_turning_about_one_axis_leaves_everything_not_yet_known():
    for estimates in in_earnest(one_axis).values():
        assert set(estimates) >= {"mass", "com", "inertia"}
        assert set(estimates.values()) == {"not-yet-known"}


def recorded(samples):
    team = [Recorder(agent) for agent in fan17_team(RING, **QUICK)]
    run_team(team, samples, Bus(RING))
    return {agent.name: agent for agent in team}


@pytest.fixture(scope="module")
def samples():
    return SpatialWorld(NAMES, 0.8).samples(0.01)


@pytest.fixture(scope="module")
def team(samples):
    return recorded(samples)


def test_a_robot_alone_with_its_samples_and_letters_does_the_same(team):
    """Fresh agent, letters from their bytes, some from strangers, all of them twice: the same to the last bit."""
    me, agent = team["r1"], fan17_team(RING, **QUICK)[0]
    state = agent.init()
    for k, sample in enumerate(me.samples):
        inbox = tuple(agent.decode(data) for data in me.inboxes[k])
        strangers = tuple(agent.decode(data) for data in team["r3"].inboxes[k])
        turn = agent.step(state, sample, (*strangers, *inbox, *inbox))
        assert outputs(turn) == me.turns[k]
        state = turn.state
    assert turn.estimates["mass"].status == "known"
    assert turn.estimates["mass"].value == pytest.approx(2.0, abs=5 * turn.estimates["mass"].std + 0.02)


def test_news_travel_one_link_a_sample_and_no_faster(team, samples):
    start = 60
    spoilt = [
        msgspec.structs.replace(sample, angular=(9.0, 9.0, 9.0)) if k >= start else sample
        for k, sample in enumerate(samples["r3"])
    ]
    worse = recorded(samples | {"r3": spoilt})
    for name in NAMES:
        pairs = zip(team[name].turns, worse[name].turns, strict=True)
        assert next(k for k, (a, b) in enumerate(pairs) if a != b) == start + RING.distances("r3")[name]


@pytest.mark.parametrize("change", ["short", "nan", "load", "reading"])
def test_a_garbled_letter_counts_as_lost(team, change):
    me, agent = team["r1"], fan17_team(RING, **QUICK)[0]
    state = agent.init()
    for k in range(70):
        state = agent.step(state, me.samples[k], tuple(agent.decode(data) for data in me.inboxes[k])).state
    inbox = tuple(agent.decode(data) for data in me.inboxes[70])
    garbled = agent.step(state, me.samples[70], tuple(garble(letter, change) for letter in inbox))
    assert outputs(garbled) == outputs(agent.step(state, me.samples[70], ()))
    assert outputs(garbled) != me.turns[70]


def garble(letter, change):
    replace, rows = msgspec.structs.replace, letter.rows
    match change:
        case "short":
            return replace(letter, rows=replace(rows, values=rows.values[:-1]))
        case "nan":
            return replace(letter, rows=replace(rows, values=(float("nan"), *rows.values[1:])))
        case "load":
            return replace(letter, load=letter.load[:-1] or (1.0,))
    return replace(letter, reading=(float("inf"), *letter.reading[1:]))


def test_a_silent_sensor_and_a_missing_sample_leave_the_rest_as_it_was(samples):
    gone = [None if k == 65 else sample for k, sample in enumerate(samples["r2"])]
    mute = [
        msgspec.structs.replace(sample, torque=(np.nan,) * 3) if k == 60 else sample
        for k, sample in enumerate(samples["r4"])
    ]
    after = recorded(samples | {"r2": gone, "r4": mute})
    for name in NAMES:
        assert after[name].turns[-1][1]["mass"][0] == "known"


def test_bad_settings_are_refused():
    with pytest.raises(BadInput, match="no setting speed"):
        fan17_team(RING, speed=3.0)
    with pytest.raises(BadInput, match="has no neighbour"):
        fan17_team(Graph(["r1"], []))
    assert isinstance(fan17_team(RING)[0], Fan17Agent)
