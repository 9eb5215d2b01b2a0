"""One Kalman filter in everybody's library: states are velocity and inverse mass, in which the motion is linear.

Every library gets the same matrices and is called as its documentation advises; all must give the same numbers.
"""

import functools
import importlib
from collections.abc import Callable

import numpy as np

from steelyard.bench.peers._flight import GRAVITY, Flight, MassEstimate
from steelyard.bench.peers._tuning import PEERS

H = np.eye(3, 4)
R = PEERS.velocity_std**2 * np.eye(3)


def start(flight: Flight) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance before the second row; the first velocity is a measurement."""
    std = [PEERS.velocity_std] * 3 + [flight.guess_std / flight.guess**2]
    return np.array([*flight.velocity[0], 1.0 / flight.guess]), np.diag(np.square(std))


def matrices(flight: Flight) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`F` of every row but the first, the constant `c = dt g`, and `Q`."""
    F = np.tile(np.eye(4), (len(flight.time) - 1, 1, 1))
    F[:, :3, 3] = flight.dt * flight.force[1:]
    return F, flight.dt * np.append(GRAVITY, 0.0), np.diag([(flight.dt * PEERS.acceleration_std) ** 2] * 3 + [0.0])


def mass_estimate(mean: np.ndarray, covariance: np.ndarray) -> MassEstimate:
    """The mass of an inverse mass, to first order."""
    u = float(mean[3])
    return MassEstimate(1.0 / u, float(np.sqrt(covariance[3, 3])) / u**2)


def by_filterpy(flight: Flight) -> MassEstimate:
    """`filterpy.kalman.KalmanFilter`, `predict` and `update` a row."""
    KalmanFilter = importlib.import_module("filterpy.kalman").KalmanFilter
    F, c, Q = matrices(flight)
    filter = KalmanFilter(dim_x=4, dim_z=3, dim_u=4)
    filter.x, filter.P = start(flight)
    filter.H, filter.R, filter.Q, filter.B = H, R, Q, np.eye(4)
    for F_k, z in zip(F, flight.velocity[1:], strict=True):
        filter.predict(u=c, F=F_k)
        filter.update(z)
    return mass_estimate(filter.x, filter.P)


def by_pykalman(flight: Flight) -> MassEstimate:
    """`pykalman.KalmanFilter.filter` over the whole flight, transitions a row; its first row has no prediction."""
    KalmanFilter = importlib.import_module("pykalman").KalmanFilter
    F, c, Q = matrices(flight)
    mean, covariance = start(flight)
    wide = np.full((1, 3), np.nan)
    filter = KalmanFilter(F, H, Q, R, c, np.zeros(3), mean, covariance)
    observed = np.ma.masked_invalid(np.concatenate([wide, flight.velocity[1:]]))
    means, covariances = filter.filter(observed)
    return mass_estimate(means[-1], covariances[-1])


def by_kalman_py(flight: Flight) -> MassEstimate:
    """`kalman_py.KalmanFilter`, `predict` and `update` a row; it has no input, so the state has a constant more."""
    KalmanFilter = importlib.import_module("kalman_py").KalmanFilter
    F, c, Q = matrices(flight)
    mean, covariance = start(flight)
    wider = np.zeros((len(F), 5, 5))
    wider[:, :4, :4], wider[:, :4, 4], wider[:, 4, 4] = F, c, 1.0
    Q5, P5 = np.zeros((5, 5)), np.zeros((5, 5))
    Q5[:4, :4], P5[:4, :4] = Q, covariance
    filter = KalmanFilter(wider[0], np.eye(3, 5), Q5, R, np.append(mean, 1.0), P5)
    for F_k, z in zip(wider, flight.velocity[1:], strict=True):
        filter.predict(F=F_k)
        filter.update(z)
    return mass_estimate(np.asarray(filter.x), np.asarray(filter.P))


def by_gtsam(flight: Flight) -> MassEstimate:
    """`gtsam.KalmanFilter`, in square-root form; `Q` must be invertible there."""
    gtsam = importlib.import_module("gtsam")
    F, c, Q = matrices(flight)
    mean, covariance = start(flight)
    process = gtsam.noiseModel.Diagonal.Sigmas(np.sqrt(np.diag(Q) + np.array([0.0, 0.0, 0.0, 1e-14])))
    reading = gtsam.noiseModel.Diagonal.Sigmas(np.full(3, PEERS.velocity_std))
    filter, B = gtsam.KalmanFilter(4), np.eye(4)
    state = filter.init(mean, covariance)
    for F_k, z in zip(F, flight.velocity[1:], strict=True):
        state = filter.update(filter.predict(state, F_k, B, c, process), H, z, reading)
    return mass_estimate(state.mean(), state.covariance())


@functools.cache
def _cuthbert() -> Callable:
    import jax
    import jax.numpy as jnp

    run = importlib.import_module("cuthbert").filter
    kalman = importlib.import_module("cuthbert.gaussian").kalman

    def flown(mean, root, F, c, root_Q, z):
        built = kalman.build_filter(
            mean,
            root,
            lambda k: (F[k], c, root_Q),
            lambda k: (jnp.asarray(H), jnp.zeros(3), PEERS.velocity_std * jnp.eye(3), z[k]),
        )
        return run(built, jnp.arange(F.shape[0]), built.init_prepare())

    return jax.jit(flown)


def by_cuthbert(flight: Flight) -> MassEstimate:
    """`cuthbert.gaussian.kalman` over the whole flight, in square-root form, compiled by JAX."""
    F, c, Q = matrices(flight)
    mean, covariance = start(flight)
    states = _cuthbert()(mean, np.sqrt(covariance), F, c, np.sqrt(Q), flight.velocity[1:])
    root = np.asarray(states.chol_cov[-1])
    return mass_estimate(np.asarray(states.mean[-1]), root @ root.T)


def by_ceres(flight: Flight) -> MassEstimate:
    """`pyceres`: first velocity and inverse mass by least squares over the whole flight, inputs taken as exact."""
    import pyceres

    moved = flight.dt * np.cumsum(flight.force[1:], axis=0)
    fallen = flight.dt * np.arange(1, len(flight.time))[:, None] * GRAVITY
    rows = len(moved)
    jacobian = np.concatenate([np.tile(np.eye(3), (rows, 1)), moved.reshape(-1, 1)], axis=1) / PEERS.velocity_std

    class Fit(pyceres.CostFunction):
        def __init__(self):
            super().__init__()
            self.set_num_residuals(3 * rows)
            self.set_parameter_block_sizes([4])

        def Evaluate(self, parameters, residuals, jacobians):
            x = parameters[0]
            expected = x[:3] + fallen + moved * x[3]
            residuals[:] = ((expected - flight.velocity[1:]) / PEERS.velocity_std).ravel()
            if jacobians is not None and jacobians[0] is not None:
                jacobians[0][:] = jacobian.ravel()
            return True

    problem, x, cost = pyceres.Problem(), start(flight)[0], Fit()
    problem.add_residual_block(cost, None, [x])
    options = pyceres.SolverOptions()
    options.linear_solver_type = pyceres.LinearSolverType.DENSE_QR
    options.logging_type = pyceres.LoggingType.SILENT
    options.minimizer_progress_to_stdout = False
    pyceres.solve(options, problem, pyceres.SolverSummary())
    return mass_estimate(x, np.linalg.inv(jacobian.T @ jacobian))
