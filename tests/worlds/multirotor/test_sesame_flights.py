"""The campaign's flights are what the paper describes: courses, an MPC within bounds, a mass that goes as promised."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from earnest import in_earnest

from steelyard.geometry import SO3
from steelyard.worlds import PROFILES, TRAJECTORIES, SesameScenario, fly_sesame, mass_at, sesame_flights
from steelyard.worlds.multirotor._mpc import TUNING, Plan, Pose, begin, replan
from steelyard.worlds.multirotor._trajectories import FLIGHT_TIME, lay_trajectory

STEP = 0.02


@pytest.fixture(scope="module")
def flown():
    return {course: in_earnest(fly_sesame, SesameScenario(course, "steps", 0), 3) for course in TRAJECTORIES}


def positions(columns) -> np.ndarray:
    return np.stack([columns[f"r1/position/{axis}"] for axis in "xyz"], axis=1)


def test_the_data_set_has_1250_flights_and_its_tenth_is_as_varied():
    flights = list(sesame_flights())
    assert len(set(flights)) == 1250
    assert len({(f.trajectory, f.profile) for f in flights[:25]}) == 25
    assert {f.repetition for f in flights[:125]} == set(range(5))


@pytest.mark.parametrize("course", TRAJECTORIES)
def test_a_course_is_smooth_and_its_inputs_fly_it(course):
    """The reference's own thrust and rates, integrated, stay on it: flatness, checked by another road."""
    reference, step = lay_trajectory(course, np.random.default_rng(5), 0.002, 2.0), 0.002
    assert np.isfinite(reference.inputs).all()
    g, n = np.array([0.0, 0.0, -9.81]), round(FLIGHT_TIME / step)
    up = np.asarray(jax.vmap(lambda q: SO3(q) @ jnp.array([0.0, 0.0, 1.0]))(jnp.asarray(reference.attitude)))
    a = reference.inputs[:, :1] * up + g
    velocity = np.cumsum(0.5 * (a[1:] + a[:-1]) * step, axis=0)[: n - 1]
    speed = np.linalg.norm(reference.velocity, axis=1).max()
    assert np.abs(velocity - reference.velocity[1:n]).max() < 0.01 * speed
    turned = jax.vmap(lambda q, w: SO3(q) @ SO3.exp(step * w))(
        jnp.asarray(reference.attitude[:-1]), jnp.asarray(0.5 * (reference.inputs[1:, 1:] + reference.inputs[:-1, 1:]))
    )
    off = jax.vmap(lambda a, b: (a.inverse() @ SO3(b)).log())(turned, jnp.asarray(reference.attitude[1:]))
    assert np.abs(off).max() < 1e-3


def test_the_random_course_has_six_continuous_derivatives_and_rests_at_its_ends():
    reference = lay_trajectory("random", np.random.default_rng(5), 0.001, 2.0)
    jerk = np.diff(reference.position[: round(FLIGHT_TIME * 1000)], n=3, axis=0) * 1e9
    # Continuous: in a millisecond it changes by a few per cent of its range; a jump would be a good part of it.
    assert np.abs(np.diff(jerk, axis=0)).max() < 0.05 * np.abs(jerk).max()
    assert np.abs(reference.velocity[[0, -1]]).max() < 0.02  # m/s: the last row is up to a row from the end


@pytest.mark.parametrize("course", TRAJECTORIES)
def test_commands_stay_within_the_bounds_and_the_vehicle_near_its_course(flown, course):
    columns = flown[course]
    # Bounds of the paper's MPC: 2 to 20 N, 3, 3 and 2 rad/s; rates are read with noise of 0.01 rad/s, five of it.
    assert columns["r1/thrust"].min() >= 2.0
    assert columns["r1/thrust"].max() <= 20.0  # likewise
    for axis, most in (("x", 3.0), ("y", 3.0), ("z", 2.0)):
        assert np.abs(columns[f"r1/rates/{axis}"]).max() < most + 5 * 0.01
    names = (TRAJECTORIES.index(course), PROFILES.index("steps"), 0)
    reference = lay_trajectory(course, np.random.default_rng([3, *names]), STEP, 2.0)
    off = np.linalg.norm(positions(columns)[::2] - reference.position[: len(positions(columns)[::2])], axis=1)
    assert np.median(off) < 0.5  # without an integrator, 30 % of a wrong mass costs some decimetres of height
    assert off.max() < 2.0  # m: on the way back from a step while the thrust is at its bound


