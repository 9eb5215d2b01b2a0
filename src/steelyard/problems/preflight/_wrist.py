"""Signals of wrists that hold a load, against each other: which reading of the log explains the motion best.

Four comparisons need no estimator. With u = s - (dv/dt + omega x v), which is gravity's reaction in sensor axes: (1) u
turns as the rates say, du/dt = -omega x u, and (2) has the size of gravity. By least squares: (3) the sum of all forces
is m s + (alpha x + omega x omega x) m c + offset, and (4) for a robot alone the torque is m c x s + J alpha +
omega x J omega + offset. Robots of a team are brought to the first one's axes by their angular velocities.
"""

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from steelyard._rotations import cross, skew
from steelyard.logs import Log
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._readings import PERMUTATIONS, averages, best_axes, finite, middle, robust_sum
from steelyard.problems.preflight._tuning import TUNING

_SIGNALS = {"w": "twist/angular", "v": "twist/linear", "s": "specific_force", "N": "wrench/torque", "F": "wrench/force"}
Hand = Mapping[str, np.ndarray]
"""One robot's signals (n, 3) by letter, row by row or averaged over blocks."""


@dataclasses.dataclass(frozen=True)
class WristReading:
    """Another way to read one robot's signals."""

    code: str
    sentence: str
    remedy: str
    change: Callable[[Hand], Hand]
    late: tuple[str, float] | None = None
    """Letters of the signals that are late, and by how much (s)."""
    certain: bool = True


def wrist_findings(log: Log, robots: tuple[str, ...], gravity: float) -> list[PreflightFinding]:
    """The best reading of the robots' signals, where it is not the log's own."""
    robots = tuple(robot for robot in robots if log.has(robot, "wrench/force", ("x", "y", "z")))
    time = np.asarray(log.time) - log.time[0]
    h = max(TUNING.wrist_block, 5.0 * float(np.median(np.diff(time)))) if len(time) > 100 else np.inf
    count = int(time[-1] / h)
    if not robots or count < 60:
        return []
    rows = {robot: _rows(log, robot) for robot in robots}
    if robots[1:] and not all(_varies(hand["w"]) for hand in rows.values()):
        return []  # nothing brings that robot's signals to the first one's axes

    def blocks(robot: str, letter: str, late: float = 0.0) -> np.ndarray:
        return averages(time - late, rows[robot][letter], h, count)

    team = {robot: {letter: blocks(robot, letter) for letter in _SIGNALS} for robot in robots}
    memory: _Memory = {}
    own = WristFit.of(team, h, gravity, memory)
    scored: list[tuple[float, str, WristReading | None]] = [(0.0, robots[0], None)]
    for robot in robots:
        for reading in _readings(team[robot], robot, own):
            hand: Hand = team[robot]
            if reading.late is not None:
                hand = dict(hand) | {letter: blocks(robot, letter, reading.late[1]) for letter in reading.late[0]}
            fit = WristFit.of(team | {robot: reading.change(hand)}, h, gravity, memory)
            scored.append((fit.gain_over(own), robot, reading))
    gain, robot, best = max(scored, key=lambda one: one[0])
    if best is None or gain < TUNING.decisive:
        return []
    sentence = f"{best.sentence} (twice the log-likelihood is {gain:.0f} better)."
    kind = "certain" if best.certain else "hint"
    return [PreflightFinding(best.code, sentence, best.remedy, robot, _mend(robot, rows[robot], best), kind)]


def _varies(values: np.ndarray) -> bool:
    there = finite(values)
    return there.size > 0 and bool(np.any(there != there[:1]))


def _mend(robot: str, rows: Hand, reading: WristReading) -> Callable[[Log], Log]:
    def mend(log: Log) -> Log:
        mended, columns = reading.change(rows), {}
        for letter, signal in _SIGNALS.items():
            late = reading.late[1] if reading.late is not None and letter in reading.late[0] else 0.0
            for k, axis in enumerate("xyz"):
                name = f"{robot}/{signal}/{axis}"
                if name in log.columns:
                    values = mended[letter][:, k]
                    columns[name] = np.interp(log.time + late, log.time, values) if late else values
        return Log(log.time, dict(log.columns) | columns, log.origin, log.metadata)

    return mend


def _rows(log: Log, robot: str) -> Hand:
    axes = ("x", "y", "z")
    blank = np.full((len(log), 3), np.nan)
    return {
        letter: log.signal(robot, signal, axes) if log.has(robot, signal, axes) else blank
        for letter, signal in _SIGNALS.items()
    }


