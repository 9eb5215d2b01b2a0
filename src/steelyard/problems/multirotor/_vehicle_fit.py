"""Thrust curve, motor lag, inertia and rotors of a vehicle that logged gyroscope, accelerometer and commands alone.

One least squares over three channels: specific force along z, angular acceleration about x and y. What the model lacks
is coloured. The gyroscope's channels are whitened by an autoregression of their own residuals: the controller answers
slow disturbances, which plain least squares would take for inertia. The thrust curve is fitted as it stands: it is a
static property, and whitening would weigh fast motion, where a first-order lag is least right. Deviations come from
independent blocks of the flight.
"""

import dataclasses

import numpy as np
from scipy.optimize import least_squares
from scipy.signal import lfilter

from steelyard.problems.multirotor._vehicle_tuning import TUNING

CURVE, LAGS, DELAYS, ROTORS, INVERSE, CENTRE = (
    slice(a, b) for a, b in ((0, 3), (3, 5), (5, 7), (7, 10), (10, 12), (12, 14))
)
"""Of the parameters: a, b, c per kg; log of the lags seen by accelerometer and gyroscope; their delays; three rotors'
effectiveness, the fourth makes the mean 1; mass times lever over inertia; how far the centre of mass is towards the
rotors that turn the vehicle forward about x and y, over the lever."""


@dataclasses.dataclass(frozen=True)
class Flown:
    """Rows in flight on an even grid of times."""

    step: float
    """s."""
    command: np.ndarray
    """(n, 4), 0 to 1, at the mean voltage of the flight."""
    force: np.ndarray
    """(n,), specific force along body z, m/s²."""
    rates: np.ndarray
    """(n, 3), rad/s."""


@dataclasses.dataclass(frozen=True)
class VehicleFit:
    """The parameters, in the order of this module's slices, and their covariance."""

    value: np.ndarray
    covariance: np.ndarray
    signs: np.ndarray
    """(2, 4), which way each rotor turns the vehicle about x and y; 0 for hardly."""
    explained: np.ndarray
    """(3,), the share of each channel's whitened variance that the model explains."""


def lagged(command: np.ndarray, step: float, lag: float) -> np.ndarray:
    """What first-order motors make of commands that are held from row to row."""
    keep = np.exp(-step / lag)
    start = command[:1] * keep
    return lfilter([0.0, 1.0 - keep], [1.0, -keep], command, axis=0, zi=start)[0]


