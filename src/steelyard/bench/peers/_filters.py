"""One Kalman filter in everybody's library: states are velocity and inverse mass, in which the motion is linear.

Every library gets the same matrices and is called as its documentation advises; all must give the same numbers.
"""

import importlib

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


def by_fast_kalman(flight: Flight) -> MassEstimate:
    """`kalman.LinearKalmanFilter` of fast-kalman, `update` a row, in C++; without input, so gravity is taken off."""
    F, c, Q = matrices(flight)
    filter = importlib.import_module("kalman").LinearKalmanFilter(4, 3)
    filter.x, filter.P = (part.ravel() for part in start(flight))
    filter.Q, filter.H, filter.R = Q.ravel(), H.ravel(), R.ravel()
    unfallen = flight.velocity[1:] - np.arange(1, len(flight.time))[:, None] * c[:3]
    for F_k, z in zip(F.reshape(len(F), 16), unfallen, strict=True):
        filter.F = F_k
        filter.update(z)
    return mass_estimate(np.asarray(filter.x), np.asarray(filter.P).reshape(4, 4))
