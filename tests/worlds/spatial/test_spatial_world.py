"""The held load: MuJoCo moves it; Newton and Euler, written here anew, referee sensors and wrenches."""

import dataclasses

import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.worlds import SpatialScenario, check_spatial, simulate_spatial, spatial_truth

EXACT = SpatialScenario(duration=1.5, sensors="exact", robots=3)


def total_about_com(truth, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Torque about the centre of mass and force of all robots, in robot i's sensor axes."""
    R_iw = np.swapaxes(truth.attitude[:, i], 1, 2)
    torque, force = 0.0, 0.0
    for j in range(truth.wrenches.shape[1]):
        R_ij = R_iw @ truth.attitude[:, j]
        tau, F = truth.wrenches[:, j, :3], truth.wrenches[:, j, 3:]
        torque = torque + np.einsum("tab,tb->ta", R_ij, tau - np.cross(truth.com[:, j], F))
        force = force + np.einsum("tab,tb->ta", R_ij, F)
    return torque, force


@pytest.mark.parametrize("hold", [EXACT, dataclasses.replace(EXACT, robots=1, drop_share=0.3, drop_time=0.7)])
def test_accelerometers_and_wrenches_obey_newton_and_euler(hold):
    truth = spatial_truth(hold, 4)
    for i in range(hold.robots):
        omega, s, c, I = truth.readings[:, i, :3], truth.readings[:, i, 6:], truth.com[:, i], truth.inertia[:, i]
        torque, force = total_about_com(truth, i)
        spun = np.cross(omega, np.einsum("tab,tb->ta", I, omega))
        alpha = np.linalg.solve(I, (torque - spun)[..., None])[..., 0]
        felt = force / truth.mass[:, None] - np.cross(alpha, c) - np.cross(omega, np.cross(omega, c))
        np.testing.assert_allclose(s, felt, atol=1e-9)


def test_an_accelerometer_reads_the_change_of_velocity_less_gravity():
    """Over a second, in world axes: v(t) - v(0) = ∫ R s + g dt; Simpson's rule at 400 Hz is good to 1e-6."""
    hold = dataclasses.replace(EXACT, rate=400.0, duration=1.0)
    truth = spatial_truth(hold, 2)
    for i in range(3):
        R = truth.attitude[:, i]
        v, s = (np.einsum("tab,tb->ta", R, truth.readings[:, i, k : k + 3]) for k in (3, 6))
        a = s + np.array([0.0, 0.0, -9.81])
        gained = (a[0:-1:2] + 4 * a[1::2] + a[2::2]).sum(axis=0) / (3 * hold.rate)
        np.testing.assert_allclose(v[-1] - v[0], gained, atol=1e-6)


def test_every_frame_of_the_load_moves_with_it():
    truth = spatial_truth(EXACT, 1)
    omega = np.einsum("tiab,tib->tia", truth.attitude, truth.readings[..., :3])
    np.testing.assert_allclose(omega[:, 1:], np.broadcast_to(omega[:, :1], omega[:, 1:].shape), atol=1e-12)
    v = np.einsum("tiab,tib->tia", truth.attitude, truth.readings[..., 3:6])
    arm = np.einsum("tiab,tib->tia", truth.attitude, -truth.com)  # from the centre of mass
    of_com = v - np.cross(omega, arm)
    np.testing.assert_allclose(of_com[:, 1:], np.broadcast_to(of_com[:, :1], of_com[:, 1:].shape), atol=1e-12)


def test_without_wrenches_momentum_and_energy_stay():
    hold = dataclasses.replace(EXACT, motion="free", weightless=True, spin=2.0, robots=1)
    truth = spatial_truth(hold, 0)
    assert not truth.wrenches.any()
    omega, I = truth.readings[:, 0, :3], truth.inertia[:, 0]
    spin = np.einsum("tab,tbc,tc->ta", truth.attitude[:, 0], I, omega)
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=1e-8)
    energy = 0.5 * np.einsum("ta,tab,tb->t", omega, I, omega)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)
    assert np.abs(omega - omega[0]).max() > 0.1  # it tumbles
    np.testing.assert_allclose(truth.position, 0.0, atol=1e-9)


def test_let_go_it_falls():
    truth = spatial_truth(dataclasses.replace(EXACT, motion="free", robots=1), 0)
    np.testing.assert_allclose(truth.position[:, 2], -0.5 * 9.81 * truth.time**2, atol=1e-6)
    np.testing.assert_allclose(truth.readings[:, 0, 6:], 0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("motion", "turning"),
    [("no-turning", (0, 0, 0)), ("one-axis", (0, 0, 1)), ("in-plane", (0, 0, 1)), ("still", None)],
)
def test_poor_motions_are_as_poor_as_said(motion, turning):
    truth = spatial_truth(dataclasses.replace(EXACT, motion=motion), 5)
    omega = np.einsum("tab,tb->ta", truth.attitude[:, 0], truth.readings[:, 0, :3])
    moves = np.abs(omega).max(axis=0) > 1e-9
    np.testing.assert_array_equal(moves, np.array(turning or (0, 0, 0), bool))
    assert (np.abs(truth.position).max() > 1e-9) == (motion != "still")  # m: rounding
    assert motion != "in-plane" or np.abs(truth.position[:, 2]).max() < 1e-9


