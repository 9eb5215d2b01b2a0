"""Errors of the inputs and readings of a robot of one's own: tried on its filter, all at once.

Nothing is known of the model but that it steps. So the log is run again with a little of each error added to it, and
the differences of innovations and answers are their derivatives.
"""

import dataclasses
from collections.abc import Iterator, Sequence

import jax
import numpy as np

from steelyard.estimators import Sample
from steelyard.problems._unmodelled import ErrorEvidence, ModelError, smoothed_rate
from steelyard.problems.own._columns import columns
from steelyard.problems.own._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class TriedErrors:
    """What is looked for in a log."""

    errors: tuple[ModelError, ...]
    reading: np.ndarray
    """(error,): the reading whose error it is; -1 for an input's."""
    scales: np.ndarray
    """(error,), whether it scales that reading."""
    samples: Sample
    """With a leading axis: the log as it is, then with a little of each error."""

    def evidence(self, innovation: np.ndarray, variance: np.ndarray, value: np.ndarray, std: np.ndarray):
        """From the runs' innovations (1 + error, n, channel), their variance, and the answers (1 + error, answer)."""
        with np.errstate(over="ignore", invalid="ignore"):  # of a run that diverged
            g, z = (innovation[1:] - innovation[0]) / TUNING.error_step, innovation[0]
            shift = (value[1:] - value[0]).T / TUNING.error_step
        heard = np.isfinite(z) & np.isfinite(g).all(axis=0)
        g, z = np.where(heard, g, 0.0), np.where(heard, z, 0.0)
        weight = np.where(heard, 1.0 / np.where(heard, variance[0], 1.0), 0.0)
        # A scaled reading has its innovation in its derivative, noise and all: gᵀz is one a row on average, not zero.
        rows = np.where(self.scales, heard.sum(axis=0)[self.reading], 0)
        score = np.sum(g * z * weight, axis=(1, 2)) - rows
        return ErrorEvidence(score, np.sum(g * g * weight, axis=(1, 2)), np.nan_to_num(shift), std[0])


def tried_errors(samples: Sample, inputs: Sequence[str], readings: Sequence[str]) -> TriedErrors:
    """Offset, drift, delay and scale of every input and reading, as they are named.

    Where that is more than are tried, every channel has its first ones.
    """
    time, step = np.cumsum(np.asarray(samples.dt)), TUNING.error_step
    found: list[tuple[int, int, ModelError, Sample]] = []  # by rank in its channel, and by reading
    u, rebuilt = columns(samples.control)
    for rank, _, error, shape in _errors_of(inputs, time, u, scaled=False):
        found.append((rank, -1, error, Sample(samples.dt, rebuilt(u + step * shape), samples.measurement)))
    y, rebuilt = columns(samples.measurement)
    for rank, j, error, shape in _errors_of(readings, time, y, scaled=True):
        found.append((rank, j, error, Sample(samples.dt, samples.control, rebuilt(y + step * shape))))
    found = sorted(found, key=lambda one: one[0])[: TUNING.errors_tried]
    every = jax.tree.map(lambda *one: np.stack(one), samples, *(made for *_, made in found))
    which = np.array([one[1] for one in found], int)
    scales = np.array([one[1] >= 0 and one[2].scales for one in found], bool)
    return TriedErrors(tuple(one[2] for one in found), which, scales, every)


def _errors_of(
    names: Sequence[str], time: np.ndarray, values: np.ndarray, scaled: bool
) -> Iterator[tuple[int, int, ModelError, np.ndarray]]:
    """Each with its rank in its column, that column, and what a unit of it adds to the values (n, k)."""
    rates = smoothed_rate(time, values, TUNING.rate_rows)
    for j, axis in enumerate(np.eye(values.shape[1])):
        who = names[j][:1].upper() + names[j][1:].replace("{", "{{").replace("}", "}}")
        for rank, (error, shape) in enumerate(_errors_of_one(who, time, values[:, j], rates[:, j], scaled)):
            yield rank, j, error, shape[:, None] * axis


def _errors_of_one(
    who: str, time: np.ndarray, values: np.ndarray, rate: np.ndarray, scaled: bool
) -> Iterator[tuple[ModelError, np.ndarray]]:
    """Of one channel, the likeliest first, with what a unit adds to its values (n,)."""
    since = time - time[0]
    late = f"{who} would be late by {{size}}: look at its filter, its clock, and for lost rows."
    yield ModelError(late, "ms", 1e3, TUNING.longest_delay), -rate
    yield ModelError(f"{who} would be off by {{size}} throughout: look for an offset.", ""), np.ones(len(time))
    yield ModelError(f"{who} would drift by {{size}} a second.", ""), since
    value = np.nan_to_num(values)
    if scaled:
        off = f"{who} would be off in scale by {{size}}, or the clock."
        yield ModelError(off, "%", 1e2, TUNING.largest_scale, scales=True), value
        return
    # An input's scale is not told where the quantities make up for it; that it changes is.
    warms = f"{who} would change its scale by {{size}} over the log: look at what warms up."
    yield ModelError(warms, "%", 1e2, TUNING.largest_scale), since / max(since[-1], 1e-9) * value
    bent = f"{who} would be off in scale by {{size}} more where it is large than where it is small."
    largest = np.max(np.abs(value), initial=1e-9)
    yield ModelError(bent, "%", 1e2, TUNING.largest_scale), np.abs(value) / largest * value
