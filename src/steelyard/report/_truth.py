"""What the log knows to be true, beside what was estimated. Only reports look at it."""

import dataclasses

import numpy as np

from steelyard.problems import Identification, Series
from steelyard.report._components import in_shape


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How a quantity's history compares with the truth."""

    samples: int
    """At which both are known."""
    rms_error: float
    """Of the error's length, in the quantity's unit."""
    covered: float | None
    """Share of samples, component by component, whose 95 % interval holds the truth; None without intervals."""


def truth_of(identification: Identification, robot: str, quantity: str) -> Series | None:
    """The robot's own truth where the log has one, else the one that all share."""
    truth = identification.truth
    return truth.get(f"{robot}/{quantity}", truth.get(quantity))


def last_truth(truth: Series | None, shape: tuple[int, ...]) -> np.ndarray | None:
    """The last true value that is complete."""
    samples = None if truth is None else in_shape(np.asarray(truth.value, float), shape)
    if samples is None:
        return None
    complete = np.flatnonzero(_each_row(np.isfinite(samples)).all(axis=1))
    return np.asarray(samples[complete[-1]]) if complete.size else None


def truth_at(truth: Series | None, time: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """The true values (n, *shape) nearest to each time, NaN outside of what the log covers.

    Nearest rather than interpolated: a mass that jumps has no value in between.
    """
    samples = None if truth is None else in_shape(np.asarray(truth.value, float), shape)
    if truth is None or samples is None or not len(truth.time):
        return None
    if np.array_equal(time, truth.time):
        return samples
    after = np.clip(np.searchsorted(truth.time, time), 1, max(len(truth.time) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(truth.time) - 1)
    nearest = np.where(time - truth.time[before] <= truth.time[after] - time, before, after)
    inside = (time >= truth.time[0]) & (time <= truth.time[-1])
    return np.where(inside.reshape(-1, *[1] * len(shape)), samples[nearest], np.nan)


def agreement(series: Series, truth: Series | None) -> Agreement | None:
    """None where there is nothing to compare."""
    value, std = np.asarray(series.value, float), np.asarray(series.std, float)
    true = truth_at(truth, series.time, value.shape[1:])
    if true is None:
        return None
    error = _each_row(value - true)
    known = np.isfinite(error).all(axis=1)
    if not known.any():
        return None
    covered = None
    if std.shape == value.shape:
        covered = float((np.abs(error) <= 1.96 * _each_row(std))[known].mean())
    return Agreement(int(known.sum()), float(np.sqrt((error[known] ** 2).sum(axis=1).mean())), covered)


def _each_row(samples: np.ndarray) -> np.ndarray:
    return samples.reshape(len(samples), -1)