class _Channels:
    """Means over blocks of time of what was measured, and of what a model says."""

    def __init__(self, flown: Flown):
        self.flown, self.every = flown, max(1, round(TUNING.sample / flown.step))
        self.edges = np.arange(TUNING.longest_delay / flown.step, len(flown.command) - 1, self.every).astype(int)
        self.span = self.every * flown.step
        turning = np.diff(flown.rates[self.edges, :2], axis=0) / self.span
        self.measured = np.column_stack([self.mean(flown.force[:, None], 0.0)[:, 0], turning])

    def mean(self, values: np.ndarray, delay: float) -> np.ndarray:
        """Over each block, of values that are seen `delay` s late and held from row to row."""
        total = np.vstack([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
        at = self.edges - np.clip(delay, 0.0, TUNING.longest_delay) / self.flown.step
        low = np.floor(at).astype(int)
        between = total[low] + (at - low)[:, None] * (total[low + 1] - total[low])
        return np.diff(between, axis=0) / self.every

    def thrusts(self, p: np.ndarray, sensor: int) -> np.ndarray:
        """Of each rotor, per kg of the vehicle, as the accelerometer (0) or the gyroscope (1) sees it."""
        a, b, c = p[CURVE]
        u = lagged(self.flown.command, self.flown.step, float(np.exp(p[LAGS][sensor])))
        return self.mean(effectiveness(p) * (a * u**2 + b * u + c), p[DELAYS][sensor])

    def modelled(self, p: np.ndarray, signs: np.ndarray) -> np.ndarray:
        turning = self.thrusts(p, 1) @ (signs - p[CENTRE][:, None]).T * p[INVERSE]
        return np.column_stack([self.thrusts(p, 0).sum(axis=1), turning])


def effectiveness(p: np.ndarray) -> np.ndarray:
    """Of all four rotors, mean 1."""
    return np.append(p[ROTORS], 4.0 - p[ROTORS].sum())


def fit_vehicle(flown: Flown) -> VehicleFit | None:
    """The fit; None where the rotors do not turn the vehicle as those of a quadrotor do."""
    channels = _Channels(flown)
    start = np.zeros(14)
    start[CURVE] = 9.81 / 4 / np.mean(flown.command**2), 0.0, 0.0
    start[DELAYS], start[ROTORS] = TUNING.usual_delay, 1.0
    best = None
    for lag in TUNING.first_lags:
        start[LAGS] = np.log(lag)
        found = _first(channels, start.copy())
        if best is None or found[0] < best[0]:
            best = found
    assert best is not None
    _, p, signs = best
    if np.any(signs.sum(axis=1)) or np.any(np.abs(signs).sum(axis=1) < 2) or signs[0] @ signs[1]:
        return None
    common, covariance, explained = _settle(channels, p, signs, np.r_[0:4, 5:14])
    apart, _, _ = _settle(channels, common, signs, np.arange(14))
    spread = apart - common  # one lag should do for both sensors: how far they disagree is what the model lacks
    return VehicleFit(common, covariance + np.outer(spread, spread), signs, explained)


def _first(channels: _Channels, p: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Linear fits at one lag: misfit, parameters, signs."""
    u = channels.mean(lagged(channels.flown.command, channels.flown.step, float(np.exp(p[3]))), p[DELAYS][0])
    curve = np.column_stack([(u**2).sum(axis=1), u.sum(axis=1), np.full(len(u), 4.0)])
    y = channels.measured
    p[CURVE] = np.linalg.lstsq(curve, y[:, 0], rcond=None)[0]
    misfit = np.log(np.var(y[:, 0] - curve @ p[CURVE]))
    columns = np.column_stack([channels.thrusts(p, 1), np.ones(len(u))])
    signs = np.zeros((2, 4))
    for axis in range(2):
        theta, left = _whitened_least_squares(columns, y[:, 1 + axis])
        size = np.abs(theta[:4]).max()
        signs[axis] = np.where(np.abs(theta[:4]) > TUNING.turns * size, np.sign(theta[:4]), 0.0)
        p[INVERSE][axis] = np.mean(np.abs(theta[:4][signs[axis] != 0]))
        misfit += np.log(np.var(left))
    return misfit, p, signs


def _whitened_least_squares(columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    white, target = columns, y
    theta = np.linalg.lstsq(white, target, rcond=None)[0]
    for _ in range(TUNING.rounds):
        ar = _autoregression(y - columns @ theta)
        white, target = _whitened(columns, ar), _whitened(y[:, None], ar)[:, 0]
        theta = np.linalg.lstsq(white, target, rcond=None)[0]
    return theta, target - white @ theta


def _settle(channels, p, signs, free) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nonlinear least squares over the free parameters; the lag of the gyroscope is the accelerometer's if not free."""
    p, y = p.copy(), channels.measured

    def whole(x):
        full = p.copy()
        full[free] = x
        if 4 not in free:
            full[4] = full[3]
        return full

    low, high = np.full(14, -np.inf), np.full(14, np.inf)
    low[LAGS], high[LAGS] = np.log(TUNING.lags[0]), np.log(TUNING.lags[1])
    low[DELAYS], high[DELAYS] = 0.0, TUNING.longest_delay
    scale = np.r_[1.0, 1.0, 1.0, 0.1, 0.1, 1e-3, 1e-3, 0.1, 0.1, 0.1, np.abs(p[INVERSE]), 0.1, 0.1]
    ars, noise = [np.zeros(TUNING.order)] * 3, np.ones(3)

    def white(columns: np.ndarray) -> np.ndarray:
        return np.column_stack([_whitened(columns[:, [k]], ars[k])[:, 0] / noise[k] for k in range(3)])

    def left(x: np.ndarray) -> np.ndarray:
        return white(y - channels.modelled(whole(x), signs)).ravel()

    bounds = (low[free], high[free])
    found = None
    for _ in range(TUNING.rounds):
        residuals = y - channels.modelled(p, signs)
        ars, noise = [ars[0], *(_autoregression(one) for one in residuals.T[1:])], np.ones(3)
        noise = white(residuals).std(axis=0)
        begin = np.clip(p[free], *bounds)
        found = least_squares(left, begin, bounds=bounds, x_scale=scale[free], xtol=1e-6, max_nfev=20, diff_step=1e-4)
        p = whole(found.x)
    assert found is not None
    jacobian = found.jac.reshape(-1, 3, len(free))
    residual = found.fun.reshape(-1, 3)
    small = _from_blocks(jacobian, residual)
    covariance = np.zeros((14, 14))
    covariance[np.ix_(free, free)] = small
    if 4 not in free:
        covariance[4], covariance[:, 4] = covariance[3], covariance[:, 3]
        covariance[4, 4] = covariance[3, 3]
    return p, covariance, 1.0 - residual.var(axis=0) / white(y - y.mean(axis=0)).var(axis=0)


def _from_blocks(jacobian: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Covariance by leaving out one block of the flight at a time; the largest deviation of several block lengths."""
    normal = np.einsum("tcp,tcq->pq", jacobian, jacobian)
    found = []
    for count in TUNING.blocks_tried:
        without = []  # the parameters without one block, less those with all
        for j, r in zip(*(np.array_split(one, count) for one in (jacobian, residual)), strict=True):
            rest = normal - np.einsum("tcp,tcq->pq", j, j)
            without.append(np.linalg.pinv(rest, hermitian=True) @ np.einsum("tcp,tc->p", j, r))
        found.append((count - 1) / count * np.einsum("bp,bq->pq", without, without))
    stds = np.sqrt([np.diag(one) for one in found])
    larger = stds.max(axis=0) / np.maximum(stds[0], 1e-30)
    return TUNING.few_blocks**2 * found[0] * np.outer(larger, larger)


def _autoregression(residual: np.ndarray) -> np.ndarray:
    order = TUNING.order
    past = np.column_stack([residual[order - k - 1 : len(residual) - k - 1] for k in range(order)])
    return np.linalg.lstsq(past, residual[order:], rcond=None)[0]


def _whitened(columns: np.ndarray, ar: np.ndarray) -> np.ndarray:
    return np.asarray(lfilter(np.r_[1.0, -ar], [1.0], columns, axis=0))[len(ar) :]
