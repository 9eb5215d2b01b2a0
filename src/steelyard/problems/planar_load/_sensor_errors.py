"""Whether one robot's sensor error explains a planar team's readings better than none: score tests after the fit.

The team's fit is repeated with all readings in one place: backwards from the last row, at which its answer holds, over
more and more rows. Then each error of each robot's sensors is one or two more unknowns: how much likelier they make the
readings follows from the normal equations alone.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from steelyard.estimators import Damping, Estimate, Reason, damped_step, gauss_newton
from steelyard.problems.planar_load._reading import PlanarRecord
from steelyard.problems.planar_load._tuning import TUNING
from steelyard.problems.planar_load._verdict import spin_of

DAMPING = Damping(first=1e-3, least=1e-9, restart=1e-6, most=1e6)
_LOAD = 5  # ω, vx, vy, log m, log J; then the contacts


class SensorError(NamedTuple):
    """An error of one robot's sensor, as one or two unknowns."""

    code: str
    robot: str
    sentence: Callable[[np.ndarray], str]
    """What is said of it, given its size."""
    remedy: str
    force: tuple[np.ndarray, ...] = ()
    """(row,) complex, N: what each unknown adds to the robot's force."""
    velocity: tuple[np.ndarray, ...] = ()
    """(row,) complex, m/s: what each adds to its reading."""


def _real(values: np.ndarray) -> np.ndarray:
    return np.concatenate([np.real(values), np.imag(values)])


def _before(values: np.ndarray) -> np.ndarray:
    """Of means over the step before each row, what acts from the row after to each, from the last row backwards."""
    return np.concatenate([np.zeros_like(values[:1]), values[:0:-1]])


class _Path(NamedTuple):
    """The load's motion under the forces: at the middle and the end of each step."""

    middle: np.ndarray
    end: np.ndarray
    omega: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def sensor_error_reasons(
    record: PlanarRecord, robots: Mapping[str, Mapping[str, Estimate]], since: float
) -> list[Reason]:
    """The error that explains the rows after `since` best, if it is decisive and moves an answer; else nothing."""
    record = _last_span(record, since)
    x = None if len(record.time) < TUNING.check_rows else _team_answer(record, robots)
    if x is None:
        return []
    rows = len(record.time)
    for share in TUNING.check_shares:
        x = _fitted(_Team(record.rows(slice(rows - round(share * rows), None))), x)
    errors = _errors(record)
    with np.errstate(over="ignore", invalid="ignore"):
        residuals, by, groups = _Team(record).linearised(x, errors)
        close = residuals @ residuals < TUNING.check_misfit * residuals.size
    if not close or not np.isfinite(by).all():
        return []
    best, reason = TUNING.check_decisive, None
    size = len(x)
    M, g = by.T @ by, by.T @ residuals
    P = np.linalg.pinv(M[:size, :size], hermitian=True)
    for error, group in zip(errors, groups, strict=True):
        S = M[group, group] - M[group, :size] @ P @ M[:size, group]
        s = g[group] - M[group, :size] @ P @ g[:size]
        found = np.linalg.lstsq(S, s, rcond=1e-9)[0]
        gain = float(s @ found) - TUNING.check_penalty * len(found)
        moved = np.abs(P @ M[:size, group] @ found)[3:] / np.sqrt(np.diag(P))[3:]
        if gain > best and moved.max() > TUNING.check_moved:
            why = f"{error.sentence(found)} (twice the log-likelihood is {gain:.0f} better). {error.remedy}"
            best, reason = gain, Reason(error.code, why)
    return [] if reason is None else [reason]


def _team_answer(record: PlanarRecord, robots: Mapping[str, Mapping[str, Estimate]]) -> np.ndarray | None:
    """The unknowns at the last row; None where the team does not know them all."""
    answers = [robots[name] for name in record.graph.names]
    known = [[one[quantity].value for quantity in ("mass", "inertia", "com")] for one in answers]
    if any(value is None for values in known for value in values):
        return None
    masses, inertias, coms = (np.array(values, float) for values in zip(*known, strict=True))
    arms = -coms @ np.array([1.0, 1j])
    v = record.velocity @ np.array([1.0, 1j])
    rows = [row for row in range(len(v) - TUNING.first_rows, len(v)) if np.isfinite(v[row]).all()]
    if not rows:
        return None
    found = [spin_of(arms, v[row], np.isfinite(v[row])) for row in rows]
    omega, along = np.mean([one[0] for one in found]), np.mean([one[1] for one in found])
    load = np.log(masses.mean()), np.log(inertias.mean())
    return np.array([omega, along.real, along.imag, *load, *np.real(arms), *np.imag(arms)])


