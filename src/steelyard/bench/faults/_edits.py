"""Faults of single channels and of clocks, as pure functions of a log: what every lab's recordings have.

An `Edit` takes a log and a source of chance. A signal is named without its robot; `who` is the robot whose sensor is
faulty, by default every robot.
"""

from collections.abc import Callable

import numpy as np

from steelyard.logs import Log

Chance = np.random.Generator
Edit = Callable[[Log, Chance], Log]
Values = Callable[[np.ndarray, np.ndarray, Chance], np.ndarray]
"""Time (n,), values (n, k), chance: the faulty values."""


def columns_of(log: Log, signal: str, who: str | None = None) -> list[list[str]]:
    """The columns of a signal, a list a robot, in the log's order."""
    robots = log.robots if who is None else (who,)
    found = [[name for name in log.columns if f"{name}/".startswith(f"{robot}/{signal}/")] for robot in robots]
    return [names for names in found if names]


def changed(log: Log, columns: dict[str, np.ndarray]) -> Log:
    """The log with other values in some columns."""
    return Log(log.time, dict(log.columns) | columns, log.origin, log.metadata)


def on(signals: str | tuple[str, ...], edit: Values, who: str | None = None) -> Edit:
    """The fault of one signal, or the same of several."""

    def faulty(log: Log, chance: Chance) -> Log:
        columns: dict[str, np.ndarray] = {}
        for signal in (signals,) if isinstance(signals, str) else signals:
            for names in columns_of(log, signal, who):
                values = edit(np.asarray(log.time), np.stack([log.columns[name] for name in names], 1), chance)
                columns |= dict(zip(names, values.T, strict=True))
        return changed(log, columns)

    return faulty


def after(*edits: Edit) -> Edit:
    """One fault after the other."""

    def all_of_them(log: Log, chance: Chance) -> Log:
        for edit in edits:
            log = edit(log, chance)
        return log

    return all_of_them


# Values ---------------------------------------------------------------------------------------------------------------


def scale(factor: float) -> Values:
    """Another unit, or a wrong calibration."""
    return lambda time, values, chance: factor * values


def offset(size: float) -> Values:
    """A constant error in a direction that chance chooses."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        direction = chance.standard_normal(values.shape[1])
        return values + size * direction / np.linalg.norm(direction)

    return edit


def drift(size: float) -> Values:
    """An error that grows evenly to `size` at the end."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        share = (time - time[0]) / (time[-1] - time[0])
        return values + share[:, None] * (offset(size)(time, values, chance) - values)

    return edit


def axes(order: tuple[int, ...], signs: tuple[float, ...]) -> Values:
    """Other axes: exchanged, reversed."""
    return lambda time, values, chance: values[:, list(order)] * np.array(signs)


def turned(degrees: float) -> Values:
    """Axes turned by an angle about a direction that chance chooses, or in the plane."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        return values @ rotation(degrees, values.shape[1], chance).T

    return edit


def rotation(degrees: float, dimension: int, chance: Chance) -> np.ndarray:
    """By an angle, about a direction that chance chooses."""
    angle = np.radians(degrees)
    if dimension == 2:
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    x, y, z = (axis := chance.standard_normal(3)) / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def delay(seconds: float) -> Values:
    """A channel that comes late; straight lines between its samples."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        return np.stack([np.interp(time - seconds, time, column) for column in values.T], axis=1)

    return edit


def filtered(constant: float) -> Values:
    """A first-order low-pass with this time constant (s), as sensors have on board."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        out, shares = values.copy(), 1.0 - np.exp(-np.diff(time) / constant)
        for row, share in enumerate(shares, start=1):
            out[row] = out[row - 1] + share * (values[row] - out[row - 1])
        return out

    return edit


def held(seconds: float) -> Values:
    """A slower sensor, its last value repeated."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        return values[np.searchsorted(time, time[0] + seconds * ((time - time[0]) / seconds + 1e-9).astype(int))]

    return edit


def stuck(share: float) -> Values:
    """The same value for a share of the log, from a moment that chance chooses."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        begin, out = int(chance.uniform(0.3, 0.95 - share) * len(time)), values.copy()
        out[begin : begin + int(share * len(time))] = values[begin]
        return out

    return edit


def outliers(share: float, size: float = 10.0) -> Values:
    """Single wild samples, `size` times the channel's own spread."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        spread = np.nanstd(values, axis=0) + 1e-3
        wild = chance.random(len(time)) < share
        return np.where(wild[:, None], values + size * spread * chance.standard_normal(values.shape), values)

    return edit


def saturated(share: float) -> Values:
    """A limit that this share of the samples is beyond, on either side."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        return np.clip(values, np.nanquantile(values, share / 2, axis=0), np.nanquantile(values, 1 - share / 2, axis=0))

    return edit


def quantised(step: float) -> Values:
    """Rounded to this step, in the signal's unit."""
    return lambda time, values, chance: step * np.round(values / step)


def hum(size: float, frequency: float) -> Values:
    """A sine of this amplitude and frequency (Hz): a vibration, a swinging load."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        direction = chance.standard_normal(values.shape[1])
        direction *= size / np.linalg.norm(direction)
        return values + np.sin(2 * np.pi * frequency * time + chance.uniform(0, 6))[:, None] * direction

    return edit


def noisy(size: float) -> Values:
    """A worse sensor than usual: white noise of this deviation beside its own."""
    return lambda time, values, chance: values + size * chance.standard_normal(values.shape)


def _beginnings(n: int, share: float, rows: int, chance: Chance) -> np.ndarray:
    """Of blocks of so many rows that fill a share of all, one at least."""
    return chance.integers(0, n - rows, max(1, round(share * n / rows)))


def spikes(share: float, rows: int, size: float) -> Values:
    """Wild values for several rows in a row, as a loose contact has them, `size` times the channel's own spread."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        out, spread = values.copy(), np.nanstd(values, axis=0) + 1e-3
        for row in _beginnings(len(time), share, rows, chance):
            out[row : row + rows] += size * spread * chance.standard_normal(values.shape[1])
        return out

    return edit


