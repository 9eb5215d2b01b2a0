"""Which channel contradicts the others: the log without each of its readings in turn, where something is wrong.

A reading that is wrong in whatever way (its scale, its clock, its filter, its noise) leaves the rest of the log
consistent once it is left out. Where no reading alone does, an input or the model is at fault.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from steelyard.estimators import Reason, Sample
from steelyard.problems._consistency import mean_nis
from steelyard.problems._identification import Innovations
from steelyard.problems._trust import TUNING as LIMITS
from steelyard.problems._trust import innovation_correlation, innovation_reasons, slow_variance
from steelyard.problems._unmodelled import ErrorEvidence
from steelyard.problems.own._columns import columns
from steelyard.problems.own._tuning import TUNING
from steelyard.problems.own._unmodelled import TriedErrors
from steelyard.problems.preflight import OWN


@dataclasses.dataclass(frozen=True, eq=False)
class RunEvidence:
    """What a run over the log, and the same with a little of each error, say of their own consistency."""

    errors: ErrorEvidence
    innovations: Innovations
    off_guess: float
    """Deviations of the guess by which the quantities ended off it, at most."""

    @staticmethod
    def of(tried: TriedErrors, tracks: Any, time: np.ndarray, guessed: np.ndarray) -> "RunEvidence":
        """From tracks (1 + error, n), and the guess's deviations of the quantities' coordinates."""
        value, variance = tracks.innovation.value, tracks.innovation.variance
        errors = tried.evidence(value, variance, tracks.value[:, -1], tracks.std[:, -1])
        names = tuple(f"channel {k + 1}" for k in range(value.shape[2]))
        innovations = Innovations(time, names, value[0], np.sqrt(variance[0]))
        return RunEvidence(errors, innovations, float(np.max(np.abs(tracks.coordinates[0, -1]) / guessed)))

    def misfit(self, others: np.ndarray) -> float:
        """The largest of all checks over its limit, errors being those of `others` (error,)."""
        one = self.innovations
        certain = self.errors.certain[others & (self.errors.moved > 1.0)]
        parts = (
            mean_nis(one.value, one.std**2) / LIMITS.doubtful_nis,
            innovation_correlation(one, LIMITS.correlation_lag) / LIMITS.doubtful_correlation,
            slow_variance(one, LIMITS.slow_span) / LIMITS.doubtful_slow,
            float(np.max(certain, initial=0.0)) / TUNING.left_out_certain,
        )
        return float(np.max(np.where(np.isfinite(parts), parts, np.inf)))


def named_reasons(
    tried: TriedErrors,
    found: RunEvidence,
    run_without: Callable[[Sample], RunEvidence],
    inputs: Sequence[str],
    readings: Sequence[str],
) -> tuple[Reason, ...]:
    """What speaks against the answers, the likeliest channel first; nothing where the log is consistent."""
    alone = found.errors.reasons(tried.errors)
    if not alone and not innovation_reasons(found.innovations, OWN):
        return ()
    if (when := _jump(found.innovations.time, _readings(tried))) is not None:
        return (_jump_reason(when), *alone)
    if len(readings) < 2 or len(readings) > TUNING.errors_tried:
        return alone
    whole = found.misfit(np.ones(len(tried.errors), bool))
    runs = [run_without(_without(tried.samples, j)) for j in range(len(readings))]
    left = np.array([one.misfit(tried.reading != j) for j, one in enumerate(runs)])
    cured = [j for j in range(len(readings)) if left[j] < 1.0]
    cured = [j for j in cured if runs[j].off_guess < TUNING.left_out_prior] or cured
    if not cured and left.min() < min(TUNING.left_out_better * whole, TUNING.left_out_most):
        cured = [int(left.argmin())]
    if not cured:
        by_inputs = found.errors.reasons(tried.errors, tried.reading < 0)
        return by_inputs or (_inputs_reason(inputs), *alone)
    kind = found.errors.reasons(tried.errors, np.isin(tried.reading, cured))
    return (_channel_reason([readings[j] for j in cured], kind),)


def _readings(tried: TriedErrors) -> np.ndarray:
    """(n, reading): of the log as it is."""
    return columns(jax.tree.map(lambda leaf: leaf[0], tried.samples.measurement))[0]


def _without(samples: Sample, reading: int) -> Sample:
    """Of all runs (run, n, …), the same without one reading."""
    runs, n = np.shape(samples.dt)
    values, rebuilt = columns(
        jax.tree.map(lambda leaf: np.reshape(leaf, (runs * n, *leaf.shape[2:])), samples.measurement)
    )
    left = rebuilt(np.where(np.arange(values.shape[1]) == reading, np.nan, values))
    return Sample(samples.dt, samples.control, jax.tree.map(lambda leaf: leaf.reshape(runs, n, *leaf.shape[1:]), left))


def _jump(time: np.ndarray, values: np.ndarray) -> float | None:
    """When (s) all readings (n, k) jump from one row to the next, and stay where they are then."""
    steps = np.diff(np.nan_to_num(values), axis=0)
    if len(steps) < 20:
        return None
    off = np.abs(steps[1:-1] - 0.5 * (steps[:-2] + steps[2:]))
    limit = TUNING.jump_factor * 1.4826 * np.median(off, axis=0) + 1e-12
    rows = np.flatnonzero((off > limit).all(axis=1)) + 2  # the first row after
    for row in rows[(rows >= 6) & (rows < len(values) - 5)]:
        across = np.abs(np.median(values[row : row + 5], axis=0) - np.median(values[row - 5 : row], axis=0))
        if np.all(across > 0.5 * np.abs(steps[row - 1])):
            return float(time[row])
    return None


def _jump_reason(when: float) -> Reason:
    return Reason("jump", f"At {when:.2f} s all readings jump at once: rows are missing there, or the clock jumps.")


def _channel_reason(names: Sequence[str], kind: Sequence[Reason]) -> Reason:
    if len(names) == 1:
        what = f"without {names[0]} the rest of the log is consistent: look at that channel."
    else:
        each = " and ".join(names)
        what = f"{each} contradict each other, and the log is consistent without either: look at both, and the clock."
    return Reason("channel", " ".join([what[:1].upper() + what[1:], *(one.sentence for one in kind)]))


def _inputs_reason(names: Sequence[str]) -> Reason:
    what = " and ".join(names) if names else "what drives it"
    sentence = f"No reading alone explains what does not fit: look at {what}, and for a force that the model lacks."
    return Reason("channel", sentence)
