"""Channels of a team that cannot be right: stuck, at their limit, in other units, by another clock."""

import dataclasses

import numpy as np

from steelyard.models import WRIST_SIGNALS
from steelyard.problems._identification import Event
from steelyard.problems.spatial_load._reading import SpatialRecord
from steelyard.problems.spatial_load._tuning import TUNING

_DEGREES = 57.3
_WRENCH = (slice(9, 12), slice(12, 15))


@dataclasses.dataclass(frozen=True)
class ChannelFaults:
    """What is wrong with a record."""

    record: SpatialRecord
    """The same record without the samples that cannot be right."""
    events: tuple[Event, ...]
    notes: tuple[str, ...]
    reasons: tuple[str, ...]
    """Why the load cannot be estimated; empty where it can."""


def find_faults(record: SpatialRecord) -> ChannelFaults:
    """Screens every channel; what can do without its bad samples goes on without them."""
    readings, events, notes, reasons = record.readings.copy(), [], [], []
    for i, name in enumerate(record.graph.names):
        for k, (signal, unit) in enumerate(WRIST_SIGNALS.items()):
            part = slice(3 * k, 3 * k + 3)
            stuck = _stuck(record, i, part)
            limit, clipped = _clipped(record.readings[:, i, part], record.noise[signal])
            for bad, what in (
                (stuck, "is stuck"),
                (clipped, f"is at its limit of {limit:.3g} {unit}"),
            ):
                if not bad.any():
                    continue
                readings[bad, i, part] = np.nan
                when, share = float(record.time[np.argmax(bad)]), float(np.mean(bad))
                message = f"{name}/{signal} {what} in {100 * share:.2g} % of the rows; those are left out."
                events.append(Event(when, "fault", name, signal, message))
                notes.append(message)
                if k >= 3:
                    reasons.append(f"{name}/{signal} {what}, and without it nobody knows what acts on the load")
    record = dataclasses.replace(record, readings=readings)
    if not np.isfinite(readings[:, :, :3]).any():
        reasons.append("every robot's twist/angular is stuck, so nobody knows how the load turns")
    odd = _odd_sizes(record)
    late = _late_clock(record) if not odd else None
    for reason in (*odd, *([late] if late else [])):
        events.append(Event(float(record.time[0]), "fault", *reason[:2], reason[2]))
        reasons.append(reason[2])
    return ChannelFaults(record, tuple(events), tuple(notes), tuple(dict.fromkeys(reasons)))


def _stuck(record: SpatialRecord, robot: int, part: slice) -> np.ndarray:
    """(n,): rows in which a signal repeats itself, while others that should move with it do not."""
    values = record.readings[:, robot, part]
    same = np.all(values[1:] == values[:-1], axis=1)
    noise = np.repeat([record.noise[signal] for signal in WRIST_SIGNALS], 3)
    moves = np.abs(np.diff(record.readings[:, robot], axis=0)) > noise
    alive = np.any(np.delete(moves, np.arange(part.start, part.stop), axis=1), axis=1)
    rows, need = np.zeros(len(values), bool), max(round(TUNING.stuck_seconds * record.rate), 3)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same & alive, [False]]).astype(int)))
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        if end - begin >= need:
            rows[begin : end + 1] = True
    return rows


def _clipped(values: np.ndarray, noise: float) -> tuple[float, np.ndarray]:
    """The limit at which an axis stands still again and again, and the rows (n,) in which one does.

    An axis that hardly moves, by its own noise, is at no limit.
    """
    rows, limit = np.zeros(len(values), bool), np.nan
    for column in values.T:
        present = column[np.isfinite(column)]
        if present.size < 20 or np.ptp(present) < noise:
            continue
        for extreme in (present.max(), present.min()):
            at = column == extreme
            if at.sum() >= TUNING.clipped_rows and at.sum() < 0.9 * present.size:
                rows, limit = rows | at, abs(float(extreme))
    return limit, rows


