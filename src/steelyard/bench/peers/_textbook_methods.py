"""The field's own methods, written from their descriptions."""

import numpy as np
from scipy.signal import savgol_filter

from steelyard.bench.peers._flight import GRAVITY, Flight, MassEstimate
from steelyard.bench.peers._tuning import PEERS


def accelerations(flight: Flight) -> np.ndarray:
    """World, by Savitzky and Golay's derivative of the velocity."""
    return np.asarray(
        savgol_filter(flight.velocity, PEERS.savgol_rows, PEERS.savgol_order, deriv=1, delta=flight.dt, axis=0)
    )


def _inverse_mass(regressor: np.ndarray, response: np.ndarray) -> MassEstimate:
    """Least squares through the origin, with the deviation that white residuals would have."""
    power = float(regressor @ regressor)
    u = float(regressor @ response) / power
    residual = response - u * regressor
    std_u = np.sqrt(float(residual @ residual) / (len(response) - 1) / power)
    return MassEstimate(1.0 / u, float(std_u) / u**2)


def by_least_squares(flight: Flight) -> MassEstimate:
    """`force / m = acceleration - gravity` on all axes, ordinary least squares."""
    return _inverse_mass(flight.force.ravel(), (accelerations(flight) - GRAVITY).ravel())


def by_body_axis_regression(flight: Flight) -> MassEstimate:
    """The thrust axis alone, as regressions of thrust curves from flights do: specific force against thrust."""
    return _inverse_mass(*_along_thrust(flight))


def _along_thrust(flight: Flight) -> tuple[np.ndarray, np.ndarray]:
    """Thrust, and specific force along it."""
    thrust = np.linalg.norm(flight.force, axis=1)
    axis = flight.force / thrust[:, None]
    return thrust, np.sum(axis * (accelerations(flight) - GRAVITY), axis=1)


def by_recursive_least_squares(flight: Flight) -> MassEstimate:
    """The same with forgetting over five seconds, row by row; the noise is its residuals' own."""
    keep = float(np.exp(-flight.dt / 5.0))
    u, P, noise = 1.0 / flight.guess, (flight.guess_std / flight.guess**2) ** 2, 0.25
    for f, a in zip(flight.force, accelerations(flight) - GRAVITY, strict=True):
        for f_k, a_k in zip(f, a, strict=True):
            residual = a_k - f_k * u
            gain = P * f_k / (noise + f_k * P * f_k)
            u, P = u + gain * residual, (1.0 - gain * f_k) * P
            noise = 0.999 * noise + 0.001 * residual**2
        P /= keep
    return MassEstimate(1.0 / u, float(np.sqrt(P)) / u**2)


def by_hover_thrust_filter(flight: Flight) -> MassEstimate:
    """PX4's hover-thrust estimator: one state, the thrust that would hover, from vertical acceleration alone.

    `a_z = g T / h - g`, an extended Kalman filter with a gate of three deviations and an acceleration noise that
    follows its residuals over two seconds. Thrust is taken relative to 2.5 times the first guess of the weight.
    """
    g, full = 9.81, 2.5 * flight.guess * 9.81
    h, P, noise = flight.guess * g / full, (flight.guess_std * g / full) ** 2, 25.0
    drift, blend = 0.0036**2, flight.dt / (2.0 + flight.dt)
    for T, a in zip(flight.force[:, 2] / full, accelerations(flight)[:, 2], strict=True):
        P += drift * flight.dt**2
        dadh = -g * T / h**2
        residual, expected = a - (g * T / h - g), dadh * P * dadh + noise
        if residual**2 < 9.0 * expected:
            gain = P * dadh / expected
            h, P = float(np.clip(h + gain * residual, 0.1, 0.9)), (1.0 - gain * dadh) * P
        after = a - (g * T / h - g)
        noise = float(np.clip((1.0 - blend) * noise + blend * (after**2 + dadh * P * dadh), 1e-3, 400.0))
    return MassEstimate(h * full / g, float(np.sqrt(P)) * full / g)


def by_tail_averaged_kaczmarz(flight: Flight) -> MassEstimate:
    """TAG-K (Sha and others, ICRA 2026): greedy randomised projections on a window's equations, tail averaged.

    A row is drawn from those whose squared residual, over the squared norm, is above the mean of the largest and the
    average one (Bai and Wu 2018). Its equations are those along the thrust: rows with little force would be drawn
    for their noise. Without its optional ridge, which with one unknown would be every second projection. It states no
    uncertainty.
    """
    random, u = np.random.default_rng(0), 1.0 / flight.guess
    a, b = _along_thrust(flight)
    for end in range(PEERS.kaczmarz_rows, len(a) + 1):
        rows, response = a[end - PEERS.kaczmarz_rows : end], b[end - PEERS.kaczmarz_rows : end]
        norm, iterates = np.maximum(rows**2, 1e-300), [u]
        for _ in range(len(rows)):
            squared = (response - rows * iterates[-1]) ** 2
            share, total = squared / norm, float(squared.sum())
            if total == 0.0:
                break
            drawn = squared * (share >= 0.5 * (share.max() + total / norm.sum()))
            k = int(random.choice(len(rows), p=drawn / drawn.sum()))
            iterates.append(float(response[k] / rows[k]))  # with one unknown a projection solves the row
        u = float(np.mean(iterates[1:])) if len(iterates) > 1 else u
    return MassEstimate(1.0 / u, None)
