"""The wrist's world: MuJoCo's readings obey Newton and Euler, sensor errors are what was asked for."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from steelyard.errors import BadInput
from steelyard.worlds.wrist import WristScenario, check_wrist, simulate_wrist, wrist_truth

EXACT = WristScenario(duration=3.0, sensors="exact", orientation=True, com_x=0.05, com_y=-0.03, tilt=30.0)


@pytest.mark.parametrize("motion", ["gentle", "wild", "carry", "still"])
def test_mujocos_wrench_is_that_of_newton_and_euler(motion):
    truth = wrist_truth(dataclasses.replace(EXACT, motion=motion), 1)
    load, omega, alpha = truth.loads[0], truth.motion.gyro, truth.acceleration
    at_com = truth.motion.accelerometer + np.cross(alpha, load.com) + np.cross(omega, np.cross(omega, load.com))
    force = load.mass * at_com
    torque = alpha @ load.inertia + np.cross(omega, omega @ load.inertia) + np.cross(load.com, force)
    # The angular acceleration is a central difference over 0.2 ms: 1e-8 of the motion's third derivatives is left, and
    # 1e-4 of a jump of the jerk (60 step / move³, some 30 rad/s³) where a move from pose to pose begins.
    atol = 3e-3 if motion == "carry" else 1e-6
    np.testing.assert_allclose(truth.wrench.force, force, atol=atol)
    np.testing.assert_allclose(truth.wrench.torque, torque, atol=atol)


def test_velocity_and_orientation_are_integrals_of_what_the_inertial_sensor_reads():
    truth = wrist_truth(EXACT, 2)
    turns = Rotation.from_quat(truth.motion.quaternion[:, [1, 2, 3, 0]])
    dt = truth.time[1]
    mean = 0.5 * (truth.motion.gyro[1:] + truth.motion.gyro[:-1])
    assert ((turns[:-1].inv() * turns[1:]).as_rotvec() / dt - mean).std() < 1e-3  # rad/s: the trapezoidal rule's error
    world, acceleration = turns.apply(truth.motion.velocity), turns.apply(truth.motion.accelerometer)
    expected = 0.5 * (acceleration[1:] + acceleration[:-1]) - np.array([0.0, 0.0, 9.81])
    np.testing.assert_allclose(np.diff(world, axis=0) / dt, expected, atol=5e-3)


def test_a_gentle_motion_is_gentle_and_a_wild_one_wild():
    for motion, turning in (("gentle", 0.5), ("wild", 3.0)):
        omega = wrist_truth(dataclasses.replace(EXACT, motion=motion, duration=10.0), 3).motion.gyro
        assert np.sqrt(np.mean(np.sum(omega**2, axis=1))) == pytest.approx(turning, rel=0.05)


def test_sensor_errors_are_what_was_asked_for():
    """Offset, bias, scale, rotation, lever arm and delay each change the log in its own way."""
    plain = _signals(simulate_wrist(EXACT, 4))
    offset = _signals(simulate_wrist(dataclasses.replace(EXACT, force_offset=10.0, accelerometer_bias=0.2), 4))
    shift = offset["wrench/force"] - plain["wrench/force"]
    assert np.linalg.norm(shift[0]) == pytest.approx(10.0)
    assert np.ptp(shift, axis=0).max() < 1e-9
    assert np.linalg.norm((offset["specific_force"] - plain["specific_force"])[0]) == pytest.approx(0.2)
    turned = _signals(simulate_wrist(dataclasses.replace(EXACT, mounting=3.0), 4))
    R, _ = Rotation.align_vectors(turned["twist/angular"], plain["twist/angular"])
    assert np.degrees(R.magnitude()) == pytest.approx(3.0, abs=1e-6)
    np.testing.assert_allclose(turned["wrench/force"], plain["wrench/force"], atol=1e-12)
    late = _signals(simulate_wrist(dataclasses.replace(EXACT, delay=0.02), 4))
    np.testing.assert_allclose(late["twist/angular"][2:], plain["twist/angular"][:-2], atol=1e-9)
    np.testing.assert_allclose(late["wrench/force"], plain["wrench/force"], atol=1e-12)


def test_what_is_picked_up_is_there_until_it_is_put_down():
    scenario = dataclasses.replace(EXACT, pick_mass=0.4, pick_time=1.0, put_time=2.0)
    columns = simulate_wrist(scenario, 5)
    mass, time = columns["truth/mass"], columns["time"]
    np.testing.assert_allclose(mass, np.where((time >= 1.0) & (time < 2.0), 1.4, 1.0))
    still = simulate_wrist(dataclasses.replace(scenario, motion="still"), 5)
    force = np.linalg.norm(_signals(still)["wrench/force"], axis=1)
    np.testing.assert_allclose(force, 9.81 * mass, rtol=1e-9)


def test_a_push_is_what_the_sensor_misses():
    pushed = dataclasses.replace(EXACT, motion="still", touch_force=2.0, touch_time=1.0, touch_length=1.0)
    calm = _signals(simulate_wrist(dataclasses.replace(pushed, touch_force=0.0), 6))["wrench/force"]
    change = np.linalg.norm(_signals(simulate_wrist(pushed, 6))["wrench/force"] - calm, axis=1)
    assert change[150] == pytest.approx(2.0)
    assert max(change[:100].max(), change[201:].max()) == 0.0


@pytest.mark.parametrize("settings", [{"mass": 0.0}, {"rate": 1.0}, {"lever": -0.1}, {"com_x": float("nan")}])
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(BadInput, match="give a"):
        check_wrist(dataclasses.replace(EXACT, **settings))


def _signals(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    names = ("wrench/force", "wrench/torque", "twist/angular", "specific_force")
    return {name: np.stack([columns[f"r1/{name}/{axis}"] for axis in "xyz"], axis=1) for name in names}
