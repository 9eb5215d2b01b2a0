"""The numbers of a robot's samples side by side, and which columns of the log they come from."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from steelyard.estimators import Sample
from steelyard.logs import Log
from steelyard.problems.own._tuning import TUNING
from steelyard.problems.preflight import outliers


def columns(tree: Any) -> tuple[np.ndarray, Callable[[np.ndarray], Any]]:
    """The numbers of all leaves side by side (n, k), and the way back."""
    leaves, kind = jax.tree.flatten(tree)
    shapes = [np.shape(leaf) for leaf in leaves]
    flat = [np.asarray(leaf, float).reshape(shape[0], -1) for leaf, shape in zip(leaves, shapes, strict=True)]
    ends = np.cumsum([one.shape[1] for one in flat])[:-1]

    def rebuilt(values: np.ndarray) -> Any:
        parts = np.split(values, ends, axis=1)
        return jax.tree.unflatten(kind, [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)])

    return np.concatenate(flat, axis=1) if flat else np.zeros((0, 0)), rebuilt


def input_names(log: Log, samples: Sample) -> list[str]:
    """Of every input, as a sentence has it: its number, and the column that it is."""
    return _names("input", log, columns(samples.control)[0])


def reading_names(log: Log, samples: Sample) -> list[str]:
    """The same of every reading."""
    return _names("reading", log, columns(samples.measurement)[0])


def _names(kind: str, log: Log, values: np.ndarray) -> list[str]:
    found = [_column(log, one) for one in values.T]
    return [f"{kind} {j + 1}" if name is None else f"{kind} {j + 1} ({name})" for j, name in enumerate(found)]


def _column(log: Log, values: np.ndarray) -> str | None:
    """The column of the log with these values, or with those of the row before; None where they are computed."""
    there = np.isfinite(values)
    if there.sum() < 2 or np.ptp(values[there]) == 0.0:
        return None
    for name, column in log.columns.items():
        for late in (0, 1):
            same = values[late:] == column[: len(column) - late]
            if np.all(same | ~there[late:]):
                return name
    return None


def without_outliers(time: np.ndarray, samples: Sample) -> tuple[Sample, int]:
    """Samples whose inputs lack what is far from both neighbours, and how many rows that concerns.

    A filter does not believe an outlying reading. Of an input it believes everything: one wild sample is a push that
    was never there. As missing inputs they only cost a little certainty.
    """
    u, rebuilt = columns(samples.control)
    if not u.size:
        return samples, 0
    wild = np.stack([outliers(time, one[:, None]) for one in u.T], axis=1)
    rows = wild.any(axis=1)
    if not rows.any() or rows.mean() > TUNING.most_outliers:
        return samples, 0
    return Sample(samples.dt, rebuilt(np.where(wild, np.nan, u)), samples.measurement), int(rows.sum())
