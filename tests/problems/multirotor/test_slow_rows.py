"""Flights with few rows a second, and with few rows at all."""

import numpy as np
import pytest
from foreign_runs import at, noisy
from foreign_runs import flight as foreign_flight

import steelyard as sy
from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._blocks import integrals
from steelyard.problems.multirotor._motion import motion_of
from steelyard.problems.preflight._readings import means_between
from steelyard.worlds import MultirotorScenario, simulate


def slow_flight(seed: int, rate: float, position: bool) -> Log:
    """23 s of a flight of 1.2 kg with white noise."""
    flown = foreign_flight(seed)
    motion, time = flown.motion, np.arange(8.0, 31.0, 1.0 / rate)

    def sampled(values, std: float, draw: int) -> np.ndarray:
        return noisy(at(time, motion.time, values), std, 10 * seed + draw)

    signals = {
        "attitude": ("wxyz", sampled(motion.attitude, 5e-4, 1)),
        "linear_velocity": ("xyz", sampled(motion.velocity, 0.01, 2)),
    }
    if position:
        signals["position"] = ("xyz", sampled(motion.position, 1e-3, 4))
    columns = {f"r1/{name}/{a}": v for name, (axes, x) in signals.items() for a, v in zip(axes, x.T, strict=True)}
    return Log(time, columns | {"r1/thrust": sampled(flown.thrust, 0.02, 3)}, "slow")


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("seed", [1, 3])
def test_a_flight_of_8_rows_a_second_is_weighed_without_bias(seed: int, position: bool):
    """Straight lines between the rows put seeds 1 and 3 at -3.0 and -5.7 deviations and doubted the clock."""
    mass = sy.identify(slow_flight(seed, 8.0, position), "multirotor")["r1"].mass
    assert mass.status == "known"
    assert abs(mass.value - 1.2) < 3.5 * mass.std  # 1 of 2000 right answers is further off


def test_integrals_of_smooth_accelerations_are_right_to_fourth_order():
    columns = simulate(MultirotorScenario(duration=4.0), 0)
    log = Log(columns.pop("time"), columns, "flight")
    motion = motion_of(read_flight_record(log.without_truth(), "r1", Config()), (0.0, 0.0, -9.81))
    w, h = 20.0, float(np.median(np.diff(motion.time)))
    wave = np.cos(w * motion.time)[:, None] * np.ones(3)
    found, even = integrals(motion, wave), integrals(motion, np.ones((len(motion.time), 3)))
    expected = np.add.reduceat((np.sin(w * motion.time) - np.sin(w * motion.time[0])) * motion.weight, motion.starts)
    assert even[-1, 0] == pytest.approx(
        np.add.reduceat((motion.time - motion.time[0]) * motion.weight, motion.starts)[-1]
    )
    np.testing.assert_allclose(w * found[:, 0], expected, atol=(w * h) ** 4 + (w * h) ** 3 / 12.0)  # ends: third order


def test_means_between_samples_are_exact_for_cubics():
    t = np.arange(9.0)
    x = np.stack([1.0 - t + 0.3 * t**2 - 0.05 * t**3, t**3], axis=1)
    whole = np.stack([t - t**2 / 2 + 0.1 * t**3 - 0.0125 * t**4, t**4 / 4], axis=1)
    np.testing.assert_allclose(means_between(x)[1:-1], np.diff(whole, axis=0)[1:-1], rtol=1e-12)


@pytest.mark.parametrize("rows", [10, 25])
def test_a_tenth_of_a_second_is_answered(rows: int):
    columns = simulate(MultirotorScenario(duration=1.0), 0)
    time = columns.pop("time")
    log = Log(time[:rows], {name: column[:rows] for name, column in columns.items()}, "short")
    mass = sy.identify(log.without_truth(), "multirotor")["r1"].mass
    assert mass.value is None or abs(mass.value - 1.0) < 4.0 * mass.std
