"""Robots that weigh what they hold in space: algebra, one answer in many frames, a bad radio, the bound, changes."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
from earnest import in_earnest
from load_runs import outputs
from spatial_runs import errors_at_the_end, recorded, team_of, weighed

from steelyard import models as m
from steelyard.geometry import SE3, SO3, Inertia, is_physical, log_cholesky, move_inertia
from steelyard.planning import true_linearisation_point
from steelyard.team import Disturbance, Graph, SpatialLoadMessage, load_in_frame, noise_free_information, pose_in_frame
from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion
from steelyard.team.spatial_load._linearisation_point import load_parameters, matrix_from_moments
from steelyard.worlds import SpatialScenario, spatial_truth

REALISTIC = SpatialScenario(robots=3, duration=3.0, sensors="realistic")
LINE = Graph.line(["r1", "r2", "r3"])


@pytest.fixture(scope="module")
def truth():
    return spatial_truth(dataclasses.replace(REALISTIC, duration=1.0), 5)


def test_moving_a_point_there_and_back_is_the_identity(truth):
    rng, point = np.random.default_rng(0), true_linearisation_point(truth, 0)
    for _ in range(20):
        step = 0.02 * rng.standard_normal(point.size)
        step[1:7] *= 0.05  # far from where a load would become impossible
        step[10:13] -= point.down * (step[10:13] @ point.down) / 9.81**2  # turning about the vertical shows nowhere
        np.testing.assert_allclose(point.local(point.retract(step)), step, atol=1e-12)


def test_no_step_leads_to_an_impossible_load(truth):
    rng, point = np.random.default_rng(1), true_linearisation_point(truth, 0)
    for size in (0.1, 1.0, 10.0):
        for _ in range(20):
            numbers = load_parameters(point.retract(size * rng.standard_normal(point.size)).load)
            load = Inertia.from_com(
                numbers[0], jnp.asarray(numbers[1:4]), jnp.asarray(matrix_from_moments(numbers[4:]))
            )
            assert is_physical(load)


def test_a_load_in_another_frame_is_the_moved_inertia(truth):
    """Against `geometry.move_inertia`; and the frames of two robots are each other's inverses."""
    point = true_linearisation_point(truth, 0)
    values, _ = load_in_frame(point, 0)
    one = Inertia.from_com(values[0], jnp.asarray(values[1:4]), jnp.asarray(values[4:].reshape(3, 3)))
    pose, back = (pose_in_frame(point, *pair)[0] for pair in ((2, 0), (0, 2)))
    move = SE3.from_rotation_and_translation(SO3(jnp.asarray(pose[3:])), jnp.asarray(pose[:3]))
    there = SE3.from_rotation_and_translation(SO3(jnp.asarray(back[3:])), jnp.asarray(back[:3]))
    retract = move_inertia(move, one)
    values, _ = load_in_frame(point, 2)
    np.testing.assert_allclose(retract.com, values[1:4], atol=1e-12)
    np.testing.assert_allclose(retract.matrix_about_com, values[4:].reshape(3, 3), atol=1e-12)
    np.testing.assert_allclose((move @ there).as_matrix(), np.eye(4), atol=1e-12)


@pytest.mark.parametrize("what", [lambda p: load_in_frame(p, 2), lambda p: pose_in_frame(p, 1, 2)[::1]])
def test_slopes_of_what_is_said_are_its_differences(truth, what):
    point, h = true_linearisation_point(truth, 0), 1e-6
    value, J = what(point)
    rows = 13 if len(J) == 13 else 3  # the rotation's slopes are tested by its inverse above
    for k in range(point.size):
        step = np.zeros(point.size)
        step[k] = h
        np.testing.assert_allclose((what(point.retract(step))[0] - value)[:rows] / h, J[:rows, k], atol=1e-5)


def test_what_a_frame_feels_is_the_rigid_loads_model(truth):
    """Against `models.RigidLoad`, whose referee is MuJoCo."""
    point, rng = true_linearisation_point(truth, 0), np.random.default_rng(2)
    values, _ = load_in_frame(point, 0)
    load = Inertia.from_com(values[0], jnp.asarray(values[1:4]), jnp.asarray(values[4:].reshape(3, 3)))
    omega, wrench = rng.standard_normal((1, 3)), rng.standard_normal((1, 6))
    state = m.RigidLoadState(
        SO3.identity(), jnp.asarray(omega[0]), jnp.zeros(3), log_cholesky(load), jnp.zeros(6), jnp.zeros(0)
    )
    alpha, s = m.RigidLoad().felt(state, jnp.asarray(wrench[0]))
    felt = EquationsOfMotion(point, np.ones(6)).felt(omega, wrench)
    np.testing.assert_allclose(felt[0], np.concatenate([alpha, s]), rtol=1e-9)


def test_information_is_known_to_its_last_row(truth):
    """Rows tell more the more there are, and never less than nothing."""
    down = truth.attitude[:, 0].transpose(0, 2, 1) @ np.array([0.0, 0.0, -9.81])
    parts = [
        noise_free_information(
            true_linearisation_point(truth, 0),
            truth.time[:n],
            truth.readings[:n],
            truth.wrenches[:n],
            down[:n],
            np.full(5, 0.1),
        )
        for n in (50, 101)
    ]
    assert np.linalg.eigvalsh(parts[0]).min() > -1e-6 * np.linalg.eigvalsh(parts[0]).max()
    assert np.linalg.eigvalsh(parts[1] - parts[0]).min() > -1e-6 * np.linalg.eigvalsh(parts[1]).max()


@pytest.fixture(scope="module")
def perfect():
    return in_earnest(weighed, REALISTIC, 0, LINE)


