"""Motion, load and sensor errors that explain all readings best: maximum likelihood by Gauss-Newton.

The motion is a spline whose coefficients are unknowns like the others, so no reading is differentiated, errors of every
sensor count where they belong, and each sample is taken at its own time. The covariance of the load follows from the
Schur complement: the motion's own uncertainty is in it.
"""

import dataclasses
import functools

import numpy as np

from steelyard.problems.rigid_body._checks import Check, CheckedBlocks, with_checks, with_columns
from steelyard.problems.rigid_body._gauss_newton import converged, roughly_converged
from steelyard.problems.rigid_body._noise import coloured_rows, excess_of, followed_by_motion, probes_of
from steelyard.problems.rigid_body._normal_equations import Solution, products, solve
from steelyard.problems.rigid_body._problem import Problem, State
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import wrench_regressor
from steelyard.problems.rigid_body._timing import Lag, lag_of
from steelyard.problems.rigid_body._trajectory import Trajectory
from steelyard.problems.rigid_body._tuning import NUMERICS, TUNING, FitTuning
from steelyard.problems.rigid_body._unknowns import Layout, Unknowns


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """The likeliest motion, load and sensor errors."""

    problem: Problem
    state: State
    covariance: np.ndarray
    """(size, size), of the unknowns."""
    information: np.ndarray
    """(size, size), of the unknowns, where each channel is as noisy as `excess` says, if that is more than assumed."""
    rows: dict[str, np.ndarray]
    """By signal, (n, k, size): derivatives of each reading by the unknowns, once the motion has followed."""
    residuals: dict[str, np.ndarray]
    """By signal, (n, k): expected less measured, in standard deviations."""
    excess: dict[str, np.ndarray]
    """By signal, (k,): variance of the misfit over the assumed one, in the band of the motion."""
    lag: Lag | None
    """Of the accelerometer, over its whole bandwidth; None where it was not looked for or not found."""
    checks: tuple[Check, ...]
    """Errors that no sensor should have, as this fit would have them."""

    @property
    def record(self) -> WristRecord:
        """The samples, as they were fitted."""
        return self.problem.record

    @property
    def unknowns(self) -> Unknowns:
        """Load and sensor errors."""
        return self.state.unknowns

    @property
    def at(self) -> Layout:
        """Where the unknowns lie in their vector."""
        return self.problem.at

    @property
    def trajectory(self) -> Trajectory:
        """The motion."""
        return self.state.motion

    @property
    def spacing(self) -> float:
        """s, between knots."""
        return self.problem.spacing

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """By signal, (n,): 0 for outliers, else 1."""
        return self.state.weights

    @property
    def converged(self) -> bool:
        """Whether the last step was small."""
        return self.state.converged

    @property
    def load_covariance(self) -> np.ndarray:
        """(10, 10)."""
        return self.covariance[:10, :10]

    def expected_wrench(self, time: np.ndarray) -> np.ndarray:
        """(n, 6): torque and force at other times (s), offsets included."""
        return self._regressor(time) @ self.unknowns.carried + self.unknowns.offsets(time)

    def expected_wrench_std(self, time: np.ndarray) -> np.ndarray:
        """(n, 6): standard deviations of it, as far as load and constant offsets are uncertain."""
        Y = self._regressor(time)
        if "force_offset" in self.at:
            Y = np.concatenate([Y, np.broadcast_to(np.eye(6), (len(time), 6, 6))], axis=2)
        size = Y.shape[2]  # the load's numbers and those of the offsets are the first
        return np.sqrt(np.maximum(np.sum((Y @ self.covariance[:size, :size]) * Y, axis=2), 0.0))

    def _regressor(self, time: np.ndarray) -> np.ndarray:
        motion = self.trajectory
        parts = (motion.specific_force, motion.angular, motion.angular_acceleration)
        s, omega, alpha = (
            np.stack([np.interp(time, motion.time, part[:, a]) for a in range(3)], axis=1) for part in parts
        )
        return wrench_regressor(s, omega, alpha)

    def std(self, name: str) -> np.ndarray:
        """Standard deviations of an unknown; NaN where rounding left no variance, which nothing takes for known."""
        variance = np.diag(self.covariance)[self.at[name]]
        return np.sqrt(np.where(variance >= 0.0, variance, np.nan))


def fit_record(record: WristRecord, tuning: FitTuning = TUNING) -> Fit:
    """The joint fit of everything in a record.

    Where noise was not stated, wrists are taken for rigid up to 10 Hz. The faster part of a motion tells time best, and
    mass worst, for tools flex: the accelerometer's delay is expected where the whole bandwidth shows it.
    """
    lag = None
    if not record.all_stated:
        lag = None if record.calibrated else lag_of(record, tuning)
        record = record.averaged(tuning.least_spacing / tuning.most_samples)
    problem, state = _with_knots(Problem.of(record, tuning, lag))
    problem = dataclasses.replace(problem, held=False)
    state = converged(problem, state, tuning.rounds)
    if not problem.measures_velocity:
        problem, state = _at_its_own_speed(problem, state)
    return fit_at(problem, state, lag)


def _with_knots(problem: Problem) -> tuple[Problem, State]:
    """Knots that come closer together while the misfit falls by more than the added freedom explains."""
    state = roughly_converged(problem, problem.start())
    for spacing in closer_spacings(problem):
        tried = dataclasses.replace(problem, spacing=spacing)
        closer = roughly_converged(tried, tried.resampled(state))
        if not explains_better(tried, closer, problem, state):
            break
        problem, state = tried, closer
    return problem, state


