"""Where the joint fit starts: the spacing of knots, a first trajectory, and a first load by linear least squares."""

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.problems.rigid_body._residuals import Channel, wrench_regressor
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._trajectory import Trajectory, integrated
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning


def knot_spacing(motion: Mapping[str, Channel], tuning: FitTuning = TUNING) -> float:
    """s: the narrowest that any motion signal asks for, each by Mallows' Cp (misfit plus twice the coefficients)."""
    chosen = tuning.spacings[0]
    smooth = {signal: channel for signal, channel in motion.items() if signal != "specific_force"}
    for signal, channel in (smooth or motion).items():  # an accelerometer shakes with its mounting, which is no motion
        values, std = _vectors(signal, channel)
        step = float(np.median(np.diff(channel.time)))
        usable = [h for h in tuning.spacings if h >= tuning.samples_a_knot * step] or tuning.spacings[:1]
        scores = []
        for spacing in usable:
            spline = Spline.covering(channel.time[0], channel.time[-1], spacing)
            left = (values - spline.evaluate(spline.fit(channel.time, values), channel.time)) / std
            scores.append(float(np.sum(left**2)) + 2.0 * spline.size * values.shape[1])
            if len(scores) > 3 and min(scores[-3:]) > min(scores):
                break
        chosen = min(chosen, usable[int(np.argmin(scores))])
    return chosen


def first_trajectory(
    time: np.ndarray, motion: Mapping[str, Channel], wrench: Channel, gravity: np.ndarray, spacing: float
) -> Trajectory:
    """At the given times, from the motion signals alone."""
    spline = Spline.covering(time[0], time[-1], spacing)
    if "attitude" in motion:
        attitude, angular, acceleration = _from_attitudes(motion["attitude"], spline, time)
    else:
        gyro = motion["twist/angular"]
        coefficients = spline.fit(gyro.time, gyro.value)
        turned = integrated(time, spline, coefficients)
        angular, acceleration = (spline.evaluate(coefficients, time, k) for k in range(2))
        attitude = _level(time, turned, motion.get("specific_force"), wrench) @ turned
    velocity, velocity_rate = np.zeros_like(angular), np.zeros_like(angular)
    if "twist/linear" in motion:
        channel = motion["twist/linear"]
        coefficients = spline.fit(channel.time, channel.value)
        velocity, velocity_rate = (spline.evaluate(coefficients, time, k) for k in range(2))
    elif "specific_force" in motion:
        velocity, velocity_rate = _integrated_velocity(time, attitude, angular, motion, gravity, spline)
    return Trajectory(time, attitude, angular, acceleration, velocity, velocity_rate, gravity)


def _integrated_velocity(
    time: np.ndarray,
    attitude: np.ndarray,
    angular: np.ndarray,
    motion: Mapping[str, Channel],
    gravity: np.ndarray,
    spline: Spline,
) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and its rate in sensor axes, where only the accelerometer shows them; their drift is taken out."""
    accelerometer = motion["specific_force"]
    s = spline.evaluate(spline.fit(accelerometer.time, accelerometer.value), time)
    if "attitude" in motion:
        mounting = mounting_of(s, -np.einsum("nij,i->nj", attitude, gravity))
        s = s if mounting is None else s @ mounting
    acceleration = np.einsum("nij,nj->ni", attitude, s) + gravity
    steps = 0.5 * (acceleration[1:] + acceleration[:-1]) * np.diff(time)[:, None]
    world = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    line = np.stack([np.ones_like(time), time - time[0]], axis=1)
    drift = np.linalg.lstsq(line, world, rcond=None)[0]
    world, acceleration = world - line @ drift, acceleration - drift[1]
    velocity = np.einsum("nij,ni->nj", attitude, world)
    return velocity, np.einsum("nij,ni->nj", attitude, acceleration) - np.cross(angular, velocity)


def resampled(motion: Trajectory, time: np.ndarray, spline: Spline) -> Trajectory:
    """The same motion at other times; both begin with the first knot."""
    angular, velocity = (spline.fit(motion.time, part) for part in (motion.angular, motion.velocity))
    turned = integrated(time, spline, angular)
    before = integrated(motion.time, spline, angular)
    first = Rotation.from_matrix(motion.attitude @ before.transpose(0, 2, 1)).mean().as_matrix()
    return Trajectory(
        time,
        first @ turned,
        spline.evaluate(angular, time),
        spline.evaluate(angular, time, 1),
        spline.evaluate(velocity, time),
        spline.evaluate(velocity, time, 1),
        motion.gravity,
    )


def first_load(
    motion: Trajectory, rows: np.ndarray, wrench: Channel, specific_force: np.ndarray, tared: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Ten parameters and six offsets (torque, force) by linear least squares."""
    Y = wrench_regressor(specific_force, motion.angular[rows], motion.angular_acceleration[rows])
    offsets = np.zeros((0, 6)) if tared else np.broadcast_to(np.eye(6), (len(rows), 6, 6))
    matrix = Y if tared else np.concatenate([Y, offsets], axis=2)
    whitened = (matrix / wrench.std[:, None]).reshape(-1, matrix.shape[2])
    scale = np.maximum(np.linalg.norm(whitened, axis=0), 1e-12)
    found = np.linalg.lstsq(whitened / scale, (wrench.value / wrench.std).ravel(), rcond=1e-9)[0] / scale
    return found[:10], (np.zeros(6) if tared else found[10:])


