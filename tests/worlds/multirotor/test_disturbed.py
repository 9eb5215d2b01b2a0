"""The world with what models lack: sizes and correlation of what is left over, and a referee for its swinging load."""

import dataclasses

import numpy as np
from earnest import in_earnest

from steelyard.worlds.multirotor import Disturbances, draw_disturbances, fly_disturbed


def left_over(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Acceleration beside weight and thrust along the vertical, as a share of the weight, means of 0.1 s."""
    R_zz = 1.0 - 2.0 * (columns["r1/attitude/x"] ** 2 + columns["r1/attitude/y"] ** 2)
    pushed = columns["r1/thrust"] * R_zz / columns["truth/mass"] - 9.81
    v = columns["r1/linear_velocity/z"]
    steps = (v[10:] - v[:-10]) / 0.1 - np.convolve(pushed, np.ones(10) / 10, "valid")[: len(v) - 10]
    return steps[::10] / 9.81


def test_without_disturbances_newton_holds():
    calm = Disturbances(rotor=1e-6, inflow=0.0, motor_noise=0.0, velocity_noise=0.0, attitude_noise=0.0, speed=0.3)
    rest = left_over(in_earnest(fly_disturbed, calm, 20.0, 1))
    assert np.abs(rest).max() < 0.01  # of the weight: what rates and thrust change within a row


def test_gusts_leave_what_real_drones_leave():
    """1 to 5 % of the weight, correlated over tenths of a second."""
    windy = dataclasses.replace(draw_disturbances(3), wind=3.0, speed=1.0, velocity_noise=0.002, load=0.0)
    rest = left_over(in_earnest(fly_disturbed, windy, 60.0, 3))
    assert 0.01 < rest.std() < 0.05
    assert np.corrcoef(rest[1:], rest[:-1])[0, 1] > 0.5


def test_a_load_swings_with_its_cable():
    """At rest but for a push: the body's velocity across has the pendulum's period, shorter for a heavier load."""
    hung = Disturbances(load=0.2, cable=0.25, wind=0.0, rotor=1e-6, motor_noise=0.0, velocity_noise=0.0, speed=2.0)
    columns = in_earnest(fly_disturbed, hung, 30.0, 2)
    assert np.isfinite(columns["r1/linear_velocity/x"]).all()
    bare = in_earnest(fly_disturbed, dataclasses.replace(hung, load=0.0), 30.0, 2)
    difference = columns["r1/linear_velocity/x"] - bare["r1/linear_velocity/x"]
    spectrum = np.abs(np.fft.rfft(difference * np.hanning(len(difference)))) ** 2
    frequency = np.fft.rfftfreq(len(difference), 0.01)
    band = (frequency > 0.6) & (frequency < 3.0)
    expected = np.sqrt(9.81 / 0.25 / 0.8) / (2 * np.pi)
    assert abs(frequency[band][np.argmax(spectrum[band])] - expected) < 0.35


def test_a_change_is_where_it_was_asked_for():
    changed = draw_disturbances(5, True)
    mass = in_earnest(fly_disturbed, changed, 60.0, 5)["truth/mass"]
    jump = int(np.argmax(np.abs(np.diff(mass))))
    assert abs(jump / 100.0 - changed.change_time) < 0.011  # s: a row
    assert mass[-1] / mass[0] == 1.0 + changed.change