def closer_spacings(problem: Problem) -> list[float]:
    """s: those that are still to be tried."""
    record, tuning = problem.record, problem.tuning
    least = tuning.rows_a_knot * min(float(np.median(np.diff(c.time))) for c in record.channels.values())
    if not record.all_stated:
        least = max(least, tuning.least_spacing)
    return [h for h in tuning.spacings if least <= h < problem.spacing]


def explains_better(closer: Problem, tried: State, problem: Problem, state: State) -> bool:
    """Mallows' Cp: whether closer knots lower the misfit by more than twice their coefficients, times its variance."""
    cost = closer.cost(tried)
    added = 6.0 * (tried.spline.size - state.spline.size)
    return problem.cost(state) - cost > 2.0 * added * closer.misfit_a_reading(cost)


def _at_its_own_speed(problem: Problem, state: State) -> tuple[Problem, State]:
    """Where no velocity was measured: its prior is twice what the fit finds, looked for until both agree.

    A wrist that sways by 0.2 m/s does not gain 3 m/s on the way. Without this, its mean acceleration is as uncertain as
    3 m/s over the length of the log, which is several per cent of gravity, and so is the mass. A speed that would need
    larger sensor errors is not assumed.
    """
    tuning = problem.tuning
    most = problem.sensor_errors(state) + tuning.speed_misfit
    for _ in range(tuning.speed_rounds):
        speed = expected_speed(state, tuning)
        if abs(speed - problem.speed) < 0.1 * problem.speed:
            break
        slower = dataclasses.replace(problem, speed=speed)
        tried = converged(slower, state, 1)
        if slower.sensor_errors(tried) > most:
            break
        problem, state = slower, tried
    return problem, state


def expected_speed(state: State, tuning: FitTuning) -> float:
    """m/s an axis: twice what a fit finds."""
    found = float(np.sqrt(np.mean(np.sum(state.motion.velocity[state.rows["knots"]] ** 2, axis=1)) / 3.0))
    return float(np.clip(2.0 * found, tuning.least_speed, tuning.speed))


@dataclasses.dataclass(frozen=True, eq=False)
class Linearised:
    """A problem at a point: the equations of its step, with errors that no sensor should have as further unknowns."""

    weights: list[np.ndarray]
    """Of the rows of each block."""
    looked: CheckedBlocks
    probes: np.ndarray
    """Random signs as readings of the wrench, which the unknowns after the errors take."""
    both: Solution
    """With the errors free and the probes held."""

    @functools.cached_property
    def step(self) -> Solution:
        """That of the fit, which has none of these errors."""
        return self.both.of_first(self.size)

    @property
    def size(self) -> int:
        """Number of unknowns of the fit."""
        return self.looked.size


def linearised(problem: Problem, state: State) -> Linearised:
    """At a state."""
    blocks, weights = problem.blocks(state)
    looked = with_checks(problem, state, blocks)
    probes, count = probes_of(blocks[0], problem.tuning.probes), len(looked.prior)
    probed = with_columns(looked.blocks[0], probes, np.arange(count, count + problem.tuning.probes))
    prior = np.concatenate([looked.prior, np.full(problem.tuning.probes, NUMERICS.held_std)])
    now = np.zeros(len(prior))
    now[: looked.size] = state.unknowns.vector(problem.at)
    looked = dataclasses.replace(looked, blocks=[probed, *looked.blocks[1:]])
    return Linearised(weights, looked, probes, solve(looked.blocks, weights, state.spline, prior, now))


def fit_at(problem: Problem, state: State, lag: Lag | None, at: Linearised | None = None) -> Fit:
    """What a state tells of the unknowns: covariance and misfit there; and errors that no sensor should have.

    `at` is linearised where the last step began, if that step was so small that the derivatives are the same.
    """
    at = linearised(problem, state) if at is None else at
    size, count, looked, both, weights = at.size, len(at.looked.prior), at.looked, at.both, at.weights
    wrench, free = both.effective(looked.blocks[:1])[0], both.of_first(count)
    followed = followed_by_motion(at.probes, wrench[:, :, count:], weights[0])
    rows = [wrench[:, :, :count], *free.effective(looked.blocks[1:])]
    residuals = problem.residuals(state)
    excess = excess_of(problem.record, residuals, state.weights, problem.spacing, problem.tuning)
    ratios = [*excess.values(), *[np.ones(3)] * (len(rows) - len(excess))]
    parts = [products(*part) for part in zip(rows, weights, ratios, strict=True)]
    careful = [  # who accuses a sensor does not take noise for smaller than it was assumed
        part if np.all(ratio >= 1.0) else products(one, weight, np.maximum(ratio, 1.0))
        for one, weight, ratio, part in zip(rows, weights, ratios, parts, strict=True)
    ]
    checks = looked.checks(free.unknowns, free.covariance(sum(careful, start=np.diag(looked.prior**-2.0))))
    own = at.step  # without checks and probes: they are held
    rows = [one[:, :, :size] for one in rows]
    inverse = np.linalg.inv(own.information)
    wrench = coloured_rows(problem.record, rows[0], residuals["wrench"], weights[0], inverse, followed, problem.tuning)
    coloured = products(wrench, np.ones(len(wrench)), np.ones(6))
    priors = np.diag(state.prior**-2.0)
    covariance = own.covariance(sum((part[:size, :size] for part in parts[1:]), start=coloured + priors))
    information = priors.copy()
    for one, weight, ratio, part in zip(rows, weights, ratios, parts, strict=True):
        as_assumed = bool(np.all(ratio == 1.0))
        information += part[:size, :size] if as_assumed else products(one, weight, 1.0 / np.maximum(ratio, 1.0))
    by_signal = dict(zip(residuals, rows, strict=False))
    return Fit(problem, state, covariance, information, by_signal, residuals, excess, lag, checks)