@dataclasses.dataclass(frozen=True, eq=False)
class WristFit:
    """How well the signals explain each other."""

    squares: tuple[float, ...]
    numbers: tuple[int, ...]
    mass: float
    predicted: np.ndarray
    """(n, 3): the force of all, as the motion explains it, in the first robot's axes."""

    def gain_over(self, other: "WristFit") -> float:
        """Twice the log-likelihood by which this reading is better; 0 where no comparison is clearly better."""
        gain, clear = 0.0, False
        for a, b, n, m in zip(self.squares, other.squares, self.numbers, other.numbers, strict=True):
            if min(n, m) >= 60:
                gain += 0.5 * min(n, m) * float(np.log((b / m) / (a / n)))
                clear |= a / n < TUNING.improved * b / m
        if self.mass <= 0.0:
            return -np.inf
        if other.mass <= 0.0:
            return gain + 1e3
        return gain if clear else 0.0

    @staticmethod
    def of(team: Mapping[str, Hand], h: float, gravity: float, memory: "_Memory | None" = None) -> "WristFit":
        """All comparisons; squares include the floors. What another reading shares with others is remembered."""
        hands, memory = list(team.values()), {} if memory is None else memory
        moving = [
            _remembered(memory, "motion", [hand[k] for k in "wvs"], lambda w, v, s: _motion_misfit(w, v, s, h, gravity))
            for hand in hands
        ]
        signals = [hand[k] for hand in hands for k in "wF"] + [hands[0][k] for k in "sN"]
        shares, mass, predicted = _remembered(memory, "load", signals, lambda *_: _load_misfit(hands, h))
        squares, numbers = [], []
        parts = (*(np.concatenate(part) for part in zip(*moving, strict=True)), *shares)
        for part, floor in zip(parts, TUNING.wrist_floors, strict=True):
            good = finite(part)
            numbers.append(good.size)
            squares.append(robust_sum(good) + good.size * floor**2)
        return WristFit(tuple(squares), tuple(numbers), mass, predicted)


_Memory = dict[tuple, tuple[list[np.ndarray], Any]]
"""By what was computed and from which arrays: those arrays, so that they stay the same ones, and the result."""


def _remembered(memory: _Memory, what: str, arrays: list[np.ndarray], compute: Callable[..., Any]) -> Any:
    key = (what, *map(id, arrays))
    if key not in memory:
        memory[key] = (arrays, compute(*arrays))
    return memory[key][1]


def _motion_misfit(w: np.ndarray, v: np.ndarray, s: np.ndarray, h: float, gravity: float):
    """How far gravity is from turning as the rates say, and from its own size."""
    u = middle(s) - (np.diff(v, axis=0) / h + cross(middle(w), middle(v)))
    turning = np.diff(u, axis=0) / h + cross(w[1:-1], middle(u))
    if gravity <= 0.0:
        return turning, np.zeros((0, 1))
    smooth = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
    return turning, (np.linalg.norm(smooth, axis=1) - gravity)[:, None]


def _load_misfit(hands: list[Hand], h: float):
    """Of forces and torques, as shares of their size; the mass, and the force that the motion explains."""
    first = hands[0]
    alpha = (first["w"][2:] - first["w"][:-2]) / (2.0 * h)
    w, s = first["w"][1:-1], first["s"][1:-1]
    total = first["F"].copy()
    for hand in hands[1:]:
        total = total + hand["F"] @ _turn(hand["w"], first["w"]).T
    force, mass, predicted = _force_misfit(total[1:-1], w, alpha, s)
    torque = _torque_misfit(first["N"][1:-1], w, alpha, s) if len(hands) == 1 else np.zeros((0, 3))
    shares = []
    for misfit, signal in ((force, total), (torque, first["N"])):
        size = float(np.std(finite(signal))) + 1e-9 if len(finite(signal)) else 1.0
        shares.append(misfit / size)
    return shares, mass, predicted


