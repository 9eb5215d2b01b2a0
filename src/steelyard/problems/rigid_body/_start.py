"""Where the joint fit starts: the spacing of knots, a first trajectory, and a first load by linear least squares."""

import dataclasses
from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard._rotations import cross, exp_so3, log_so3
from steelyard.problems.rigid_body._least_squares import least_squares
from steelyard.problems.rigid_body._residuals import Channel, wrench_regressor
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._trajectory import Trajectory, integrated
from steelyard.problems.rigid_body._tuning import NUMERICS, TUNING, FitTuning
from steelyard.problems.rigid_body._unknowns import Unknowns


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
    time: np.ndarray, motion: Mapping[str, Channel], wrench: Channel | None, gravity: np.ndarray, spacing: float
) -> Trajectory:
    """At the given times, from the motion signals alone."""
    spline = Spline.covering(time[0], time[-1], spacing)
    if "attitude" in motion:
        attitude, angular, acceleration = _from_attitudes(motion["attitude"], spline, time)
    else:
        gyro = motion["twist/angular"]
        coefficients = spline.fit(*_bridged(gyro.time, gyro.value, spline))
        turned = integrated(time, spline, coefficients)
        angular, acceleration = (spline.evaluate(coefficients, time, k) for k in range(2))
        felt = motion.get("specific_force") or wrench
        attitude = turned if felt is None else _level(time, turned, felt) @ turned
    coefficients = np.zeros((spline.size, 3))
    if "twist/linear" in motion:
        channel = motion["twist/linear"]
        coefficients = spline.fit(channel.time, channel.value)
    elif "specific_force" in motion:
        coefficients = spline.fit(time, _integrated_velocity(time, attitude, motion, gravity, spline))
    v, rate, second = (spline.evaluate(coefficients, time, k) for k in range(3))
    return Trajectory(time, attitude, angular, acceleration, v, rate, second, gravity)


def _bridged(time: np.ndarray, values: np.ndarray, spline: Spline) -> tuple[np.ndarray, np.ndarray]:
    """Samples, and on the line between them at knots that have none near, where a spline alone would fall to zero."""
    knots = spline.start + spline.spacing * np.arange(spline.intervals + 1)
    after = np.clip(np.searchsorted(time, knots), 1, len(time) - 1)
    bare = knots[np.minimum(np.abs(knots - time[after - 1]), np.abs(knots - time[after])) > spline.spacing]
    line = np.stack([np.interp(bare, time, column) for column in values.T], axis=1)
    order = np.argsort(np.concatenate([time, bare]), kind="stable")
    return np.concatenate([time, bare])[order], np.concatenate([values, line])[order]


def _integrated_velocity(
    time: np.ndarray, attitude: np.ndarray, motion: Mapping[str, Channel], gravity: np.ndarray, spline: Spline
) -> np.ndarray:
    """(n, 3): velocity in sensor axes, where only the accelerometer shows it; its drift is taken out."""
    accelerometer = motion["specific_force"]
    s = spline.evaluate(spline.fit(accelerometer.time, accelerometer.value), time)
    if "attitude" in motion:
        mounting = mounting_of(s, -np.einsum("nij,i->nj", attitude, gravity))
        s = s if mounting is None else s @ mounting
    acceleration = np.einsum("nij,nj->ni", attitude, s) + gravity
    steps = 0.5 * (acceleration[1:] + acceleration[:-1]) * np.diff(time)[:, None]
    world = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    line = np.stack([np.ones_like(time), time - time[0]], axis=1)
    world = world - line @ least_squares(line, world)
    return np.einsum("nij,ni->nj", attitude, world)


def continued(
    motion: Trajectory, signals: Mapping[str, Channel], unknowns: Unknowns, spacing: float, tuning: FitTuning = TUNING
) -> Trajectory:
    """A motion, and what newer samples of the motion signals show after it, sensor errors taken out."""
    late = unknowns.delays
    newest = {s: Channel(c.time - late[s], c.value, c.std) for s, c in signals.items()}
    begin, end = min(c.time[0] for c in newest.values()), max(c.time[-1] for c in newest.values())
    join = min(motion.time[-1], end) - tuning.overlap
    recent = {s: c.between(join - 3.0 * spacing, end) for s, c in newest.items()}
    clean = {s: dataclasses.replace(c, value=_without_errors(s, c.value, unknowns)) for s, c in recent.items()}
    grid = np.unique(np.concatenate([c.time for c in clean.values()]))
    fresh = first_trajectory(grid, clean, None, motion.gravity, spacing)
    old, new = (motion.time >= begin - spacing) & (motion.time <= join), grid > join
    k = int(np.flatnonzero(old)[-1])
    last = float(motion.time[k])  # both motions are the same then; a sample later, a quick one has turned by degrees
    attitude, velocity = fresh.attitude, fresh.velocity
    if "attitude" not in clean:
        j = int(np.argmin(np.abs(grid - last)))
        attitude = motion.attitude[k] @ (attitude[j] @ exp_so3((last - grid[j]) * fresh.angular[j])).T @ attitude
    if "twist/linear" not in clean:
        s = clean["specific_force"]
        felt = np.stack([np.interp(grid, s.time, s.value[:, a]) for a in range(3)], axis=1)
        world = np.einsum("nij,nj->ni", attitude, felt) + motion.gravity
        steps = 0.5 * (world[1:] + world[:-1]) * np.diff(grid)[:, None]
        gained = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
        gained += motion.attitude[k] @ motion.velocity[k] - [np.interp(last, grid, axis) for axis in gained.T]
        velocity = np.einsum("nij,ni->nj", attitude, gained)
    parts = zip((motion.attitude, motion.angular, motion.velocity), (attitude, fresh.angular, velocity), strict=True)
    R, omega, v = (np.concatenate([before[old], after[new]]) for before, after in parts)
    time, nothing = np.concatenate([motion.time[old], grid[new]]), np.zeros_like(omega)
    return Trajectory(time, R, omega, nothing, v, nothing, nothing, motion.gravity)