def test_all_answers_are_one_answer_in_different_frames(perfect):
    _, last, events, _ = perfect
    assert not events
    for one, other in (("r1", "r2"), ("r2", "r3")):
        pose, a, b = last[one][f"pose/{other}"].value, last[one], last[other]
        R = np.asarray(SO3(jnp.asarray(pose[3:])).as_matrix())
        assert a["mass"].value == b["mass"].value
        np.testing.assert_allclose(a["com"].value, R @ b["com"].value + pose[:3], atol=1e-12)
        np.testing.assert_allclose(a["inertia"].value, R @ b["inertia"].value @ R.T, atol=1e-12)
        back = last[other][f"pose/{one}"].value
        np.testing.assert_allclose(R @ back[:3] + pose[:3], 0.0, atol=1e-12)


def test_a_bad_radio_costs_time_and_nothing_else(perfect):
    radio = Disturbance(loss=0.3, delay=5, jitter=2, double=0.1, shuffle=True)
    _, last, _, _ = in_earnest(weighed, REALISTIC, 0, LINE, radio)
    for name, said in last.items():
        for what, one in said.items():
            np.testing.assert_array_equal(one.value, perfect[1][name][what].value)
            np.testing.assert_array_equal(one.covariance, perfect[1][name][what].covariance)


def test_every_number_is_near_the_truth(perfect):
    truth, last, _, _ = perfect
    for i, said in enumerate(last.values()):
        for what, true in (("mass", truth.mass[-1]), ("com", truth.com[-1, i]), ("inertia", truth.inertia[-1, i])):
            assert np.all(np.abs(said[what].value - true) < 4.5 * said[what].std), (i, what)


def test_a_step_is_pure():
    """The same state, sample and inbox give the same turn, whatever was done with the state meanwhile."""
    hold = dataclasses.replace(REALISTIC, robots=1, duration=1.6)
    _, samples = recorded(hold, 0)
    agent = team_of(hold, Graph.line(["r1"]))[0]
    state, kept = agent.init(), None
    for k, sample in enumerate(samples["r1"]):
        if k == 130:
            kept = state
        state = agent.step(state, sample, ()).state
    again = kept
    for sample in samples["r1"][130:]:
        again = agent.step(again, sample, ()).state
    assert state.estimates["mass"].value is not None
    for what, one in state.estimates.items():
        np.testing.assert_array_equal(one.value, again.estimates[what].value)


def test_equal_arguments_give_equal_turns():
    """In a team, every 40th step is taken again after one with another sample: the same messages to the last bit."""
    hold = dataclasses.replace(REALISTIC, robots=2, duration=2.4)
    _, samples = recorded(hold, 0)
    agents = {agent.name: agent for agent in team_of(hold, Graph.line(["r1", "r2"]))}
    states, inboxes = {name: agent.init() for name, agent in agents.items()}, dict.fromkeys(agents, ())
    known = 0
    for k, pair in enumerate(zip(*samples.values(), strict=True)):
        turns = {}
        for (name, agent), sample in zip(agents.items(), pair, strict=True):
            turns[name] = agent.step(states[name], sample, inboxes[name])
            if k % 40 == 0:
                agent.step(states[name], samples[name][k - 1], ())
                assert outputs(agent.step(states[name], sample, inboxes[name])) == outputs(turns[name])
                known += any(one.status == "known" for one in turns[name].estimates.values())
            states[name] = turns[name].state
        inboxes = {name: tuple(turn.outbox[name] for turn in turns.values() if name in turn.outbox) for name in agents}
    assert known > 0


def test_messages_survive_their_bytes():
    import msgspec

    hold = dataclasses.replace(REALISTIC, robots=2, duration=0.1)
    _, samples = recorded(hold, 0)
    agent = team_of(hold, Graph.line(["r1", "r2"]))[0]
    message = agent.step(agent.init(), samples["r1"][0], ()).outbox["r2"]
    assert isinstance(message, SpatialLoadMessage)
    assert agent.decode(msgspec.msgpack.encode(message)) == message
    with pytest.raises(msgspec.DecodeError):
        agent.decode(b"\x93\x01\x02\x03")


def test_the_papers_noise_at_the_bound():
    """Five robots in a ring, 0.4 on every channel, 10 s: within 4.5 σ, and σ within 1.3 times the bound.

    Ten numbers of five robots that share one answer: a false alarm at 4.5 σ comes once in 10^4 runs or so.
    """
    for robot in in_earnest(errors_at_the_end, SpatialScenario(robots=5, duration=10.0), 11):
        for what, (error, std, bound) in robot.items():
            assert np.all(np.abs(error) < 4.5 * std), what
            assert np.all(std < 1.3 * bound), what
            assert np.all(std > 0.8 * bound), what


@pytest.mark.parametrize("at", [2.5, 2.46])
def test_a_lost_part_is_an_event_within_half_a_second_at_every_robot(at):
    """At the beginning of the rows that are taken in together, and among the last of them."""
    hold = dataclasses.replace(REALISTIC, duration=5.0, drop_share=0.4, drop_time=at)
    _, _, events, history = in_earnest(weighed, hold, 1, LINE)
    assert sorted(name for _, name, _ in events) == ["r1", "r2", "r3"]
    for noticed, name, event in events:
        assert (event.kind, event.quantity) == ("change", "mass")
        assert noticed - at < 0.5
        assert abs(event.time - at) < 0.1
        assert event.size < 0
        said = [one["mass"] for one in history[name] if one["mass"].time <= 4.5 and one["mass"].value is not None][-1]
        assert abs(float(said.value) / 1.2 - 1.0) < 0.02
        assert said.time > 4.0
