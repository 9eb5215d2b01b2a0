"""Two signals of one motion: delay, drift, rotation and scale come back, with deviations that cover the error."""

import numpy as np
import pytest

from steelyard.logs.mapping import Track
from steelyard.logs.mapping._compare import align, averaged, compare, compare_axes
from steelyard.logs.mapping._delays import shift
from steelyard.logs.mapping._rotations import SIGNED_PERMUTATIONS, body_rates, matrices, quaternions


def motion(t: np.ndarray) -> np.ndarray:
    """Three axes that move in their own ways, rad/s."""
    waves = ((0.5, 0.0), (0.8, 1.0), (1.3, 2.0))
    return np.stack([np.sin(2 * np.pi * f * t + p) + 0.5 * np.cos(2 * np.pi * 1.7 * f * t) for f, p in waves], axis=1)


def tracks(delay: float, noise: float, seed: int, drift: float = 0.0, seconds: float = 30.0) -> tuple[Track, Track]:
    """The motion at 100 Hz, and at 250 Hz seen late."""
    rng = np.random.default_rng(seed)
    t, u = np.arange(0, seconds, 0.01), np.arange(0, seconds, 0.004)
    late = motion((u - delay) / (1 + drift))
    return (
        Track(t, motion(t) + noise * rng.normal(size=(len(t), 3))),
        Track(u, late + noise * rng.normal(size=(len(u), 3))),
    )


@pytest.mark.parametrize("delay", [-0.04, 0.0, 0.0084])
def test_a_delay_is_found_to_two_milliseconds_and_its_deviation_covers_the_error(delay: float):
    errors = []
    for seed in range(6):
        x, y = tracks(delay, noise=0.2, seed=seed)
        found = shift(x, y, compare(x, y, 0.3, free=False))
        assert found is not None
        assert abs(found.delay - delay) < 0.002  # s: asked
        errors.append((found.delay - delay) / found.std)
    assert np.max(np.abs(errors)) < 3.0  # the largest of six: by chance 1.6 %, and seeds are fixed


def test_a_drift_is_found_and_none_is_made_up():
    x, y = tracks(0.01, noise=0.05, seed=1, drift=400e-6)
    found = shift(x, y, compare(x, y, 0.3, free=False))
    assert found is not None
    assert abs(found.drift - 400e-6) < 4 * found.drift_std
    x, y = tracks(0.01, noise=0.05, seed=1)
    found = shift(x, y, compare(x, y, 0.3, free=False))
    assert found is not None
    assert found.drift == 0.0


def test_every_permutation_of_axes_comes_back():
    x, y = tracks(0.02, noise=0.1, seed=2, seconds=15.0)
    for R in SIGNED_PERMUTATIONS[::5]:
        found = compare_axes(x, Track(y.time, 57.3 * y.values @ R.T), 0.3)
        np.testing.assert_allclose(found.R, R, atol=0.05)
        # Noise of 0.1 beside a motion of variance 0.6: it shortens a slope by 1.6 %, and leaves a coherence of 0.97.
        assert abs(found.scale / 57.3 - 1.0) < 0.016
        assert found.coherence > 0.97


def test_a_wrong_sign_is_a_mirror_image():
    x = motion(np.arange(0, 10, 0.01))
    found = align(x, -x)
    assert found.mirrored == pytest.approx(1.0)
    assert found.coherence < 0.7  # no rotation undoes a mirror: one axis of three stays wrong


def test_means_over_windows_are_those_of_the_integral():
    time = np.sort(np.random.default_rng(3).uniform(0, 10, 2000))
    means = averaged(time, np.stack([time**2], axis=1), np.array([2.0, 5.0]), 0.5)
    exact = [t**2 + 0.5**2 / 12 for t in (2.0, 5.0)]
    np.testing.assert_allclose(means[:, 0], exact, rtol=1e-3)


def test_nothing_is_averaged_over_a_gap():
    time = np.concatenate([np.arange(0, 2, 0.01), np.arange(4, 6, 0.01)])
    means = averaged(time, np.ones((len(time), 1)), np.array([1.0, 3.0, 5.0]), 0.1)
    assert np.isfinite(means[[0, 2]]).all()
    assert np.isnan(means[1]).all()


def test_body_rates_are_those_that_turned_the_body():
    omega, dt = np.array([0.3, -0.5, 0.8]), 0.01
    angle = np.linalg.norm(omega) * dt
    axis = omega / np.linalg.norm(omega)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    step = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    R = [np.eye(3)]
    for _ in range(700):
        R.append(R[-1] @ step)
    q = quaternions(np.stack(R))
    np.testing.assert_allclose(matrices(q), np.stack(R), atol=1e-9)
    _, rates = body_rates(np.arange(len(q)) * dt, q)
    np.testing.assert_allclose(rates, np.tile(omega, (len(rates), 1)), atol=1e-9)
