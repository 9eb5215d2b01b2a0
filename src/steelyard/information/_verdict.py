"""What a motion identifies and what it does not, as statuses and as text."""

import dataclasses
from typing import cast

import numpy as np
from jaxtyping import Float

from steelyard.estimators import Guess, Knowledge, Noise, Sample
from steelyard.information._explanations import Direction, describe, explain, remarks
from steelyard.information._fisher import AccumulatedInformation, accumulate_information, bound_of, split_information
from steelyard.information._tuning import VERDICT
from steelyard.models import Model


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What is known at the end of a motion from that motion alone."""

    status: dict[str, Knowledge]
    """Of every coordinate: `known`, `not-yet-known` (a longer motion of this kind helps) or `not-identifiable`."""
    std: dict[str, float]
    """Least standard deviation of every coordinate, its own unit; infinite where nothing at all is known."""
    directions: tuple[Direction, ...]
    """What is not identifiable: which coordinates, and how they change together."""
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """All sentences as prose."""
        return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in self.sentences)


def verdict(
    model: Model,
    noise: Noise,
    guess: Guess,
    samples: Sample,
    scale: Float[np.ndarray, " state"] | float = VERDICT.known_below,
) -> Verdict:
    """What the samples of a log or a plan identify, without any prior.

    The trajectory starts at `guess.state`, an estimate or a plan. A coordinate whose `guess.std` is zero is given; all
    others have no prior, because a prior that the samples add nothing to is no finding. `scale` is the standard
    deviation up to which a coordinate is known.
    """
    given = np.asarray(guess.std) == 0
    free = tuple(int(i) for i in np.flatnonzero(~given))
    gathered, motion = accumulate_information(model, noise, guess, samples, free)
    bound = bound_of(gathered)
    limits = np.broadcast_to(np.asarray(scale, float), bound.std.shape)
    status: dict[str, Knowledge] = {
        name: _status(std, limit) for name, std, limit in zip(bound.names, bound.std, limits, strict=True)
    }
    basis = _unidentifiable(gathered, limits)
    directions = tuple(_name(row, bound.names, status) for row in basis)
    directions = tuple(direction for direction in directions if direction)
    why = [explain(model, direction, motion) or describe(direction) for direction in directions]
    sentences = [*dict.fromkeys(why), *remarks(model, motion)]
    open_ones = [name for name, knowledge in status.items() if knowledge == "not-yet-known"]
    if open_ones:
        sentences.append(
            f"{', '.join(open_ones)}: hardly told yet, a longer or stronger motion of this kind would help"
        )
    if not sentences:
        sentences.append("everything can be told from this motion")
    stds = dict(zip(bound.names, map(float, bound.std), strict=True))
    return Verdict(status, stds, directions, tuple(sentences))


def _status(std: float, limit: float) -> Knowledge:
    if std <= limit:
        return "known"
    return "not-yet-known" if std <= VERDICT.attainable_factor * limit else "not-identifiable"


def _unidentifiable(
    gathered: AccumulatedInformation, limits: Float[np.ndarray, " state"]
) -> Float[np.ndarray, "direction state"]:
    """Directions at the end, one a row, along which errors may be many times the limits; in units of the limits."""
    A, S = np.asarray(gathered.sensitivity), np.asarray(gathered.information)
    known, null_space = split_information(S)
    lengths = np.linalg.norm(null_space, axis=0, keepdims=True)
    wide = VERDICT.no_information * null_space / np.where(lengths > 0, lengths, 1.0)  # in place of infinitely much
    errors = np.concatenate([A @ known, A @ wide], axis=1) / limits[:, None]
    vectors, sizes, _ = np.linalg.svd(errors, full_matrices=False)
    return _sparse(vectors[:, sizes > VERDICT.attainable_factor].T)


def _sparse(rows: np.ndarray) -> np.ndarray:
    """The same span by rows of few coordinates each: Gauss and Jordan, the largest entries as pivots."""
    rows = rows.copy()
    left = list(range(rows.shape[0]))
    while left:
        r, c = max(((r, int(np.argmax(np.abs(rows[r])))) for r in left), key=lambda rc: abs(rows[rc]))
        rows[r] /= rows[r, c]
        for other in range(rows.shape[0]):
            if other != r:
                rows[other] -= rows[other, c] * rows[r]
        left.remove(r)
    return rows


def _name(row: np.ndarray, names: tuple[str, ...], status: dict[str, Knowledge]) -> Direction:
    """The coordinates that a direction is about."""
    share = row / max(float(np.abs(row).max()), 1e-300)
    parts = {name: float(x) for name, x in zip(names, share, strict=True) if abs(x) > VERDICT.named_share}
    return cast(Direction, {name: x for name, x in parts.items() if status[name] != "known"})