def test_a_load_that_is_shaken_stays_where_it_is_held():
    """Within three metres in six seconds (free fall is 177 m), turning at a radian a second or so, as arms do."""
    truth = spatial_truth(SpatialScenario(duration=6.0, sensors="exact"), 3)
    assert np.abs(truth.position).max() < 3.0
    assert 0.3 < np.sqrt(np.mean(truth.readings[:, 0, :3] ** 2)) < 2.0


def test_what_breaks_off_is_gone_and_what_is_left_is_possible():
    hold = dataclasses.replace(EXACT, drop_share=0.4, drop_time=0.75)
    truth = spatial_truth(hold, 6)
    after = truth.time >= 0.75
    np.testing.assert_allclose(truth.mass, np.where(after, 1.2, 2.0))
    np.testing.assert_allclose(np.linalg.norm(truth.com[-1] - truth.com[0], axis=1), 0.2 * hold.length)
    moments = np.linalg.eigvalsh(truth.inertia[-1, 0])
    np.testing.assert_allclose(np.sort(moments), np.sort(0.1 * np.array([1.17, 0.8784, 1.3284])), rtol=1e-9)
    speed = np.linalg.norm(truth.readings[:, 0, 3:6], axis=1)
    assert np.abs(np.diff(speed)).max() < 1.0  # nothing jumps but the load


def test_noise_and_bias_are_as_stated():
    """Everything within four standard deviations of what so many numbers tell."""
    hold = SpatialScenario(duration=2.0, robots=2, bias=3.0, force_noise=0.7)
    truth, log = spatial_truth(hold, 7), _log(simulate_spatial(hold, 7))
    measured = np.concatenate([truth.readings, truth.wrenches], axis=-1)
    signals = ("twist/angular", "twist/linear", "specific_force", "wrench/torque", "wrench/force")
    for k, (signal, size) in enumerate(zip(signals, (0.4, 0.4, 0.4, 0.4, 0.7), strict=True)):
        error = np.stack([log.signal(f"r{i}", signal) for i in (1, 2)], axis=1) - measured[..., 3 * k : 3 * k + 3]
        noise = error - error.mean(axis=0)
        assert abs(noise.std() / size - 1) < 4 / np.sqrt(2 * noise.size)
        np.testing.assert_allclose(np.abs(error.mean(axis=0)), 3 * size, atol=4 * size / np.sqrt(len(error)))


def test_every_column_is_in_the_vocabulary_and_poses_lead_to_the_neighbours():
    log, truth = _log(simulate_spatial(EXACT, 1)), spatial_truth(EXACT, 1)
    assert not log.unknown_columns
    assert log.robots == ("r1", "r2", "r3")
    np.testing.assert_allclose(log.truth("r2/com"), truth.com[:, 1])
    position = log.truth("r1/pose/r2/position")[0]
    R_12 = truth.turns[0].T @ truth.turns[1]
    np.testing.assert_allclose(truth.com[0, 0], R_12 @ truth.com[0, 1] + position, atol=1e-12)
    w, x, y, z = log.truth("r1/pose/r2/attitude")[0]
    np.testing.assert_allclose(2 * (x * y - w * z), R_12[0, 1], atol=1e-12)


def test_a_seed_is_a_hold():
    first, again, other = (simulate_spatial(dataclasses.replace(EXACT, duration=0.2), seed) for seed in (4, 4, 5))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["r1/wrench/force/x"], other["r1/wrench/force/x"])


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"robots": 0}, "--robots"),
        ({"mass": 0.0}, "--mass"),
        ({"length": -1.0}, "--length"),
        ({"force_noise": float("nan")}, "--force-noise"),
        ({"spin": float("inf")}, "--spin"),
        ({"drop_share": 0.95}, "--drop-share"),
        ({"drop_share": 0.3, "drop_time": 30.0}, "--drop-time"),
        ({"duration": 1e9}, "3,000,000"),
    ],
)
def test_impossible_holds_are_told(field, said):
    with pytest.raises(BadInput, match=said):
        check_spatial(SpatialScenario(**field))


def _log(columns: dict[str, np.ndarray]) -> Log:
    return Log(columns["time"], {name: values for name, values in columns.items() if name != "time"})