class _Point(NamedTuple):
    """The fit's normal equations at a guess."""

    x: np.ndarray
    cost: float
    matrix: np.ndarray
    gradient: np.ndarray


def _fitted(team: "_Team", x: np.ndarray) -> np.ndarray:
    """Damped Gauss-Newton from a guess."""

    def at(x: np.ndarray) -> _Point:
        with np.errstate(over="ignore", invalid="ignore"):
            residuals, by, _ = team.linearised(x, [])
            return _Point(x, float(residuals @ residuals), by.T @ by, by.T @ residuals)

    def attempt(now: _Point, damping: float) -> _Point | None:
        found = at(now.x + damped_step(now.matrix, now.gradient, damping))
        return found if np.isfinite(found.matrix).all() else None

    def settled(before: _Point, after: _Point) -> bool:
        return before.cost - after.cost < TUNING.check_converged

    start = at(x)
    usable = bool(np.isfinite(start.matrix).all())
    return gauss_newton(start, attempt, settled, DAMPING, trials=TUNING.check_iterations).x if usable else x


def _last_span(record: PlanarRecord, since: float) -> PlanarRecord:
    """The last rows without a gap or an unknown force, after a time, no more than the team's own window."""
    step = float(np.median(np.diff(record.time)))
    bad = np.isnan(record.force).any(axis=(1, 2)) | (np.diff(record.time, prepend=record.time[0]) > 2.5 * step)
    bad |= (record.time <= since) | (record.time < record.time[-1] - TUNING.check_seconds)
    first = int(np.flatnonzero(bad)[-1]) + 1 if bad.any() else 0
    return record.rows(slice(first, None))


