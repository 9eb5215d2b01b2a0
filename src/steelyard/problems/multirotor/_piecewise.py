"""One fit of a whole flight: a mass in pieces, drag, tilt and wind, given what is random."""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._blocks import (
    Motion,
    Piece,
    blocks_of,
    force_column,
    left_over,
    mass_column,
)
from steelyard.problems.multirotor._coloured import Blocks, ErrorModel, likeliest_error, log_likelihoods, whitened
from steelyard.problems.multirotor._tuning import TUNING

_PRIORS = dict(TUNING.force_priors)


@dataclasses.dataclass(frozen=True)
class Unknowns:
    """What a fit solves for."""

    pieces: tuple[Piece, ...]
    forces: tuple[str, ...]
    given: tuple[tuple[str, float], ...] = ()
    """Forces that are known, and their coefficients."""
    velocity: float | None = None
    """Stated noise of the mean velocity of a block, m/s an axis."""

    @property
    def prior(self) -> np.ndarray:
        """Information before the flight."""
        return np.array([0.0] * len(self.pieces) + [1.0 / _PRIORS[name] ** 2 for name in self.forces])


@dataclasses.dataclass(frozen=True)
class Fit:
    """A flight, explained."""

    motion: Motion
    blocks: Blocks
    unknowns: Unknowns
    error: ErrorModel
    values: np.ndarray
    """Of the pieces, then of the forces."""
    covariance: np.ndarray
    white: np.ndarray
    """(blocks, 3, unknowns), whitened columns."""
    left: np.ndarray
    """(blocks, 3), whitened residuals."""
    linearised: np.ndarray
    """(rows,), the mass about which the columns were taken, kg."""
    log_likelihood: float

    def mass(self, time: np.ndarray) -> np.ndarray:
        """At any times, kg."""
        return shapes(self.unknowns.pieces, time) @ self.values[: len(self.unknowns.pieces)]

    def mass_std(self, time: np.ndarray) -> np.ndarray:
        """Of what this flight tells; see `persistent` for what it cannot."""
        k = len(self.unknowns.pieces)
        shape = shapes(self.unknowns.pieces, time)
        return np.sqrt(np.einsum("np,pq,nq->n", shape, self.covariance[:k, :k], shape))

    def of(self, name: str | Piece) -> tuple[float, float]:
        """Value and standard deviation of one unknown."""
        k = [*self.unknowns.pieces, *self.unknowns.forces].index(name)
        return float(self.values[k]), float(np.sqrt(self.covariance[k, k]))


def shapes(pieces: tuple[Piece, ...], time: np.ndarray) -> np.ndarray:
    """What each piece adds to the mass at each time, a unit of it."""
    columns = []
    for kind, begin in pieces:
        late = time - begin
        columns.append(np.ones_like(late) if kind == "level" else (late >= 0) * (late if kind == "slope" else 1.0))
    return np.stack(columns, axis=1)


def columns_of(motion: Motion, unknowns: Unknowns, mass: np.ndarray) -> np.ndarray:
    """All columns at this mass, and what is left over as the last, (blocks, 3, unknowns + 1)."""
    pieces = [mass_column(motion, mass, piece) for piece in unknowns.pieces]
    forces = [force_column(motion, mass, name) for name in unknowns.forces]
    left = left_over(motion, mass) - sum(value * force_column(motion, mass, name) for name, value in unknowns.given)
    return np.stack([*pieces, *forces, left], axis=2)


def fit(motion: Motion, blocks: Blocks, unknowns: Unknowns, error: ErrorModel, first: np.ndarray) -> Fit:
    """Gauss-Newton in the mass, linear in all else; drag that would be negative is zero."""
    mass, prior, k = first, unknowns.prior, len(unknowns.pieces)
    known = shapes(unknowns.pieces, motion.time)
    theta = np.linalg.lstsq(known, first, rcond=None)[0]
    for _ in range(TUNING.mass_rounds):
        at, columns = mass, columns_of(motion, unknowns, mass)
        white = whitened(blocks, columns, error)
        W = white.reshape(-1, white.shape[2])
        H = W[:, :-1].T @ W[:, :-1] + np.diag(prior)
        solution = np.linalg.solve(H, W[:, :-1].T @ W[:, -1])
        theta = theta + solution[:k]
        moved = np.clip(known @ theta, 0.3 * mass, 3.0 * mass)
        change, mass = float(np.max(np.abs(moved / mass - 1.0))), moved
        if change < TUNING.mass_settled:
            break
    negative = [n for n, v in zip(unknowns.forces, solution[k:], strict=True) if n.startswith("drag") and v < 0]
    if negative:
        worst = min(negative, key=lambda n: solution[k + unknowns.forces.index(n)] / _PRIORS[n])
        fewer = dataclasses.replace(unknowns, forces=tuple(n for n in unknowns.forces if n != worst))
        return fit(motion, blocks, fewer, error, mass)
    left = (W[:, -1] - W[:, :-1] @ solution).reshape(-1, 3)
    columns = columns_of(motion, unknowns, mass)
    value = float(log_likelihoods(blocks, columns, prior, error.logarithms()[None])[0])
    values = np.concatenate([theta, solution[k:]])
    return Fit(motion, blocks, unknowns, error, values, np.linalg.inv(H), white[:, :, :-1], left, at, value)


def fit_all(motion: Motion, blocks: Blocks, unknowns: Unknowns, error: ErrorModel, first: np.ndarray) -> Fit:
    """The same with the likeliest error model, which is looked for from `error` on."""
    fixed = () if unknowns.velocity is None else ("velocity",)
    if unknowns.velocity is not None:
        error = dataclasses.replace(error, velocity=unknowns.velocity)
    for _ in range(2):
        columns = columns_of(motion, unknowns, first)
        error, _ = likeliest_error(blocks, columns, unknowns.prior, error, fixed)
        found = fit(motion, blocks, unknowns, error, first)
        moved = found.mass(motion.time)
        if np.max(np.abs(moved / first - 1.0)) < 0.05:
            break
        first = moved
    return found


def without_outliers(found: Fit) -> tuple[Blocks, float]:
    """The blocks with outliers silenced, and what share of those heard they are."""
    z = np.abs(found.left).max(axis=1)
    heard = found.blocks.heard > 0
    out = heard & (z > TUNING.outlier_deviations)
    return dataclasses.replace(found.blocks, heard=np.where(out, 0.0, found.blocks.heard)), out.sum() / max(heard.sum(), 1)


def blocks_and_first_mass(motion: Motion) -> tuple[Blocks, np.ndarray]:
    """The flight in blocks, and the mass that its mean thrust carries, at every row."""
    weight = float(np.linalg.norm(motion.gravity)) or 1.0
    return blocks_of(motion), np.full(len(motion.time), max(float(np.mean(motion.thrust)), 1e-6) / weight)
