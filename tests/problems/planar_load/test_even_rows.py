"""Rows at uneven times become rows at even ones, without a half step's error."""

import numpy as np
import pytest

from steelyard.estimators import Estimate
from steelyard.problems.planar_load._even_rows import even_rows, usual_step
from steelyard.problems.planar_load._method import _angle_until


def _signals(time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and forces of two robots, (n, robot, 2)."""
    phases = np.array([[0.0, 1.0], [2.0, 3.0]])
    return np.sin(2.0 * time[:, None, None] + phases), 3.0 * np.cos(4.0 * time[:, None, None] + phases)


def _mean_force(time: np.ndarray, step: float) -> np.ndarray:
    phases = np.array([[0.0, 1.0], [2.0, 3.0]])
    integral = [0.75 * np.sin(4.0 * t[:, None, None] + phases) for t in (time, time - step)]
    return (integral[0] - integral[1]) / step


def test_even_rows_stay_as_they_are() -> None:
    time = 5.0 + 0.01 * np.arange(200)
    v, f = _signals(time)
    found = even_rows(time, v, f, held=False)
    assert np.array_equal(found.time, time)
    assert np.array_equal(found.velocity, v)
    assert np.array_equal(found.force[1:], 0.5 * (f[1:] + f[:-1]))


@pytest.mark.parametrize("lost", [0.2, 0.6])
def test_lost_rows_are_blank_and_their_forces_lie_between(lost: float) -> None:
    chance = np.random.default_rng(3)
    kept = np.flatnonzero(chance.random(2000) >= lost)
    time = 0.01 * kept
    assert usual_step(time) == pytest.approx(0.01)
    found = even_rows(time, *_signals(time), held=False)
    assert np.allclose(np.diff(found.time), 0.01)
    there = np.isfinite(found.velocity[:, 0, 0])
    assert np.array_equal(np.round(found.time[there] / 0.01), kept)
    assert np.allclose(found.velocity[there], _signals(time)[0])
    gap = np.diff(time).max()
    line = 48.0 * gap**2 / 8.0  # N: how far a straight line over the longest gap would be off
    assert np.abs(found.force[1:] - _mean_force(found.time, 0.01)[1:]).max() < 0.2 * line


def test_velocities_of_uneven_times_move_along_their_gradient() -> None:
    chance = np.random.default_rng(4)
    time = 0.01 * np.arange(2000) + 0.0045 * chance.uniform(-1.0, 1.0, 2000)
    found = even_rows(time, *_signals(time), held=False)
    true, there = _signals(found.time)[0], np.isfinite(found.velocity)
    rounded = np.abs(_signals(time)[0] - _signals(time[0] + 0.01 * np.round((time - time[0]) / 0.01))[0])
    error = np.abs(found.velocity - true)[there]
    # Of second order in the shift of a row, where rounding to the nearest row is of first.
    assert np.sqrt(np.mean(error**2)) < 0.05 * np.sqrt(np.mean(rounded**2))
    step = float(np.median(np.diff(found.time)))
    off = found.force[1:] - _mean_force(found.time, step)[1:]
    assert np.sqrt(np.mean(off**2)) < 1e-6  # N: rounding of times


def test_a_long_gap_has_no_rows_and_held_forces_are_held() -> None:
    time = np.concatenate([0.01 * np.arange(100), 3.0 + 0.01 * np.arange(100)])
    v, f = _signals(time)
    found = even_rows(time, v, f, held=True)
    assert len(found.time) == 200
    assert np.allclose(found.force[1:100], f[:99])
    assert np.allclose(found.force[101:], f[100:-1])


def test_an_unknown_force_stays_unknown() -> None:
    time = np.delete(0.01 * np.arange(300), [7])
    v, f = _signals(time)
    f[100:150, 1] = np.nan
    found = even_rows(time, v, f, held=False)
    unknown = np.isnan(found.force[:, 1, 0])
    assert unknown[101:152].all()
    assert unknown.sum() == 51
    assert np.isfinite(found.force[:, 0]).all()


def test_noisy_times_are_no_lost_rows() -> None:
    """Steps of 1 to 19 ms were taken for rows every 5 ms of which half were lost."""
    chance = np.random.default_rng(4)
    time = 0.01 * (np.arange(2000) + 0.45 * chance.uniform(-1.0, 1.0, 2000))
    assert usual_step(time) == pytest.approx(0.01, rel=0.02)
    found = even_rows(time, *_signals(time), held=False)
    assert np.allclose(
        found.time, 0.01 * np.arange(2000), atol=5e-4
    )  # four deviations of a line through times that are 2.6 ms off


def test_a_robot_that_repeats_its_last_estimate_is_rotated_to_the_last_row() -> None:
    """It was not, where the last twelve estimates were of one time: ten deviations off."""

    def at(time: float) -> dict[str, Estimate]:
        return {"com": Estimate.known(np.array([np.cos(2.0 * time), np.sin(2.0 * time)]), np.ones(2), "m", "r1", time)}

    history = [at(time) for time in (0.7, 0.8, 0.9)] + [at(1.0)] * 40
    assert _angle_until(history, 1.03) == pytest.approx(0.06)
