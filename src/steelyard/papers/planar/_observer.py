"""The observer of the centre of mass under random sinusoids and noise on ω, over many trials [icra15, Sec. VI]."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from steelyard.campaigns import in_processes
from steelyard.papers.planar._scenario import INERTIA, RATE
from steelyard.papers.planar._tuning import TUNING
from steelyard.papers.planar.robots import CenterObserver, observer_step
from steelyard.worlds import PlanarScenario, PlanarTruth, planar_truth

PUSH = PlanarScenario(inertia=INERTIA, duration=40.0, rate=RATE, spin=1.0, force=4.0)
"""The motion: random amplitudes, frequencies and phases for every component of every force."""


@dataclasses.dataclass(frozen=True)
class Scatter:
    """RMS error of the observed z_C in world axes over trials, m."""

    level: float
    x: float
    y: float


def observer_table(seeds: Sequence[int], advance: Callable[[int], None] = lambda steps: None) -> list[Scatter]:
    """For each noise level, over a motion a seed; every level sees the same motions."""
    squares = np.zeros((len(TUNING.gyro_noises), 2))
    for found in in_processes(observer_trial, seeds):
        squares += found / len(seeds)
        advance(1)
    return [Scatter(level, *np.sqrt(row).tolist()) for level, row in zip(TUNING.gyro_noises, squares, strict=True)]


def observer_trial(seed: int) -> np.ndarray:
    """Mean squares of the error of z_c (level, 2), m², in one motion."""
    truth = planar_truth(PUSH, seed)
    noise = np.random.default_rng([seed, 25]).standard_normal(len(truth.time))
    return np.array([observed_error(truth, truth.angular_velocity + level * noise) for level in TUNING.gyro_noises])


def observed_error(truth: PlanarTruth, omega: np.ndarray) -> np.ndarray:
    """Mean squares of the error of z_C, x and y, over the end of a motion, from ω as measured."""
    dt = 1.0 / RATE
    arms = truth.arms[..., 0] + 1j * truth.arms[..., 1]
    forces = truth.forces[..., 0] + 1j * truth.forces[..., 1]
    f_bar = forces.sum(axis=1) / INERTIA
    middle = arms.mean(axis=1)
    # η: the torque of what each robot adds to the mean force, about the middle of the contacts.
    eta = np.sum(np.conj(arms - middle[:, None]) * (forces - forces.mean(axis=1)[:, None]), axis=1).imag / INERTIA
    state = CenterObserver(0j, float(omega[0]))
    errors = np.zeros(len(omega), complex)
    f_mid, eta_mid = 0.5 * (f_bar[1:] + f_bar[:-1]), 0.5 * (eta[1:] + eta[:-1])
    rows = zip(omega[:-1].tolist(), omega[1:].tolist(), f_mid.tolist(), eta_mid.tolist(), strict=True)
    for k, (before, after, force, torque) in enumerate(rows, start=1):
        state = observer_step(state, before, after, force, torque, TUNING.observer_gain, dt)
        errors[k] = state.z_c
    late = slice(-round(TUNING.observer_end * len(omega)), None)
    left = errors[late] - middle[late]
    return np.array([np.mean(left.real**2), np.mean(left.imag**2)])
