"""The window's referee: the same least squares in Ceres, by `pyceres`, with Jacobians derived by hand in NumPy.

The paper solves its windows by Ceres, [sesame, Sec. 4.2.4]. Here it gets the very problem that ours solves, in the form
that suits it best: states are unknowns, so that each is tied to its neighbours only, and the noises of the inputs are,
too, whitened, so that no weight is the inverse of a singular covariance. A moment is one residual block: the fewest
calls.
"""

import dataclasses
from typing import Any

import numpy as np

from steelyard.bench._filterpy import _exp, _log, _matrix, _product, _right_jacobian, _skew
from steelyard.estimators import Window
from steelyard.models import STANDARD_GRAVITY

GRAVITY = np.array(STANDARD_GRAVITY)


@dataclasses.dataclass(frozen=True)
class Pose:
    """Attitude, position, velocity and log mass."""

    q: np.ndarray
    rest: np.ndarray
    """Seven numbers."""

    def moved(self, delta: np.ndarray) -> "Pose":
        """By a tangent step of ten."""
        return Pose(_product(self.q, _exp(delta[:3])), self.rest + delta[3:])


@dataclasses.dataclass(frozen=True)
class Moment:
    """One moment's data, factors taken."""

    turn: np.ndarray
    alpha_beta: np.ndarray
    """[sesame, Eq. (51)], both of them."""
    span: float
    factor: np.ndarray
    """A square root of the increment's covariance, of full column rank."""
    walk_std: np.ndarray
    reading: Pose
    weights: np.ndarray
    """One over the standard deviation of each channel."""
    guess: Pose
    slip: np.ndarray


class CeresWindow:
    """One window, ready to be solved; drift must be above zero in every coordinate, and the model without drag."""

    def __init__(self, window: Window):
        import pyceres

        moments = window.moments
        self.origin = _pose(window.prior.origin)
        factor = np.linalg.inv(np.linalg.cholesky(np.asarray(window.prior.covariance)))
        self.moments = [_moment(moments, k) for k in range(moments.precision.shape[0])]
        self.offset = np.array(window.offset)
        self.steps = [np.zeros(10) for _ in self.moments]
        self.slips = [np.linalg.lstsq(moment.factor, moment.slip)[0] for moment in self.moments]
        prior, tie = _costs()
        self.problem = pyceres.Problem()
        self.costs: list[Any] = [prior(np.asarray(window.prior.mean), factor)]
        self.problem.add_residual_block(self.costs[0], None, [self.offset])
        before, step = self.origin, self.offset
        for moment, slip, after in zip(self.moments, self.slips, self.steps, strict=True):
            self.costs.append(tie(before, moment))
            self.problem.add_residual_block(self.costs[-1], None, [step, slip, after])
            before, step = moment.guess, after

    def solve(self, iterations: int = 50, tolerance: float = 1e-15) -> Any:
        """Levenberg and Marquardt's method, all but undamped: Gauss-Newton, as ours; the solver's summary."""
        import pyceres

        options = pyceres.SolverOptions()
        options.linear_solver_type = pyceres.LinearSolverType.SPARSE_NORMAL_CHOLESKY
        options.initial_trust_region_radius = options.max_trust_region_radius = 1e16
        options.max_num_iterations = iterations
        options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = tolerance
        options.num_threads = 1
        options.minimizer_progress_to_stdout = False
        options.logging_type = pyceres.LoggingType.SILENT
        summary = pyceres.SolverSummary()
        pyceres.solve(options, self.problem, summary)
        return summary

    def states(self) -> list[Pose]:
        """The answer, oldest first."""
        return [moment.guess.moved(step) for moment, step in zip(self.moments, self.steps, strict=True)]