def _turn(w: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The rotation that takes one robot's angular velocities to another's."""
    good = np.isfinite(w).all(1) & np.isfinite(first).all(1)
    if good.sum() < 20:
        return np.eye(3)
    U, _, Vt = np.linalg.svd(first[good].T @ w[good])
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt


def _spin(w: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """(n, 3, 3): what a lever arm's acceleration is in turning."""
    W, A = skew(w), skew(alpha)
    return A + W @ W


def _solve(A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Residual (n, 3), parameters and prediction of y (n, 3) = A (n, 3, p) x by least squares; NaN where unknown."""
    good = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(y).all(1)
    residual, predicted = np.full(y.shape, np.nan), np.full(y.shape, np.nan)
    if good.sum() < 30:
        return residual, np.zeros(A.shape[2]), predicted
    M = A[good].reshape(-1, A.shape[2])
    G = M.T @ M
    G[np.diag_indices_from(G)] *= 1.0 + 1e-9
    x = np.linalg.lstsq(G, M.T @ y[good].ravel(), rcond=None)[0]
    predicted[good] = (M @ x).reshape(-1, 3)
    residual[good] = y[good] - predicted[good]
    return residual, x, predicted


def _force_misfit(total: np.ndarray, w: np.ndarray, alpha: np.ndarray, s: np.ndarray):
    ones = np.repeat(np.eye(3)[None], len(s), 0)
    residual, x, predicted = _solve(np.concatenate([s[:, :, None], _spin(w, alpha), ones], axis=2), total)
    return residual, float(x[0]), predicted


def _torque_misfit(torque: np.ndarray, w: np.ndarray, alpha: np.ndarray, s: np.ndarray) -> np.ndarray:
    ones, W = np.repeat(np.eye(3)[None], len(s), 0), skew(w)
    inertia = _moments(alpha) + W @ _moments(w)
    return _solve(np.concatenate([-skew(s), inertia, ones], axis=2), torque)[0]


def _moments(x: np.ndarray) -> np.ndarray:
    """(n, 3, 6): J x as a product with the moments xx, yy, zz, xy, xz, yz."""
    z = np.zeros(len(x))
    rows = [[x[:, 0], z, z, x[:, 1], x[:, 2], z], [z, x[:, 1], z, x[:, 0], z, x[:, 2]]]
    rows.append([z, z, x[:, 2], z, x[:, 0], x[:, 1]])
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def _readings(hand: Hand, robot: str, own: WristFit) -> list[WristReading]:
    """All that are worth trying for one robot."""

    def scaled(letters: str, factor: float) -> Callable[[Hand], Hand]:
        return lambda hand: dict(hand) | {letter: factor * hand[letter] for letter in letters}

    def reading(code: str, signal: str, what: str, remedy: str, change: Callable[[Hand], Hand]) -> WristReading:
        return WristReading(code, f"{robot}/{signal} fits the motion {what}", remedy, change)

    opposite = "with the opposite sign: it is the wrench on the sensor, not on the load"
    flip = 'State axes = ["-x", "-y", "-z"] for it in a mapping.'
    readings = [
        reading("wrench-sign", "wrench", opposite, flip, scaled("FN", -1.0)),
        reading("force-sign", "wrench/force", "with the opposite sign", flip, scaled("F", -1.0)),
        reading("torque-sign", "wrench/torque", "with the opposite sign", flip, scaled("N", -1.0)),
        reading("rates-sign", "twist/angular", "with the opposite sign", flip, scaled("w", -1.0)),
        reading("accelerometer-sign", "specific_force", "with the opposite sign", flip, scaled("s", -1.0)),
        reading("accelerometer-unit", "specific_force", "in units of g", 'State unit = "g".', scaled("s", TUNING.g)),
    ]
    turning = np.linalg.norm(finite(hand["w"]), axis=1)
    if len(turning) and np.median(turning) > TUNING.fast_wrist:
        readings.append(
            reading(
                "rates-degrees",
                "twist/angular",
                "in degrees a second",
                'State unit = "deg/s".',
                scaled("w", np.pi / 180.0),
            )
        )
    for letter, other in (("s", hand["F"]), ("v", hand["v"])):
        for order, signs in best_axes(hand[letter], other) if letter == "s" else PERMUTATIONS[:40]:
            axes = [("-" if sign < 0 else "") + "xyz"[k] for k, sign in zip(order, signs, strict=True)]
            readings.append(
                reading(
                    f"{'accelerometer' if letter == 's' else 'velocity'}-axes",
                    _SIGNALS[letter],
                    f"with axes {', '.join(axes)}",
                    f"State axes = {axes} in its mapping.".replace("'", '"'),
                    lambda hand, letter=letter, order=order, signs=signs: (
                        dict(hand) | {letter: hand[letter][:, list(order)] * np.array(signs)}
                    ),
                )
            )
    for order, signs in best_axes(hand["F"], hand["s"]):
        axes = [("-" if sign < 0 else "") + "xyz"[k] for k, sign in zip(order, signs, strict=True)]
        readings.append(
            reading(
                "wrench-axes",
                "wrench",
                f"with axes {', '.join(axes)}",
                f"State axes = {axes} in its mapping.".replace("'", '"'),
                lambda hand, order=order, signs=signs: (
                    dict(hand) | {letter: hand[letter][:, list(order)] * np.array(signs) for letter in "FN"}
                ),
            )
        )
    for letters, late in itertools.product(("FN", "s", "w"), TUNING.wrist_delays):
        name = "wrench" if letters == "FN" else _SIGNALS[letters]
        readings.append(
            WristReading(
                "late",
                f"{robot}/{name} fits the motion best if it is {1000 * late:.0f} ms late",
                f"State delay = {late:g} in its mapping.",
                lambda hand: hand,
                (letters, late),
                certain=False,
            )
        )
    return readings