def zeroed(share: float, rows: int) -> Values:
    """Zero for several rows in a row: what some drivers write where a sample is missing."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        out = values.copy()
        for row in _beginnings(len(time), share, rows, chance):
            out[row : row + rows] = 0.0
        return out

    return edit


def warming(share: float) -> Values:
    """A scale that grows evenly by this share: a sensor or an actuator that warms up."""
    return lambda time, values, chance: values * (1.0 + share * ((time - time[0]) / (time[-1] - time[0]))[:, None])


def scale_steps(factor: float) -> Values:
    """A scale that changes at a moment that chance chooses: a range switched, a connector half out."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        begin = time[0] + chance.uniform(0.3, 0.8) * (time[-1] - time[0])
        return values * np.where(time > begin, factor, 1.0)[:, None]

    return edit


def bent(share: float) -> Values:
    """A scale that is off by this share at the largest value, and by nothing at zero."""
    return lambda time, values, chance: values * (1.0 + share * (values / np.nanmax(np.abs(values), axis=0)) ** 2)


def one_axis(factor: float) -> Values:
    """One axis, that chance chooses, has another scale."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        axis = int(chance.integers(values.shape[1]))
        return values * np.where(np.arange(values.shape[1]) == axis, factor, 1.0)

    return edit


def coupled(share: float) -> Values:
    """One axis, that chance chooses, reads this share of another."""

    def edit(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        to, of = chance.permutation(values.shape[1])[:2]
        return values + share * np.outer(values[:, of], np.arange(values.shape[1]) == to)

    return edit


# Time and rows --------------------------------------------------------------------------------------------------------


def with_time(log: Log, time: np.ndarray, rows: np.ndarray | slice = slice(None)) -> Log:
    """The log at other times, some of its rows."""
    return Log(time, {name: values[rows] for name, values in log.columns.items()}, log.origin, log.metadata)


def time_unit(factor: float) -> Edit:
    """Milliseconds, or a clock that is too fast."""
    return lambda log, chance: with_time(log, factor * log.time)


def gap(seconds: float) -> Edit:
    """Rows are missing for a while in the middle."""

    def edit(log: Log, chance: Chance) -> Log:
        begin = log.time[0] + chance.uniform(0.3, 0.7) * (log.time[-1] - log.time[0] - seconds)
        rows = np.flatnonzero((log.time < begin) | (log.time > begin + seconds))
        return with_time(log, log.time[rows], rows)

    return edit


def thinned(share: float) -> Edit:
    """A share of the rows is lost, one here and one there."""

    def edit(log: Log, chance: Chance) -> Log:
        rows = np.flatnonzero(chance.random(len(log)) >= share)
        return with_time(log, log.time[rows], rows)

    return edit


def clock_jump(seconds: float) -> Edit:
    """The clock jumps ahead in the middle; no row is missing."""
    return lambda log, chance: with_time(log, log.time + seconds * (np.arange(len(log)) > len(log) // 2))


def spliced(seconds: float) -> Edit:
    """Rows are missing for a while, and the clock does not show it."""

    def edit(log: Log, chance: Chance) -> Log:
        lost = gap(seconds)(log, chance)
        return with_time(lost, log.time[: len(lost)])

    return edit


def doubled(share: float) -> Edit:
    """A share of the rows is written twice, half a step apart."""

    def edit(log: Log, chance: Chance) -> Log:
        rows = np.sort(np.concatenate([np.arange(len(log)), np.flatnonzero(chance.random(len(log)) < share)]))
        again = np.concatenate([[False], np.diff(rows) == 0])
        step = float(np.median(np.diff(log.time)))
        return with_time(log, log.time[rows] + 0.5 * step * again, rows)

    return edit


def repeated(seconds: float) -> Edit:
    """A block of rows is written twice, one after the other, and the clock goes on."""

    def edit(log: Log, chance: Chance) -> Log:
        step = float(np.median(np.diff(log.time)))
        count = max(1, round(seconds / step))
        first = int(chance.uniform(0.3, 0.6) * (len(log) - count))
        rows = np.concatenate([np.arange(first + count), np.arange(first, len(log))])
        return with_time(log, log.time[0] + step * np.arange(len(rows)), rows)

    return edit


def wandering(seconds: float) -> Edit:
    """A clock that is off by up to this, slowly to and fro: two clocks that are synchronised again and again."""
    return lambda log, chance: with_time(log, log.time + seconds * np.sin(log.time + chance.uniform(0, 6)))


def jitter(share: float) -> Edit:
    """Times that are off by up to this share of a step either way."""

    def edit(log: Log, chance: Chance) -> Log:
        step = float(np.median(np.diff(log.time)))
        return with_time(log, log.time + 0.5 * share * step * chance.uniform(-1, 1, len(log)))

    return edit


def silent(signals: str | tuple[str, ...], seconds: float, who: str | None = None) -> Edit:
    """Empty cells for a while."""

    def values(time: np.ndarray, values: np.ndarray, chance: Chance) -> np.ndarray:
        begin = time[0] + chance.uniform(0.3, 0.6) * (time[-1] - time[0])
        return np.where(((time > begin) & (time < begin + seconds))[:, None], np.nan, values)

    return on(signals, values, who)
