"""Rows at even times from rows at any: a robot's agent counts its samples, so each must stand at its own time.

Velocities move to the nearest even time along their own gradient, forces become the mean over each even step: rounding
times alone would be wrong by half a step, which is more than good sensors are noisy.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from steelyard.problems.planar_load._tuning import TUNING

_FEWEST = 4  # samples of a cubic


class EvenRows(NamedTuple):
    """Signals at even times; rows of a long gap are missing."""

    time: np.ndarray
    """(n,), s."""
    velocity: np.ndarray
    """(n, robot, 2); NaN where there is no sample."""
    force: np.ndarray
    """(n, robot, 2): the mean since the even time before."""


def even_rows(time: np.ndarray, velocity: np.ndarray, force: np.ndarray, held: bool) -> EvenRows:
    """Of samples (n, robot, 2) at times that may be uneven; a `held` force acts until the next row."""
    begin, step = _clock(time)
    places = (time - begin) / step
    keys = np.round(places).astype(int)
    even = np.all(np.diff(keys) == 1) and np.all(np.abs(places - keys) < TUNING.same_time)
    if even and np.isfinite(force).all():
        before = np.concatenate([force[:1], force[:-1]])
        return EvenRows(time, velocity, before if held else 0.5 * (before + force))
    grid = _grid(keys, max(round(TUNING.longest_force_gap / step), 1))
    at = begin + step * grid
    off = step * (keys - places)
    moved = velocity.reshape(len(time), -1)
    moved = moved + off[:, None] * _gradients(time, moved, max(TUNING.gradient_seconds, TUNING.gradient_steps * step))
    cells = np.searchsorted(grid, keys)
    means = np.stack([_cell_means(cells, column, len(grid)) for column in moved.T], axis=1)
    return EvenRows(at, means.reshape(len(grid), *velocity.shape[1:]), _mean_forces(time, force, at, grid, held))


def _clock(time: np.ndarray) -> tuple[float, float]:
    """The first even time, and s between two: the line through noisy times, else the first row and the usual step.

    The median of noisy steps is off by a little, which after a thousand rows is half a step.
    """
    step = usual_step(time)
    steps = np.diff(time) / step
    each = np.ones(len(steps)) if np.max(steps) < TUNING.row_lost_above else np.rint(steps)
    number = np.concatenate([[0.0], np.cumsum(each)])
    period, begin = np.polyfit(number, time - time[0], 1)
    off = np.max(np.abs(time - time[0] - begin - period * number))
    return (float(time[0] + begin), float(period)) if off < 0.5 * step else (float(time[0]), step)


def usual_step(time: np.ndarray) -> float:
    """S between rows; where most rows are lost, between those that follow each other."""
    steps = np.diff(time)
    usual, small = float(np.median(steps)), float(np.quantile(steps, 0.1))
    near = steps[steps <= 1.5 * small]
    following = float(np.median(near))
    even = float(np.quantile(np.abs(near - following), 0.75)) < TUNING.alike_steps * following  # else times are noisy
    step = following if even and following < TUNING.lost_between * usual else usual
    return max(step, float(np.quantile(steps, 0.9)) / TUNING.most_lost)  # robots' rows side by side are no fast clock


def _grid(keys: np.ndarray, longest: int) -> np.ndarray:
    """Numbers of the even times: those of rows, and all between rows that are near enough."""
    spans = [np.arange(a, b) if b - a <= longest + 1 else [a] for a, b in itertools.pairwise(keys)]
    return np.unique(np.concatenate([*spans, keys[-1:]]))


def _gradients(time: np.ndarray, values: np.ndarray, half: float) -> np.ndarray:
    """(n, k): of a line through the samples around each, s⁻¹; zero where there are too few."""
    first, last = np.searchsorted(time, time - half), np.searchsorted(time, time + half, side="right")
    there = np.isfinite(values)
    t, v = np.where(there, (time - time[0])[:, None], 0.0), np.where(there, values, 0.0)

    def around(terms: np.ndarray) -> np.ndarray:
        total = np.concatenate([np.zeros((1, terms.shape[1])), np.cumsum(terms, axis=0)])
        return total[last] - total[first]

    n = np.maximum(around(there.astype(float)), 1.0)
    spread = around(t * t) - around(t) ** 2 / n
    product = around(t * v) - around(t) * around(v) / n
    enough = (n >= TUNING.gradient_samples) & (spread > 0.0)
    return np.where(enough, product / np.where(enough, spread, 1.0), 0.0)


def _cell_means(cells: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """The mean of the samples at each even time, NaN where there is none."""
    there = np.isfinite(values)
    number = np.bincount(cells[there], minlength=count)
    total = np.bincount(cells[there], weights=values[there], minlength=count)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _mean_forces(time: np.ndarray, force: np.ndarray, at: np.ndarray, grid: np.ndarray, held: bool) -> np.ndarray:
    """Over the step before each even time; NaN in a gap that is too long, the force itself at its end.

    Sampled forces vary smoothly, so a cubic spline bridges the rest; of held ones those that were lost lie on a line.
    """
    step, columns = (at[-1] - at[0]) / (grid[-1] - grid[0]), []
    begins = np.concatenate([[True], np.diff(grid) > 1])
    for column in force.reshape(len(time), -1).T:
        known = np.isfinite(column)
        t, f = time[known], column[known]
        if len(t) < _FEWEST:
            columns.append(np.full(len(at), np.nan))
            continue
        if held:
            mean = np.interp(at - step, t, f)
        else:
            impulse = CubicSpline(t, f).antiderivative()
            mean = (impulse(at) - impulse(at - step)) / step
        middle = at - 0.5 * step
        after = np.clip(np.searchsorted(t, middle), 1, len(t) - 1)
        unknown = (np.diff(t)[after - 1] > TUNING.longest_force_gap + 0.5 * step) | (middle < t[0]) | (middle > t[-1])
        nearest = np.clip(np.searchsorted(t, middle), 0, len(t) - 1)
        there = np.where(np.abs(t[nearest] - at) < step, f[nearest], np.nan)
        columns.append(np.where(begins, there, np.where(unknown, np.nan, mean)))
    return np.stack(columns, axis=1).reshape(len(at), *force.shape[1:])