def _odd_sizes(record: SpatialRecord) -> list[tuple[str, str, str]]:
    """Robot, signal and message where a robot's numbers are of another size than everybody else's."""
    found, names = [], record.graph.names
    limits = {
        "twist/angular": TUNING.size_ratio,
        "specific_force": TUNING.size_ratio,
        "wrench/force": TUNING.size_ratio**2,
        "twist/linear": TUNING.size_ratio**2,
    }
    for signal, most in limits.items():
        k = list(WRIST_SIGNALS).index(signal)
        part = slice(3 * k, 3 * k + 3)
        squares = np.sum(record.readings[:, :, part] ** 2, axis=2)
        count = np.isfinite(squares).sum(axis=0)
        mean = np.where(count > 0, np.nansum(squares, axis=0) / np.maximum(count, 1), np.nan)  # a sensor may be none
        square = mean - 3 * record.noise[signal] ** 2
        size = np.sqrt(np.maximum(square, 3 * record.noise[signal] ** 2))
        for i, name in enumerate(names):
            others = np.delete(size, i)
            others = others[np.isfinite(others)]
            if others.size == 0 or not np.isfinite(size[i]):
                continue
            ratio = float(size[i] / np.median(others))
            if 1 / most < ratio < most or (others.size == 1 and ratio < 1):
                continue
            hint = ""
            if signal == "twist/angular" and abs(ratio / _DEGREES - 1) < 0.3:
                hint = "; it looks like degrees, convert to rad/s"
            elif signal == "wrench/force" and ratio > most:
                hint = "; it looks like grams or millinewtons, convert to N"
            who = f"{name}/{signal} is {ratio:.3g} times as large as the other robots'"
            found.append((name, signal, f"{who}, which cannot be on one body{hint}"))
    torque, force = (_rms(record.readings[:, :, p]) for p in _WRENCH)
    for i, name in enumerate(names):
        arm = float(torque[i] / max(force[i], record.noise["wrench/force"]))
        if arm > TUNING.longest_arm:
            what = f"{name}/wrench/torque over {name}/wrench/force is {arm:.3g} m, longer than any arm"
            found.append((name, "wrench/torque", f"{what}; if it is in N mm, convert to N m"))
    alone = float(_rms(record.readings[:, :, :3].reshape(-1, 1, 3))[0])
    if not found and alone > 0.5 * _DEGREES:
        message = (
            f"twist/angular is {alone:.3g} rad/s rms, faster than robots turn a load; if these are degrees, convert"
        )
        found.append((names[0], "twist/angular", message))
    return found


def _rms(values: np.ndarray) -> np.ndarray:
    """(robot,): of vectors (n, robot, 3); NaN where none is there."""
    squares = np.sum(values**2, axis=2)
    count = np.isfinite(squares).sum(axis=0)
    return np.sqrt(np.where(count > 0, np.nansum(squares, axis=0) / np.maximum(count, 1), np.nan))


def _late_clock(record: SpatialRecord) -> tuple[str, str, str] | None:
    """Robot, signal and message where somebody's angular velocities come later than everybody else's."""
    names, n = record.graph.names, len(record.graph.names)
    omega = record.readings[:, :, :3]
    rows = np.isfinite(omega).all(axis=(1, 2))
    if n < 2 or rows.sum() < 50:
        return None
    omega, wide = omega[rows], max(round(TUNING.clock_smoothing * record.rate), 2)
    window = np.hanning(2 * wide + 3)[1:-1]
    kernel = window / window.sum()
    smooth = np.apply_along_axis(lambda column: np.convolve(column, kernel, "same"), 0, omega)[wide:-wide]
    omega = omega[wide:-wide]
    rate = np.gradient(smooth, axis=0) * record.rate
    lags, stds = np.zeros(n), np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        turns = [_turn_between(smooth[:, j], smooth[:, i]) for j in others]
        seen = np.mean([omega[:, j] @ R.T for j, R in zip(others, turns, strict=True)], axis=0)
        derivative = np.mean([rate[:, j] @ R.T for j, R in zip(others, turns, strict=True)], axis=0)
        weight = float(np.sum(derivative**2)) + 1e-12
        lags[i] = -float(np.sum((omega[:, i] - seen) * derivative)) / weight
        stds[i] = record.noise["twist/angular"] * np.sqrt((1 + 1 / len(others)) / weight)
    worst = int(np.argmax(np.abs(lags)))
    if abs(lags[worst]) < max(6 * stds[worst], 0.7 / record.rate, 0.004):
        return None
    way = "late" if lags[worst] > 0 else "early"
    who = names[worst] if n > 2 else f"{names[1]} against {names[0]}"
    size = 1e3 * abs(lags[worst])
    return names[worst], "time", f"the clock of {who} is about {size:.0f} ms {way}: set the clocks of the team together"


def _turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation that brings vectors a to vectors b, both (n, 3)."""
    U, _, V = np.linalg.svd(b.T @ a)
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V
