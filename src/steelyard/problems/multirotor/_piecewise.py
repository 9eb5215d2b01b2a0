"""One fit of a whole flight: a mass in pieces, drag, tilt and wind, given what is random."""

import dataclasses
from collections.abc import Collection

import numpy as np
from scipy.optimize import fminbound

from steelyard.problems.multirotor._blocks import (
    Piece,
    blocks_of,
    force_column,
    left_over,
    mass_column,
    piece_shape,
)
from steelyard.problems.multirotor._coloured import NAMES, Blocks, ErrorModel, Likelihood, likeliest_error, whitened
from steelyard.problems.multirotor._motion import Motion
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
    widths: tuple[tuple[str | Piece, float], ...] = ()
    """Standard deviations before the flight that are not the usual ones: of a force by name, of a piece of the mass."""

    def without(self, names: Collection[str | Piece]) -> "Unknowns":
        """The same less some."""
        return dataclasses.replace(
            self,
            pieces=tuple(piece for piece in self.pieces if piece not in names),
            forces=tuple(name for name in self.forces if name not in names),
            widths=tuple((name, width) for name, width in self.widths if name not in names),
        )

    @property
    def prior(self) -> np.ndarray:
        """Information before the flight."""
        width = dict.fromkeys(self.pieces, np.inf) | _PRIORS | dict(self.widths)
        return np.array([1.0 / width[name] ** 2 for name in (*self.pieces, *self.forces)])


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
    coloured: bool = False
    """Whether the flight shows a coloured error along the thrust axis; without, its size is noise."""
    plain: ErrorModel | None = None
    """The likeliest error model without it, where it was looked for."""

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


@dataclasses.dataclass(frozen=True)
class _Solution:
    """Of the equations linearised at one mass."""

    white: np.ndarray
    covariance: np.ndarray
    values: np.ndarray
    left: np.ndarray


def _solved(motion: Motion, blocks: Blocks, unknowns: Unknowns, error: ErrorModel, mass: np.ndarray) -> _Solution:
    white = whitened(blocks, columns_of(motion, unknowns, mass), error)
    W = white.reshape(-1, white.shape[2])
    if not np.isfinite(W).all():
        raise np.linalg.LinAlgError("the thrust and the motion are too far apart")
    covariance = np.linalg.inv(W[:, :-1].T @ W[:, :-1] + np.diag(unknowns.prior))
    if not np.isfinite(covariance).all():
        raise np.linalg.LinAlgError("the thrust and the motion are too far apart")
    values = covariance @ (W[:, :-1].T @ W[:, -1])
    return _Solution(white[:, :, :-1], covariance, values, (W[:, -1] - W[:, :-1] @ values).reshape(-1, 3))


def fit(motion: Motion, blocks: Blocks, unknowns: Unknowns, error: ErrorModel, first: np.ndarray) -> Fit:
    """Gauss-Newton in the mass, linear in all else; drag that would be negative is zero."""
    k = len(unknowns.pieces)
    known = np.stack([piece_shape(motion, piece) for piece in unknowns.pieces], axis=1)
    theta = np.linalg.lstsq(known, first, rcond=None)[0]
    at, solution = first, _solved(motion, blocks, unknowns, error, first)
    for _ in range(TUNING.mass_rounds):
        theta = theta + solution.values[:k]
        moved = np.clip(known @ theta, 0.3 * at, 3.0 * at)
        settled = np.max(np.abs(moved / at - 1.0)) < TUNING.mass_settled
        if settled:
            break
        at, solution = moved, _solved(motion, blocks, unknowns, error, moved)
    forces = dict(zip(unknowns.forces, solution.values[k:], strict=True))
    negative = [name for name, value in forces.items() if name.startswith("drag") and value < 0]
    if negative:
        worst = min(negative, key=lambda name: forces[name] / _PRIORS[name])
        fewer = dataclasses.replace(unknowns, forces=tuple(name for name in unknowns.forces if name != worst))
        return fit(motion, blocks, fewer, error, at)
    values = np.concatenate([theta, solution.values[k:]])
    return Fit(motion, blocks, unknowns, error, values, solution.covariance, solution.white, solution.left, at)


def fit_all(
    motion: Motion, blocks: Blocks, unknowns: Unknowns, error: ErrorModel, first: np.ndarray, near: bool = False
) -> Fit:
    """The same with the likeliest error model, which is looked for from `error` on; `near`: it is almost this one."""
    fixed = () if unknowns.velocity is None else ("velocity",)
    if unknowns.velocity is not None:
        error = dataclasses.replace(error, velocity=unknowns.velocity)
    for rounds_left in (1, 0):
        error, _ = likeliest_error(blocks, columns_of(motion, unknowns, first), unknowns.prior, error, fixed, near)
        found = fit(motion, blocks, unknowns, error, first)
        moved = found.mass(motion.time)
        if not rounds_left or np.max(np.abs(moved / first - 1.0)) < 0.05:
            return _judged(found)
        first, near = moved, True
    raise AssertionError("the last round returns")


def _judged(found: Fit) -> Fit:
    """With the likelihood ratio of the coloured error along the thrust axis against white noise of any size."""
    columns = columns_of(found.motion, found.unknowns, found.linearised)
    likelihood = Likelihood(found.blocks, columns, found.unknowns.prior)
    error = found.error
    whole = np.hypot(error.white_along, error.coloured_along * np.sqrt(2.0 * error.time_along))
    least = max(error.white_along, 0.1 * whole)

    def white(logarithm: float) -> ErrorModel:
        return dataclasses.replace(error, coloured_along=1e-9, white_along=float(np.exp(logarithm)))

    likeliest, *_ = fminbound(
        lambda logarithm: -likelihood(white(logarithm).logarithms()),
        np.log(least),
        np.log(2.0 * whole),
        xtol=TUNING.white_settled,
        full_output=True,
    )
    plain = white(likeliest)
    ratio = 2.0 * (likelihood(error.logarithms()) - likelihood(plain.logarithms()))
    shown = ratio > TUNING.shown_colour * min(1.0, found.motion.seconds / TUNING.shown_after)
    return dataclasses.replace(found, coloured=bool(shown), plain=plain)


def noise_inflation(found: Fit) -> float:
    """Variance of the mass over that at the likeliest size of white noise, given all sizes that the flight allows.

    A flight tells its noise below the frequency where that of the velocity is larger: in 16 s by some forty degrees of
    freedom. All sizes are equally likely before it.
    """
    columns = columns_of(found.motion, found.unknowns, found.linearised)
    likelihood = Likelihood(found.blocks, columns, found.unknowns.prior)
    shifts, at = np.array(TUNING.white_shifts), found.error.logarithms()
    scores = np.array([likelihood(at + shift * (np.array(NAMES) == "white_along")) for shift in shifts]) + shifts
    weights = np.exp(scores - scores.max())
    return max(1.0, float(weights @ np.exp(2.0 * shifts) / weights.sum()))


def blocks_and_first_mass(motion: Motion) -> tuple[Blocks, np.ndarray]:
    """The flight in blocks, and the mass that its mean thrust carries, at every row."""
    weight = float(np.linalg.norm(motion.gravity)) or 1.0
    flown = np.isfinite(motion.velocity).all(axis=1)
    thrust = float(np.mean(motion.thrust[flown] if flown.any() else motion.thrust))
    return blocks_of(motion), np.full(len(motion.time), max(thrust, 1e-6) / weight)
