"""Errors of the inputs and readings of a robot of one's own: tried on its filter, all at once.

Nothing is known of the model but that it steps. So the log is run again with a little of each error added to it, and
the differences of innovations and answers are their derivatives.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from steelyard.estimators import Sample
from steelyard.problems._unmodelled import ErrorEvidence, ModelError, smoothed_rate
from steelyard.problems.own._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class TriedErrors:
    """What is looked for in a log."""

    errors: tuple[ModelError, ...]
    samples: Sample
    """With a leading axis: the log as it is, then with a little of each error."""

    def evidence(self, innovation: np.ndarray, variance: np.ndarray, value: np.ndarray, std: np.ndarray):
        """From the runs' innovations (1 + error, n, channel), their variance, and the answers (1 + error, answer)."""
        g, z = (innovation[1:] - innovation[0]) / TUNING.error_step, innovation[0]
        heard = np.isfinite(z) & np.isfinite(g).all(axis=0)
        g, z = np.where(heard, g, 0.0), np.where(heard, z, 0.0)
        weight = np.where(heard, 1.0 / np.where(heard, variance[0], 1.0), 0.0)
        shift = (value[1:] - value[0]).T / TUNING.error_step
        return ErrorEvidence(
            np.sum(g * z * weight, axis=(1, 2)), np.sum(g * g * weight, axis=(1, 2)), np.nan_to_num(shift), std[0]
        )


def tried_errors(samples: Sample) -> TriedErrors:
    """Offset, drift and delay of every input and reading, inputs first; also the scale of a reading."""
    time, step = np.cumsum(np.asarray(samples.dt)), TUNING.error_step
    errors, made = [], []
    u, rebuilt = _columns(samples.control)
    for error, shape in _errors_of("Input", time, u):
        errors.append(error)
        made.append(Sample(samples.dt, rebuilt(u + step * shape), samples.measurement))
    y, rebuilt = _columns(samples.measurement)
    for error, shape in _errors_of("Reading", time, y):
        errors.append(error)
        made.append(Sample(samples.dt, samples.control, rebuilt(y + step * shape)))
    few = slice(TUNING.errors_tried)
    return TriedErrors(tuple(errors[few]), jax.tree.map(lambda *one: np.stack(one), samples, *made[few]))


def _errors_of(kind: str, time: np.ndarray, values: np.ndarray) -> Iterator[tuple[ModelError, np.ndarray]]:
    """Each with what a unit of it adds to the values (n, k)."""
    rates = smoothed_rate(time, values, TUNING.rate_rows)
    for j, axis in enumerate(np.eye(values.shape[1])):
        who, one = f"{kind} {j + 1}", np.ones(len(time))
        late = f"{who} would be late by {{size}}: look at its filter, its clock, and for lost rows."
        yield ModelError(late, "ms", 1e3, TUNING.longest_delay), -rates[:, j, None] * axis
        yield ModelError(f"{who} would be off by {{size}} throughout: look for an offset.", ""), one[:, None] * axis
        yield ModelError(f"{who} would drift by {{size}} a second.", ""), (time - time[0])[:, None] * axis
        if kind == "Reading":
            yield (
                ModelError(f"{who} would be off in scale by {{size}}.", "%", 1e2, TUNING.largest_scale),
                np.nan_to_num(values[:, j, None]) * axis,
            )


def _columns(tree: Any) -> tuple[np.ndarray, Callable[[np.ndarray], Any]]:
    """The numbers of all leaves side by side (n, k), and the way back."""
    leaves, kind = jax.tree.flatten(tree)
    shapes = [np.shape(leaf) for leaf in leaves]
    flat = [np.asarray(leaf, float).reshape(shape[0], -1) for leaf, shape in zip(leaves, shapes, strict=True)]
    ends = np.cumsum([one.shape[1] for one in flat])[:-1]

    def rebuilt(values: np.ndarray) -> Any:
        parts = np.split(values, ends, axis=1)
        return jax.tree.unflatten(kind, [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)])

    return np.concatenate(flat, axis=1) if flat else np.zeros((0, 0)), rebuilt
