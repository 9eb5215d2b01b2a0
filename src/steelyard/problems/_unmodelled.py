"""Errors that a model lacks: how large each would have to be, how certain that is, and what it did to the answers.

To first order an error of size b adds `b g` to the normalised innovations z, and `b d` to the answers. So the log tells

    b = gᵀz / gᵀg,    in deviations of its own gᵀz / √(gᵀg),    and the answers are off by b d.

An error that is certain and moves an answer speaks against it. One that moves nothing is of no account. One that is
likely and not certain widens the answers by what it would have done.
"""

import dataclasses

import numpy as np

from steelyard.estimators import Reason


@dataclasses.dataclass(frozen=True)
class UnmodelledTuning:
    """Limits; those of clean logs were seen with jets and carts, eighty in all."""

    certain: float = 5.5
    """Deviations from which on an error is certain. Clean logs stayed below 4.3, the largest in flights on jets without
    rotor speeds."""
    counts: float = 2.5
    """Deviations from which on what an error may have done to the answers counts in their own deviations: one foot 3 %
    off in scale from some moment on showed with 2.7 and moved thrusts by five. One clean log in ten has as much by
    chance, and wider intervals then."""
    moves: float = 1.5
    """Deviations of an answer that it must move: impacts and coloured noise look like errors that move nothing."""


TUNING = UnmodelledTuning()


@dataclasses.dataclass(frozen=True)
class ModelError:
    """An error that the model lacks, in words."""

    sentence: str
    """With {size} in `unit`."""
    unit: str
    factor: float = 1.0
    """From SI to that unit."""
    most: float = float("inf")
    """SI: an error that is larger has another name; it may still explain the innovations, so it counts up to this."""
    scales: bool = False
    """Whether it scales a reading, and so the noise in it."""


@dataclasses.dataclass(frozen=True, eq=False)
class ErrorEvidence:
    """Of every error alone."""

    score: np.ndarray
    """(error,): gᵀz."""
    information: np.ndarray
    """(error,): gᵀg."""
    shift: np.ndarray
    """(answer, error): what a unit of each does to the answers."""
    std: np.ndarray
    """(answer,): the answers' stated deviations."""

    @property
    def size(self) -> np.ndarray:
        """(error,), SI."""
        return self.score / np.maximum(self.information, 1e-30)

    @property
    def certain(self) -> np.ndarray:
        """(error,): by how many deviations it is not zero."""
        return np.abs(self.score) / np.sqrt(np.maximum(self.information, 1e-30))

    @property
    def moved(self) -> np.ndarray:
        """(error,): the answer that it moves the most, in that answer's deviations."""
        with np.errstate(over="ignore"):  # of a run that diverged
            by_answer = np.abs(self.shift * self.size) / np.maximum(self.std, 1e-30)[:, None]
        return np.max(by_answer, axis=0, initial=0.0)

    def added_std(self) -> np.ndarray:
        """(answer,): what an error that is likely may have done to each, the largest; nothing where one is certain."""
        likely = (self.certain > TUNING.counts) & ~self.count().any()
        return np.max(np.nan_to_num(np.where(likely, np.abs(self.shift * self.size), 0.0)), axis=1, initial=0.0)

    def count(self) -> np.ndarray:
        """(error,): whether it speaks against the answers."""
        return (self.certain > TUNING.certain) & (self.moved > TUNING.moves)

    def reasons(self, errors: tuple[ModelError, ...], among: np.ndarray | None = None) -> tuple[Reason, ...]:
        """The one that explains most, as a reason against the answers: of those that count, or `among` others."""
        certain, moved = self.certain, self.moved
        certain_ones = np.flatnonzero(
            self.count() if among is None else among & (certain > TUNING.certain) & (moved > TUNING.moves)
        )
        if not certain_ones.size:
            return ()
        limit = np.array([error.most for error in errors])
        likely = np.clip(self.size, -limit, limit)  # of each, the log-likelihood that it explains is
        explained = likely * self.score - 0.5 * likely**2 * self.information
        k = int(certain_ones[np.argmax(explained[certain_ones])])
        what = errors[k].sentence.format(size=f"{errors[k].factor * abs(self.size[k]):.2g} {errors[k].unit}".strip())
        how = f"It is {certain[k]:.0f} deviations from none, and moves an answer by {moved[k]:.0f}."
        return (Reason("unmodelled", f"{what} {how}"),)


def smoothed_rate(time: np.ndarray, values: np.ndarray, half: int = 5) -> np.ndarray:
    """(n, k): derivatives of means over 2 half + 1 rows; missing values count as zero."""
    padded = np.pad(np.nan_to_num(values), ((half, half), (0, 0)), mode="edge")
    sums = np.cumsum(np.pad(padded, ((1, 0), (0, 0))), axis=0)
    means = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    steps = np.maximum(np.diff(time, prepend=time[0] - 1e-9), 1e-9)
    return np.gradient(means, np.cumsum(steps), axis=0)