def _without_errors(signal: str, value: np.ndarray, unknowns: Unknowns) -> np.ndarray:
    """Readings of the force sensor's own frame."""
    if signal == "attitude":
        return value @ unknowns.attitude_rotation.T
    if signal == "twist/angular":
        return (value - unknowns.gyro_bias) @ unknowns.rotation
    if signal == "specific_force":
        return (value - unknowns.accelerometer_bias) @ unknowns.rotation / (1.0 + unknowns.accelerometer_scale)
    return value - unknowns.velocity_bias


def resampled(motion: Trajectory, time: np.ndarray, spline: Spline) -> Trajectory:
    """The same motion at other times, as a smooth reference and a correction on the knots of `spline`.

    The reference has knots twice as far apart, so that corrections on the knots can take back all that it follows: the
    motion has the freedom of one spline, not of two.
    """
    wide = Spline.covering(spline.start, spline.start + spline.intervals * spline.spacing, 2.0 * spline.spacing)
    angular = wide.fit(motion.time, motion.angular)
    every = np.unique(np.concatenate([time, motion.time]))  # one integral: both may begin at different times
    attitudes = integrated(every, wide, angular)
    turned, before = attitudes[np.searchsorted(every, time)], attitudes[np.searchsorted(every, motion.time)]
    some = slice(None, None, max(1, len(before) // NUMERICS.mean_rotations))  # the mean of all would serve no better
    first = Rotation.from_matrix(motion.attitude[some] @ before[some].transpose(0, 2, 1)).mean().as_matrix()
    nothing = np.zeros((len(time), 3))
    reference = Trajectory(
        time,
        first @ turned,
        wide.evaluate(angular, time),
        wide.evaluate(angular, time, 1),
        nothing,
        nothing,
        nothing,
        motion.gravity,
    )
    phi = log_so3((first @ before).transpose(0, 2, 1) @ motion.attitude)
    correction = spline.fit(motion.time, np.concatenate([phi, motion.velocity], axis=1))
    return reference.corrected(spline, correction)


def first_load(
    motion: Trajectory, rows: np.ndarray, wrench: Channel, specific_force: np.ndarray, tared: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Ten parameters and six offsets (torque, force) by linear least squares."""
    Y = wrench_regressor(specific_force, motion.angular[rows], motion.angular_acceleration[rows])
    offsets = np.zeros((0, 6)) if tared else np.broadcast_to(np.eye(6), (len(rows), 6, 6))
    matrix = Y if tared else np.concatenate([Y, offsets], axis=2)
    whitened = (matrix / wrench.std[:, None]).reshape(-1, matrix.shape[2])
    scale = np.maximum(np.linalg.norm(whitened, axis=0), 1e-12)
    found = least_squares(whitened / scale, (wrench.value / wrench.std).ravel(), 1e-9) / scale
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


def force_misfit(specific_force: np.ndarray, wrench: Channel) -> float:
    """Squares that a mass and an offset leave of the force, with specific force (n, 3) in the axes of the wrench."""
    force, s = (rows - rows.mean(axis=0) for rows in (wrench.value[:, 3:], specific_force))
    mass = np.sum(force * s) / max(float(np.sum(s * s)), 1e-12)
    return float(np.sum((force - mass * s) ** 2))


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
    coefficients = spline.fit(*_bridged(channel.time, quaternions_of(channel.value), spline))
    q, rate, second = (spline.evaluate(coefficients, time, k) for k in range(3))
    # Of the unit quaternion u = q / |q|: omega = 2 conj(u) u', alpha = 2 conj(u) u''  (vector parts).
    size = np.linalg.norm(q, axis=1, keepdims=True)
    u, du = q / size, rate / size
    along = np.sum(u * du, axis=1, keepdims=True)
    d2u = second / size - 2.0 * along * du
    return Rotation.from_quat(u).as_matrix(), 2.0 * _vector_of_product(u, du), 2.0 * _vector_of_product(u, d2u)


def _vector_of_product(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vector part of conj(u) v."""
    return u[:, 3:] * v[:, :3] - v[:, 3:] * u[:, :3] - cross(u[:, :3], v[:, :3])


def _level(time: np.ndarray, turned: np.ndarray, felt: Channel) -> np.ndarray:
    """(3, 3): a first attitude whose vertical is that of the mean specific force, or else of the mean force."""
    rows = np.clip(np.searchsorted(time, felt.time), 0, len(time) - 1)
    up = np.einsum("nij,nj->i", turned[rows], felt.value[:, -3:])
    size = float(np.linalg.norm(up))
    if size < 1e-9:
        return np.eye(3)
    return Rotation.align_vectors(np.array([[0.0, 0.0, 1.0]]), up[None] / size)[0].as_matrix()