def _costs() -> tuple[Any, Any]:
    """The two kinds of residual blocks; in here, because `pyceres` is an extra."""
    import pyceres

    class PriorCost(pyceres.CostFunction):
        def __init__(self, mean: np.ndarray, factor: np.ndarray):
            super().__init__()
            self.mean, self.factor = mean, factor
            self.set_num_residuals(10)
            self.set_parameter_block_sizes([10])

        def Evaluate(self, parameters, residuals, jacobians):
            residuals[:] = self.factor @ (parameters[0] - self.mean)
            if jacobians is not None and jacobians[0] is not None:
                jacobians[0][:] = self.factor.ravel()
            return True

    class MomentCost(pyceres.CostFunction):
        """The walk, the slip and what was read, each in its own standard deviations."""

        def __init__(self, before: Pose, moment: Moment):
            super().__init__()
            self.before, self.moment = before, moment
            self.rank = moment.factor.shape[1]
            self.set_num_residuals(19 + self.rank)
            self.set_parameter_block_sizes([10, self.rank, 10])

        def Evaluate(self, parameters, residuals, jacobians):
            m, (step, slip, after) = self.moment, parameters
            x, y = self.before.moved(step), m.guess.moved(after)
            s = m.factor @ slip
            turn, force = _product(m.turn, _exp(s[:3])), m.alpha_beta + s[3:9]
            R, by_mass = _matrix(x.q), np.exp(-x.rest[6])
            push = np.concatenate([R @ force[:3], R @ force[3:]]) * by_mass
            arrived = x.rest.copy()
            arrived[:3] += m.span * x.rest[3:6] + push[:3] + 0.5 * m.span**2 * GRAVITY
            arrived[3:6] += push[3:] + m.span * GRAVITY
            walked = _log(_product(_conjugate(_product(x.q, turn)), y.q))
            read = _log(_product(_conjugate(y.q), m.reading.q))
            residuals[:3], residuals[3:10] = walked, y.rest - arrived
            residuals[:10] /= m.walk_std
            residuals[10 : 10 + self.rank] = slip
            residuals[10 + self.rank : 13 + self.rank] = read
            residuals[13 + self.rank :] = m.reading.rest[:6] - y.rest[:6]
            residuals[10 + self.rank :] *= m.weights
            if jacobians is None:
                return True
            left, right = _inverse_right_jacobian(-walked), _inverse_right_jacobian(walked)
            if jacobians[0] is not None:
                J = np.zeros((19 + self.rank, 10))
                J[:3, :3] = -left @ _matrix(turn).T
                J[3:10, 3:] = -np.eye(7)
                J[3:6, :3], J[6:9, :3] = R @ _skew(force[:3]) * by_mass, R @ _skew(force[3:]) * by_mass
                J[3:6, 6:9] = -m.span * np.eye(3)
                J[3:9, 9] = push
                J[:, :3] = J[:, :3] @ _right_jacobian(step[:3])
                J[:10] /= m.walk_std[:, None]
                jacobians[0][:] = J.ravel()
            if jacobians[1] is not None:
                J = np.zeros((19 + self.rank, self.rank))
                J[:3] = -left @ _right_jacobian(s[:3]) @ m.factor[:3]
                J[3:6], J[6:9] = -by_mass * R @ m.factor[3:6], -by_mass * R @ m.factor[6:9]
                J[:10] /= m.walk_std[:, None]
                J[10 : 10 + self.rank] = np.eye(self.rank)
                jacobians[1][:] = J.ravel()
            if jacobians[2] is not None:
                J = np.zeros((19 + self.rank, 10))
                by_step = _right_jacobian(after[:3])
                J[:3, :3] = right @ by_step
                J[3:10, 3:] = np.eye(7)
                J[:10] /= m.walk_std[:, None]
                J[10 + self.rank : 13 + self.rank, :3] = -_inverse_right_jacobian(-read) @ by_step
                J[13 + self.rank :, 3:9] = -np.eye(6)
                J[10 + self.rank :] *= m.weights[:, None]
                jacobians[2][:] = J.ravel()
            return True

    return PriorCost, MomentCost


def _conjugate(q: np.ndarray) -> np.ndarray:
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def _inverse_right_jacobian(phi: np.ndarray) -> np.ndarray:
    square = phi @ phi
    W = _skew(phi)
    if square < 1e-8:
        return np.eye(3) + 0.5 * W + W @ W / 12.0
    angle = np.sqrt(square)
    return np.eye(3) + 0.5 * W + (1.0 / square - 0.5 / (angle * np.tan(0.5 * angle))) * W @ W


def _pose(state: Any, k: Any = ()) -> Pose:
    parts = (np.asarray(leaf)[k] for leaf in (state.position, state.velocity, state.log_mass))
    return Pose(np.asarray(state.attitude.wxyz)[k], np.concatenate([np.atleast_1d(part) for part in parts]))


def _moment(moments: Any, k: int) -> Moment:
    increment, reading = moments.increment, moments.measurement
    values, vectors = np.linalg.eigh(np.asarray(moments.increment_covariance[k]))
    large = values > 1e-12 * values.max(initial=0.0)
    read = np.concatenate([np.asarray(reading.position[k]), np.asarray(reading.velocity[k])])
    return Moment(
        np.asarray(increment.pre_attitude.wxyz[k]),
        np.concatenate([np.asarray(increment.pre_position[k]), np.asarray(increment.pre_velocity[k])]),
        float(increment.span[k]),
        vectors[:, large] * np.sqrt(values[large]),
        np.sqrt(np.asarray(moments.drift[k])),
        Pose(np.asarray(reading.attitude.wxyz[k]), read),
        np.sqrt(np.asarray(moments.precision[k])),
        _pose(moments.state, k),
        np.asarray(moments.slip[k]),
    )