def test_the_lemniscate_saturates_and_the_loop_does_not():
    def share(course):
        thrusts = [in_earnest(fly_sesame, SesameScenario(course, "constant", k), 3)["r1/thrust"] for k in range(4)]
        return np.mean(np.concatenate(thrusts) > 19.99)

    assert share("lemniscate") > 0.02  # one row in fifty: the turns, in which 20 N do not reach
    assert share("loop") == 0.0


def test_a_seed_is_a_flight_and_repetitions_differ(flown):
    again = in_earnest(fly_sesame, SesameScenario("loop", "steps", 0), 3)
    other = in_earnest(fly_sesame, SesameScenario("loop", "steps", 1), 3)
    for name, column in again.items():
        np.testing.assert_array_equal(column, flown["loop"][name])
    assert not np.allclose(other["r1/position/x"], again["r1/position/x"])


def test_the_rotors_lose_what_the_bench_says(flown):
    """Hovering at the start: what acts is less than what was asked, by 0.1 (u / 1.3)² of full scale at throttle u."""
    columns = flown["square"]
    u = columns["r1/throttle/1"] / 100.0
    np.testing.assert_allclose(columns["r1/thrust"], 4 * 20.0 * u, rtol=1e-9)
    np.testing.assert_allclose(
        columns["truth/mass"], mass_at("steps", 1.0, FLIGHT_TIME, jnp.asarray(columns["time"])), rtol=1e-12
    )


def quiet_pose(position) -> Pose:
    return Pose(SO3.identity(), jnp.asarray(position, float), jnp.zeros(3))


def cost(plan: Plan, now: Pose) -> float:
    """Of flying a plan that should hover at the origin: the MPC's own weights, by a plain loop."""
    total, pose = 0.0, now
    from steelyard.worlds.multirotor._mpc import _dynamics

    Q, R = np.array(TUNING.state_weights), np.array(TUNING.input_weights)
    for u in np.asarray(plan.inputs):
        pose = _dynamics(pose, jnp.asarray(u))
        off = np.concatenate([pose.attitude.log(), pose.position, pose.velocity])
        total += float(np.sum(Q * off**2) + np.sum(R * (u - [9.81, 0, 0, 0]) ** 2))
    return total


def test_a_plan_cannot_be_bettered_within_its_bounds():
    """Converged from a metre away, no small change of any input that the bounds allow lowers the cost."""
    now, hover = quiet_pose([1.0, -0.5, 0.8]), jnp.tile(jnp.array([9.81, 0.0, 0.0, 0.0]), (TUNING.nodes, 1))
    wanted = jax.tree.map(lambda leaf: jnp.stack([leaf] * (TUNING.nodes + 1)), quiet_pose([0.0, 0.0, 0.0]))
    step = jax.jit(lambda plan: replan(plan, now, wanted, hover, 0.0))
    plan = begin()
    for _ in range(30):
        plan = step(plan)
    inputs = np.asarray(plan.inputs)
    low, high = np.array([2.0, -3.0, -3.0, -2.0]), np.array([20.0, 3.0, 3.0, 2.0])
    assert (inputs >= low - 1e-12).all()
    assert (inputs <= high + 1e-12).all()
    assert ((inputs <= low + 1e-9) | (inputs >= high - 1e-9)).any()  # or the bounds were never met
    best = cost(plan, now)
    rng = np.random.default_rng(0)
    for _ in range(40):
        tried = np.clip(inputs + 0.02 * rng.standard_normal(inputs.shape), low, high)
        assert cost(Plan(jnp.asarray(tried)), now) > best * (1 - 1e-9)
    assert pytest.approx(2.0) == TUNING.spacing * TUNING.nodes