class _Team:
    """All robots' readings of a span, from the last row to the first, and the model about a guess."""

    def __init__(self, record: PlanarRecord):
        self.record = record
        self.f = _before(record.force[..., 0] + 1j * record.force[..., 1])
        self.v = (record.velocity[..., 0] + 1j * record.velocity[..., 1])[::-1]
        self.h = np.concatenate([[0.0], np.full(len(self.f) - 1, -float(np.median(np.diff(record.time))))])
        self.there = np.isfinite(self.v)

    def linearised(self, x: np.ndarray, errors: list[SensorError]) -> tuple[np.ndarray, np.ndarray, list[slice]]:
        """Residuals and their derivatives, in standard deviations, by x and then by the errors' unknowns."""
        n = self.f.shape[1]
        arms, mass, inertia = x[_LOAD : _LOAD + n] + 1j * x[_LOAD + n :], np.exp(x[3]), np.exp(x[4])
        path = self._path(x, arms, mass, inertia)
        stiffness = -np.real((np.conj(path.middle[:, None] * arms) * self.f).sum(axis=1)) / inertia
        count = len(x) + sum(len(one.force or one.velocity) for one in errors)
        push, turn = np.zeros((len(self.f), count), complex), np.zeros((len(self.f), count))
        own = np.zeros((len(self.f), n, count), complex)
        push[:, 3], turn[:, 4] = -self.f.sum(axis=1) / mass, -path.acceleration
        lever = np.conj(path.middle)[:, None] * self.f / inertia
        turn[:, _LOAD : _LOAD + n], turn[:, _LOAD + n : _LOAD + 2 * n] = np.imag(lever), np.imag(-1j * lever)
        spin = 1j * path.omega * path.end
        for j in range(n):
            own[:, j, _LOAD + j], own[:, j, _LOAD + n + j] = spin, 1j * spin
        groups, at, names = [], len(x), self.record.graph.names
        for one in errors:
            groups.append(slice(at, at + len(one.force or one.velocity)))
            for added in map(_before, one.force):
                j = names.index(one.robot)
                push[:, at], turn[:, at] = added / mass, np.imag(np.conj(path.middle * arms[j]) * added) / inertia
                at += 1
            for added in one.velocity:
                own[:, names.index(one.robot), at] = added[::-1]
                at += 1
        theta, omega = self._tangent(turn, stiffness, count)
        velocity = np.cumsum(self.h[:, None] * push, axis=0)
        velocity[:, 1] += 1.0
        velocity[:, 2] += 1j
        around = (path.end[:, None] * arms)[..., None]
        by = velocity[:, None] + own + 1j * around * (omega + 1j * path.omega[:, None] * theta)[:, None]
        left = self.v - path.velocity[:, None] - (spin[:, None] * arms)
        left, by = left[self.there], by[self.there]
        sigma = self.record.velocity_noise
        return _real(left) / sigma, _real(by) / sigma, groups

    def _path(self, x: np.ndarray, arms: np.ndarray, mass: float, inertia: float) -> _Path:
        theta, omega = 0.0, float(x[0])
        middle, end, omegas, accelerations = np.empty((4, len(self.f)), complex)
        torque = np.conj(arms) @ self.f.T / inertia  # of a load that does not turn
        for k, (push, h) in enumerate(zip(torque, self.h, strict=True)):
            half = np.exp(1j * (theta + 0.5 * h * omega))
            alpha = float(np.imag(np.conj(half) * push))
            theta, omega = theta + h * (omega + 0.5 * h * alpha), omega + h * alpha
            middle[k], end[k], omegas[k], accelerations[k] = half, np.exp(1j * theta), omega, alpha
        velocity = complex(x[1], x[2]) + np.cumsum(self.h * self.f.sum(axis=1)) / mass
        return _Path(middle, end, np.real(omegas), velocity, np.real(accelerations))

    def _tangent(self, turn: np.ndarray, stiffness: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """How heading and angular velocity follow, (row, unknown): the arms turn with the load."""
        theta, omega = np.zeros(count), np.zeros(count)
        omega[0] = 1.0
        thetas, omegas = np.empty_like(turn), np.empty_like(turn)
        for k, (forced, stiff, h) in enumerate(zip(turn, stiffness, self.h, strict=True)):
            alpha = forced + stiff * (theta + 0.5 * h * omega)
            theta = theta + h * (omega + 0.5 * h * alpha)
            omega = omega + h * alpha
            thetas[k], omegas[k] = theta, omega
        return thetas, omegas


def _errors(record: PlanarRecord) -> list[SensorError]:
    """All that are tried, of every robot."""
    found, ones = [], np.ones(len(record.time), complex)
    share = (record.time - record.time[0]) / (record.time[-1] - record.time[0])
    for j, name in enumerate(record.graph.names):
        f = record.force[:, j, 0] + 1j * record.force[:, j, 1]
        v = record.velocity[:, j, 0] + 1j * record.velocity[:, j, 1]
        smooth = _smoothed(record.time, v)
        for signal, values, unit in (("force", f, "N"), ("velocity", smooth, "m/s")):
            gradient = np.gradient(values, record.time)
            who, sign = f"{name}/{signal}", 1.0 if signal == "force" else -1.0

            def add(code, sentence, remedy, *ways, signal=signal, name=name) -> None:
                force, velocity = (ways, ()) if signal == "force" else ((), ways)
                found.append(SensorError(f"{signal}-{code}", name, sentence, remedy, force, velocity))

            def late(e, who=who) -> str:
                return f"{who} fits the other robots best if it is {1000 * e[0]:.0f} ms late"

            def off(e, who=who, unit=unit) -> str:
                return f"{who} fits the other robots better without an offset of {np.hypot(*e):.2g} {unit}"

            def scaled(e, who=who, sign=sign) -> str:
                a = 1.0 + sign * complex(*e)
                turned = f"turned by {np.degrees(np.angle(a)):.1f}° and " if abs(np.angle(a)) > 0.01 else ""
                return f"{who} fits the other robots {turned}scaled by {abs(a):.3g}"

            def drifts(e, who=who, unit=unit) -> str:
                return f"{who} fits the other robots better with a drift of {np.hypot(*e):.2g} {unit} over these rows"

            add("late", late, "State its delay in a mapping (--map).", sign * gradient)
            add("offset", off, "Tare the sensor.", -sign * ones, -1j * sign * ones)
            about = f"Look at its unit ({unit} is ours), its calibration and its axes."
            add("scale", scaled, about, values, 1j * values)
            add("drift", drifts, "Tare it again.", share * ones, 1j * share * ones)
    return found


def _smoothed(time: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A robot's velocity without gaps and with less noise, for what is proportional to it."""
    there = np.isfinite(v)
    filled = np.interp(time, time[there], np.real(v[there])) + 1j * np.interp(time, time[there], np.imag(v[there]))
    width = max(1, round(TUNING.check_smoothing / float(np.median(np.diff(time)))) | 1)
    padded = np.pad(filled, width // 2, mode="edge")
    return np.convolve(padded, np.full(width, 1.0 / width), mode="valid")
