"""The pushed load: MuJoCo moves it and referees the model; sensors, forces and seeds are as stated."""

import dataclasses
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.models import PlanarLoad
from steelyard.worlds import (
    PlanarBody,
    PlanarPlay,
    PlanarScenario,
    check_planar,
    contacts_on,
    outline,
    planar_truth,
    simulate_planar,
)

SHORT = PlanarScenario(duration=2.0)


def modelled(push: PlanarScenario, truth) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocities and velocities of the model, driven row by row with the mean of neighbouring forces."""
    friction = (push.viscous_friction, push.coulomb_friction)
    model = PlanarLoad(friction, push.friction_radius)
    controls = jnp.asarray(0.5 * (truth.forces[1:] + truth.forces[:-1]))

    def row(state, control):
        state = model.dynamics(state, control, 1.0 / push.rate)
        return state, (state.angular_velocity, state.velocity)

    _, (omegas, velocities) = jax.jit(lambda s, u: jax.lax.scan(row, s, u))(truth.state_at(0), controls)
    return np.asarray(omegas), np.asarray(velocities)


def gap(push: PlanarScenario) -> float:
    """The largest difference between model and MuJoCo at the end of a push, in rad/s or m/s."""
    truth = planar_truth(push, 3)
    omegas, velocities = modelled(push, truth)
    return max(abs(omegas[-1] - truth.angular_velocity[-1]), np.abs(velocities[-1] - truth.velocity[-1]).max())


@pytest.mark.parametrize(
    "push",
    [
        SHORT,
        dataclasses.replace(SHORT, shape="rod", robots=1, spin=-2.0),
        dataclasses.replace(SHORT, shape="disc", robots=7, random_contacts=True, speed=1.0),
        dataclasses.replace(SHORT, viscous_friction=2.0, coulomb_friction=3.0, spin=1.0, speed=2.0),
    ],
    ids=["plate", "rod", "disc", "friction"],
)
def test_the_model_converges_to_mujoco_with_the_square_of_its_step(push):
    """The midpoint rule is of second order, so sixteen times closer at 400 Hz; what limits that is MuJoCo's own step.

    A wrong term in either would stay where it is, whatever the step.
    """
    coarse, fine = gap(push), gap(dataclasses.replace(push, rate=400.0))
    assert abs(coarse / fine - 16.0) < 2.0
    assert fine < 1e-5


def test_without_forces_momentum_and_energy_stay():
    push = dataclasses.replace(SHORT, force=0.0, spin=2.5, speed=-1.5)
    truth = planar_truth(push, 0)
    np.testing.assert_allclose(truth.angular_velocity, 2.5, rtol=1e-12)
    np.testing.assert_allclose(truth.velocity, np.broadcast_to([-1.5, 0.0], truth.velocity.shape), atol=1e-12)
    np.testing.assert_allclose(truth.heading, 2.5 * truth.time, rtol=1e-12)


def test_momentum_gained_is_the_integral_of_the_forces():
    truth = planar_truth(SHORT, 5)
    impulse = np.trapezoid(truth.forces.sum(axis=1), truth.time, axis=0)
    np.testing.assert_allclose(5.0 * truth.velocity[-1], impulse, atol=1e-3)


@pytest.mark.parametrize("shape", ["plate", "rod", "disc"])
def test_a_push_through_the_centre_of_mass_never_turns(shape):
    push = dataclasses.replace(SHORT, shape=shape, forces="none-turning", robots=5)
    truth = planar_truth(push, 2)
    assert np.abs(truth.heading).max() < 1e-12  # rad: rounding
    assert np.linalg.norm(truth.velocity, axis=1).max() > 0.1  # m/s: 1 N for half a second, on 5 kg
    assert np.abs(truth.forces).max() > 1.0


def test_momentum_gained_is_what_robots_read_also_while_they_take_hold_and_let_go():
    """To the trapezoid rule; a grip that came at once would cost half a sample of its force, ten times as much."""
    player = PlanarPlay(dataclasses.replace(SHORT, velocity_noise=0.0), 5)
    everybody, momentum, impulse, before = frozenset(player.robots), [], np.zeros(2), None
    for k in range(100):
        row = player.next(everybody if k < 30 or k > 60 else everybody - {"r2", "r3"})
        readings = [row.readings[name] for name in player.robots]
        force = np.sum([[one["force/x"], one["force/y"]] for one in readings], axis=0)
        impulse = impulse + (0.0 if before is None else 0.5 * (before + force) / SHORT.rate)
        before = force
        truth = player.truth()
        arms = [-complex(truth[f"truth/{name}/com/x"], truth[f"truth/{name}/com/y"]) for name in player.robots]
        A = np.concatenate([[[1.0, 0.0, -arm.imag], [0.0, 1.0, arm.real]] for arm in arms])
        read = np.ravel([[one["velocity/x"], one["velocity/y"]] for one in readings])
        momentum.append(SHORT.mass * np.linalg.lstsq(A, read, rcond=None)[0][:2])
    np.testing.assert_allclose(momentum[-1] - momentum[0], impulse, atol=1e-3)


@pytest.mark.parametrize("friction", [{"viscous_friction": 1.0}, {"coulomb_friction": 2.0}])
def test_friction_takes_energy(friction):
    push = dataclasses.replace(SHORT, force=0.0, spin=1.0, speed=1.0, **friction)
    truth = planar_truth(push, 0)
    energy = 2.5 * np.sum(truth.velocity**2, axis=1) + 0.5 * 8.6891 * truth.angular_velocity**2
    assert np.all(np.diff(energy) < 0)
    assert energy[-1] < 0.7 * energy[0]  # a good part of it, not the integrator's 1e-6


def test_what_is_left_after_a_drop_keeps_its_motion_and_is_lighter():
    push = dataclasses.replace(SHORT, drop_share=0.3, drop_time=1.0, forces="constant")
    truth = planar_truth(push, 1)
    before, after = truth.time < 1.0, truth.time >= 1.0
    np.testing.assert_allclose(truth.mass, np.where(before, 5.0, 3.5))
    np.testing.assert_allclose(truth.inertia, np.where(before, 8.6891, 0.7 * 8.6891))
    push_of_all = truth.forces[0].sum(axis=0)
    for rows, mass in ((before, 5.0), (after, 3.5)):
        slope = np.diff(truth.velocity[rows], axis=0) * push.rate
        np.testing.assert_allclose(slope, np.broadcast_to(push_of_all / mass, slope.shape), rtol=1e-9)


def test_noise_is_as_stated_and_white():
    """16,008 numbers each: everything within four standard deviations of what so many tell."""
    push = PlanarScenario(force_noise=0.5)
    truth, columns = planar_truth(push, 7), Log(**_log(simulate_planar(push, 7)))
    for signal, true, stated in (("velocity", truth.contact_velocities, 0.2), ("force", truth.forces, 0.5)):
        noise = np.stack([columns.signal(f"r{i}", signal) for i in range(1, 5)], axis=1) - true
        assert abs(noise.std() / stated - 1) < 4 / np.sqrt(2 * noise.size)
        assert abs(noise.mean()) < 4 * stated / np.sqrt(noise.size)
        assert abs(np.mean(noise[1:] * noise[:-1])) < 4 * stated**2 / np.sqrt(noise.size)


def test_every_column_is_in_the_vocabulary_and_truth_is_where_robots_look():
    columns = simulate_planar(SHORT, 1)
    log, truth = Log(**_log(columns)), planar_truth(SHORT, 1)
    assert not log.unknown_columns
    assert log.robots == ("r1", "r2", "r3", "r4")
    np.testing.assert_allclose(log.truth("r2/com"), -truth.arms[:, 1])
    np.testing.assert_allclose(log.truth("inertia"), 8.6891)


def test_a_seed_is_a_push():
    first, again, other = (simulate_planar(SHORT, seed) for seed in (4, 4, 5))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["r1/force/x"], other["r1/force/x"])
    quiet = simulate_planar(dataclasses.replace(SHORT, velocity_noise=0.0), 4)
    np.testing.assert_array_equal(quiet["r1/force/x"], first["r1/force/x"])


def test_forces_of_the_caller_are_what_acts():
    rows = np.zeros((201, 4, 2))
    rows[:, :, 0] = np.linspace(0.0, 3.0, 201)[:, None]
    truth = planar_truth(SHORT, 0, rows)
    np.testing.assert_array_equal(truth.forces, rows)
    np.testing.assert_allclose(truth.velocity[-1], [4 * 1.5 * 2.0 / 5.0, 0.0], atol=1e-9)


def test_forces_that_turn_with_the_load_wind_it_up_evenly():
    """[icra15, Eq. (18)] step by step: k_z perp(z_i) has no sum, and its torque k_z Σ|z_i|² never changes.

    Each force keeps its world axes for a millisecond, and falls behind the load by half of what that turns: some 1e-6.
    """
    contacts, k_z = contacts_on("plate", 5), 0.5
    body = PlanarBody(contacts, 5.0, 8.6891)
    for _ in range(1000):
        c, s = np.cos(body.heading), np.sin(body.heading)
        z = (contacts - contacts.mean(axis=0)) @ np.array([[c, s], [-s, c]])
        forces = k_z * np.stack([-z[:, 1], z[:, 0]], axis=1)
        body.push(lambda seconds, forces=forces: forces, 1e-3)
    spin = k_z * np.sum((contacts - contacts.mean(axis=0)) ** 2) / 8.6891
    np.testing.assert_allclose(body.angular_velocity, spin, rtol=1e-5)
    np.testing.assert_allclose(body.velocity, 0.0, atol=1e-12)


def test_contacts_lie_on_the_outline_and_chance_moves_them():
    x, y = outline("plate").T
    area = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    assert abs(area - 6.75) < 1e-12  # m²: rounding
    even, random = contacts_on("disc", 6), contacts_on("disc", 6, np.random.default_rng(0))
    inner = np.cos(np.pi / 100) - 1e-12  # m: a disc is drawn with a hundred corners
    assert np.all(np.hypot(*even.T) >= inner)
    assert np.all(np.hypot(*random.T) >= inner)
    assert not np.allclose(even, random)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"robots": 0}, "--robots"),
        ({"mass": 0.0}, "--mass"),
        ({"inertia": -1.0}, "--inertia"),
        ({"velocity_noise": float("nan")}, "--velocity-noise"),
        ({"spin": float("inf")}, "--spin"),
        ({"drop_share": 1.0}, "--drop-share"),
        ({"drop_share": 0.3, "drop_time": 30.0}, "--drop-time"),
        ({"duration": 1e9}, "10,000,000"),
    ],
)
def test_impossible_pushes_are_told(field, said):
    with pytest.raises(BadInput, match=said):
        check_planar(PlanarScenario(**field))


def test_forces_of_another_shape_are_told():
    with pytest.raises(BadInput, match="forces"):
        planar_truth(SHORT, 0, np.zeros((5, 4, 2)))


def test_without_mujoco_a_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(BadInput, match=r"steelyard\[sim\]"):
        planar_truth(SHORT, 0)


def _log(columns: dict[str, np.ndarray]) -> dict:
    return {"time": columns["time"], "columns": {k: v for k, v in columns.items() if k != "time"}}