def still_spans(motion: Mapping[str, Channel], tuning: FitTuning = TUNING) -> list[tuple[float, float]]:
    """Spans of time (s) in which nothing turned and the specific force did not change: there was no acceleration."""
    if "specific_force" not in motion:
        return []
    accelerometer = motion["specific_force"]
    start, end = accelerometer.time[0], accelerometer.time[-1]
    edges = np.arange(start, end, tuning.still_window)
    means = np.array([_mean_between(accelerometer, a, a + tuning.still_window) for a in edges])
    turning = np.array([_turning(motion, a, a + tuning.still_window) for a in edges])
    quiet = turning < tuning.still_rate
    found: list[tuple[float, float]] = []
    for k in range(1, len(edges)):
        moved = float(np.max(np.abs(means[k] - means[k - 1])))
        if quiet[k - 1] and quiet[k] and moved < tuning.still_force:
            if found and found[-1][1] >= edges[k] - 1e-9:
                found[-1] = (found[-1][0], edges[k] + tuning.still_window)
            else:
                found.append((edges[k - 1], edges[k] + tuning.still_window))
    return [(a, min(b, end)) for a, b in found if b - a >= tuning.still_least]


def _mean_between(channel: Channel, start: float, end: float) -> np.ndarray:
    rows = (channel.time >= start) & (channel.time < end)
    return channel.value[rows].mean(axis=0) if rows.any() else np.full(3, np.nan)


def _turning(motion: Mapping[str, Channel], start: float, end: float) -> float:
    """rad/s, over a span."""
    if "attitude" in motion:
        rows = np.flatnonzero((motion["attitude"].time >= start) & (motion["attitude"].time < end))
        if len(rows) < 2:
            return float("inf")
        first, last = (motion["attitude"].value[rows[k]] for k in (0, -1))
        return float(np.linalg.norm(Rotation.from_matrix(first.T @ last).as_rotvec())) / (end - start)
    if "twist/angular" in motion:
        return float(np.linalg.norm(_mean_between(motion["twist/angular"], start, end)))
    return float("inf")


def mounting_of(measured: np.ndarray, expected: np.ndarray) -> np.ndarray | None:
    """The rotation that takes expected vectors (n, 3) to measured ones, if two directions tell it."""
    U, S, Vt = np.linalg.svd(measured.T @ expected)
    if S[1] < 0.05 * S[0]:
        return None
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt


def _vectors(signal: str, channel: Channel) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, k) and their standard deviations; attitudes as quaternions, whose parts turn half as far."""
    if signal == "attitude":
        return quaternions_of(channel.value), np.full(4, 0.5 * channel.std[0])
    return channel.value, channel.std


def quaternions_of(attitudes: np.ndarray) -> np.ndarray:
    """(n, 4) quaternions x, y, z, w without jumps of sign."""
    q = Rotation.from_matrix(attitudes).as_quat()
    flips = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0)
    return q * np.concatenate([[1.0], np.cumprod(flips)])[:, None]


def _from_attitudes(channel: Channel, spline: Spline, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    coefficients = spline.fit(channel.time, quaternions_of(channel.value))
    q, rate, second = (spline.evaluate(coefficients, time, k) for k in range(3))
    # Of the unit quaternion u = q / |q|: omega = 2 conj(u) u', alpha = 2 conj(u) u''  (vector parts).
    size = np.linalg.norm(q, axis=1, keepdims=True)
    u, du = q / size, rate / size
    along = np.sum(u * du, axis=1, keepdims=True)
    d2u = second / size - 2.0 * along * du
    return Rotation.from_quat(u).as_matrix(), 2.0 * _vector_of_product(u, du), 2.0 * _vector_of_product(u, d2u)


def _vector_of_product(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vector part of conj(u) v."""
    return u[:, 3:] * v[:, :3] - v[:, 3:] * u[:, :3] - np.cross(u[:, :3], v[:, :3])


def _level(time: np.ndarray, turned: np.ndarray, accelerometer: Channel | None, wrench: Channel) -> np.ndarray:
    """(3, 3): a first attitude whose vertical is that of the mean specific force, or else of the mean force."""
    shown = wrench.time if accelerometer is None else accelerometer.time
    vectors = wrench.value[:, 3:] if accelerometer is None else accelerometer.value
    rows = np.clip(np.searchsorted(time, shown), 0, len(time) - 1)
    up = np.einsum("nij,nj->i", turned[rows], vectors)
    size = float(np.linalg.norm(up))
    if size < 1e-9:
        return np.eye(3)
    return Rotation.align_vectors(np.array([[0.0, 0.0, 1.0]]), up[None] / size)[0].as_matrix()
