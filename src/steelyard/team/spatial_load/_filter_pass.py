"""One way through the rows of a load: linearised at one point from the first row to the last."""

import dataclasses
import functools
import hashlib
from collections import OrderedDict

import numpy as np

from steelyard.team.spatial_load._compiled_filter import compiled_filter
from steelyard.team.spatial_load._equations_of_motion import MeasuredRows
from steelyard.team.spatial_load._linearisation_point import LOAD, TILT, LinearisationPoint, exp_so3, pose_of, skew
from steelyard.team.spatial_load._linearised_filter import (
    Excitation,
    FilterResult,
    FilterState,
    filter_rows,
    initial_filter_state,
    predict_motion,
)
from steelyard.team.spatial_load._sample_history import SampleHistory

BLOCK = 50  # rows that are swept at once
SEGMENT = 0.05  # s from mark to mark
_FARTHEST = 0.5
"""How far one step may move any coordinate."""
_BENT = 0.2
"""Square of a step in any coordinate over its standard deviation, up to which a course counts as settled."""
_FITS = 1.1
"""Times the squares of surprises that were expected, up to which a point explains the rows."""
_NOTHING = 1e-30
"""Precision next to the largest one, below which a direction counts as unknown: less is rounding."""
_MASS_SPREAD, _TILT_SPREAD, _PLACE_SPREAD, _TURN_SPREAD = 1.5, 0.5, 2.0, 1.0  # logarithm of √mass, rad, m, rad


@dataclasses.dataclass(frozen=True, eq=False)
class Prior:
    """What was known before a course began: a point, and how sure it was."""

    point: LinearisationPoint
    precision: np.ndarray
    """(param, param), the inverse of a covariance."""


@functools.lru_cache(maxsize=16)
def _prior_offset(point: LinearisationPoint, prior: Prior) -> np.ndarray:
    """From a point to what was known before; courses of one point ask for it again and again."""
    return point.local(prior.point)


def load_spread(point: LinearisationPoint) -> np.ndarray:
    """(10,): how far a load may be from the first guess, one standard deviation in each coordinate."""
    reach = max(1.0, float(np.linalg.norm(point.t, axis=1).max()))
    moment = max(0.1, float(np.sum(point.load[1:4])), 0.3 * reach**2)
    return np.array([_MASS_SPREAD, *[moment] * 6, *[reach] * 3])


def vague_prior(point: LinearisationPoint) -> Prior:
    """Next to nothing is known."""
    spread = np.full(point.size, _PLACE_SPREAD)
    spread[LOAD], spread[TILT] = load_spread(point), _TILT_SPREAD
    for j in range(1, point.robots):
        spread[pose_of(j).start + 3 : pose_of(j).stop] = _TURN_SPREAD
    return Prior(point, np.diag(spread**-2.0))


@dataclasses.dataclass(frozen=True, eq=False)
class Segment:
    """What the rows from a row to the next mark's said of the load."""

    row: int
    load_score: np.ndarray
    """(10,)."""
    load_information: np.ndarray
    """(10, param)."""
    before: "FilterPass | None"
    """The course before that row, without marks of its own; only where a block begins is it known."""


@dataclasses.dataclass(frozen=True, eq=False)
class FilterPass:
    """What the rows from `start` on, before `row`, tell of a point; its own point is where they were linearised."""

    point: LinearisationPoint
    prior: Prior
    start: int
    row: int
    motion: FilterState | None
    information: np.ndarray
    score: np.ndarray
    spurious: np.ndarray
    """(param, param), the part of the information that noise alone would have made."""
    nis: float
    """Squares of the whitened surprises at the course's own point, summed."""
    count: int
    excitation: Excitation
    """How much of a centre of mass there was to be seen."""
    by_channel: np.ndarray
    """(robot, 9): mean squares of the latest residuals, of which each second counts a fifth."""
    segments: tuple[Segment, ...]
    """The latest, oldest first."""
    key: bytes
    """Of everything that made the course what it is: two courses with one key are the same."""

    @staticmethod
    def at(point: LinearisationPoint, prior: Prior, start: int, excitation: Excitation | None = None) -> "FilterPass":
        """Before the first row; `excitation` is what was to be seen of the load before."""
        n = point.size
        parts = (
            point.load,
            point.down,
            point.R,
            point.t,
            prior.precision,
            prior.point.load,
            prior.point.R,
            prior.point.t,
        )
        key = _digest(str(start).encode(), *(np.ascontiguousarray(part).tobytes() for part in parts))
        ones, zero = np.ones((point.robots, 9)), np.zeros((n, n))
        seen = Excitation.nothing() if excitation is None else excitation
        return FilterPass(point, prior, start, start, None, zero, np.zeros(n), zero, 0.0, 0, seen, ones, (), key)

    @property
    def precision(self) -> np.ndarray:
        """(param, param), of what is known now."""
        return self.information + self.prior.precision

    @functools.cached_property
    def covariance(self) -> np.ndarray:
        """(param, param), of what is known now.

        The part of the information that noise alone makes is taken off; along directions of which it is half or more,
        only the prior is left.
        """
        if self._sound:
            return np.linalg.inv(self.precision - self.spurious)
        share, B = self._axes
        before = np.minimum(np.einsum("ia,ab,ib->i", B, self.prior.precision, B), 1.0)
        left = np.where(share < 0.5, 1.0 - share, np.maximum(before, 1e-9))
        return (B.T / left) @ B

    @functools.cached_property
    def step(self) -> np.ndarray:
        """From the course's own point to the likeliest."""
        return self._stepped(0.0)

    def _stepped(self, damping: float) -> np.ndarray:
        """Shorter for some damping (Levenberg and Marquardt); none along directions that noise alone makes known."""
        b = self.score + self.prior.precision @ _prior_offset(self.point, self.prior)
        if self._sound:
            A = self.precision
            return np.linalg.solve(A + damping * np.diag(np.diag(A)), b)
        share, B = self._axes
        return B.T @ (np.where(share < 0.5, B @ b, 0.0) / (1.0 + damping))

    @functools.cached_property
    def estimate(self) -> LinearisationPoint:
        """The likeliest point; no farther than one step may go."""
        return self.damped_estimate(0.0)

    def damped_estimate(self, damping: float) -> LinearisationPoint:
        """The likeliest point, or nearer for some damping."""
        step = self.step if damping == 0.0 else self._stepped(damping)
        return self.point.retract(np.clip(step, -_FARTHEST, _FARTHEST))

    @functools.cached_property
    def cost(self) -> float:
        """Squares of surprises at the course's own point, and of its distance from what was known before."""
        off = _prior_offset(self.point, self.prior)
        return self.nis + float(off @ self.prior.precision @ off)

    @functools.cached_property
    def _sound(self) -> bool:
        """Whether noise makes less than half of what is known along every direction."""
        try:
            np.linalg.cholesky(0.5 * self.precision - self.spurious)
        except np.linalg.LinAlgError:
            return False
        return True

    @functools.cached_property
    def _axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Axes (in rows) along which the precision is one, and the share of it there that noise alone makes.

        Rounding may have made the precision negative along directions that nobody knows; here it is not.
        """
        told = np.diag(self.precision)
        scale = 1.0 / np.sqrt(np.maximum(told, _NOTHING * max(told.max(), 1.0)))
        sizes, axes = np.linalg.eigh(self.precision * scale * scale[:, None])
        root = (axes / np.sqrt(np.maximum(sizes, 1e-12))).T * scale
        share, axes = np.linalg.eigh(root @ self.spurious @ root.T)
        return share, axes.T @ root

    @functools.cached_property
    def newton_decrement(self) -> float:
        """The square of the step to the likeliest point, in standard deviations, along what the rows do tell."""
        return float(self.step @ self.precision @ self.step)

    @functools.cached_property
    def converged(self) -> bool:
        """Whether linearising again would move the likeliest point by little next to its standard deviation.

        Either the step to it is a standard deviation or less, or so small that its square, which is the order of what
        a linearisation leaves out, is small next to one.
        """
        bent = self.step**2 / np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return self.newton_decrement <= self.point.size or bool(np.max(bent) < _BENT)

    def known_before(self, row: int) -> "FilterPass":
        """What it knew before a row, as near to it as it remembers."""
        for segment in reversed(self.segments):
            if segment.row <= row and segment.before is not None:
                return segment.before
        return self

    @property
    def covariance_inflation(self) -> float:
        """How many times as large as expected the squares of the surprises are; 1 where they are not."""
        return max(1.0, self.misfit / max(self.count, 1))

    @property
    def fits(self) -> bool:
        """Whether its likeliest point explains the rows."""
        return self.covariance_inflation <= _FITS

    @property
    def misfit(self) -> float:
        """Squares of surprises that the likeliest point would leave over."""
        return self.cost - self.newton_decrement


def advance(filter_pass: FilterPass, history: SampleHistory, end: int, memory: int) -> FilterPass:
    """Takes in the rows before `end`; marks are kept for `memory` rows."""
    while filter_pass.row < end:
        until = min(filter_pass.row + BLOCK, end)
        low = filter_pass.row if filter_pass.motion is None else filter_pass.row - 1
        path = history.motion(low, until)
        key = _digest(filter_pass.key, history.digest(until), path.tobytes(), f"{until} {memory}".encode())
        found = _REMEMBERED.get(key)
        if found is None:
            found = _block(filter_pass, history, low, until, path, memory, key)
            _REMEMBERED[key] = found
            if len(_REMEMBERED) > _MOST_REMEMBERED:
                _REMEMBERED.popitem(last=False)
        taken, predicted = found
        history.note_motion(filter_pass.row, predicted)
        filter_pass = taken
    return filter_pass


_REMEMBERED: OrderedDict[bytes, tuple[FilterPass, np.ndarray]] = OrderedDict()
"""Blocks that were swept lately, by all that they depend on: robots of one process that think the same think once."""
_MOST_REMEMBERED = 48


def _digest(*parts: bytes) -> bytes:
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        total.update(part)
    return total.digest()


def _block(
    filter_pass: FilterPass, history: SampleHistory, low: int, until: int, path: np.ndarray, memory: int, key: bytes
) -> tuple[FilterPass, np.ndarray]:
    noise = np.repeat(history.noise[3:], 3)
    first = filter_pass.motion is None
    rows = history.rows(low, until)
    motion = initial_filter_state(filter_pass.point, rows, noise) if filter_pass.motion is None else filter_pass.motion
    machine = compiled_filter(history.robots) if history.compiled else None
    run = filter_rows if machine is None else machine.filter_rows
    # Machine code may linearise new rows where it expects them: that saves time, but needs a good point.
    if not np.isfinite(path).all() and (machine is None or first or not filter_pass.converged):
        path = _rough_path(filter_pass.point, rows, motion, first)
        if machine is None:
            predicted = predict_motion(filter_pass.point, motion, path, rows, noise, first)
        else:
            predicted = machine.filter_rows(filter_pass.point, motion, path, rows, noise, first)[1].predicted
        path = predicted if first else np.concatenate([path[:1], predicted])
    motion, told = run(filter_pass.point, motion, path, rows, noise, first)
    taken = _taken(filter_pass, motion, told, until, memory, history.rate)
    return dataclasses.replace(taken, key=key), told.predicted


def _taken(
    filter_pass: FilterPass, motion: FilterState, told: FilterResult, until: int, memory: int, rate: float
) -> FilterPass:
    group, segments = max(round(SEGMENT * rate), 1), list(filter_pass.segments)
    if segments and until - filter_pass.row > memory:
        segments.clear()
    for begin_row in range(0, until - filter_pass.row, group):
        part = slice(begin_row, begin_row + group)
        load_score, load_information = told.score[part, LOAD].sum(axis=0), told.load_information[part].sum(axis=0)
        before = dataclasses.replace(filter_pass, segments=()) if begin_row == 0 else None
        segments.append(Segment(filter_pass.row + begin_row, load_score, load_information, before))
    share = 1.0 - np.exp(-len(told.count) / (5.0 * rate))
    fresh = np.mean(told.residual**2, axis=0)
    return dataclasses.replace(
        filter_pass,
        row=until,
        motion=motion,
        information=filter_pass.information + told.information,
        score=filter_pass.score + told.score.sum(axis=0),
        spurious=filter_pass.spurious + told.spurious,
        nis=filter_pass.nis + float(told.nis.sum()),
        count=filter_pass.count + int(told.count.sum()),
        excitation=filter_pass.excitation + told.excitation,
        by_channel=(1.0 - share) * filter_pass.by_channel + share * fresh,
        segments=tuple(segment for segment in segments if segment.row >= until - memory),
    )


def _rough_path(point: LinearisationPoint, rows: MeasuredRows, motion: FilterState, first: bool) -> np.ndarray:
    """Each row's twists for themselves; gravity turns with them."""
    R_t = np.swapaxes(point.R, 1, 2)
    H = np.zeros((point.robots, 6, 6))
    H[:, :3, :3] = H[:, 3:, 3:] = R_t
    H[:, 3:, :3] = -R_t @ skew(point.t)
    w = rows.weight[:, :, :6]
    scale = float(w.max()) if w.size else 1.0
    mean = motion.mean if first else motion.mean + motion.columns[:9, 0]
    slack = 1e-3 * max(scale, 1e-300) * np.eye(6)
    A = np.einsum("jab,tja,jac->tbc", H, w, H) + slack
    b = np.einsum("jab,tja,tja->tb", H, w, rows.reading[:, :, :6]) + slack @ mean[:6]
    path = np.empty((len(w), 9))
    path[:, :6] = np.linalg.solve(A, b[:, :, None])[:, :, 0]
    path[0] = mean
    turns = exp_so3(-0.5 * rows.dt[1:, None] * (path[1:, :3] + path[:-1, :3]))
    for k in range(1, len(path)):
        path[k, 6:] = turns[k - 1] @ path[k - 1, 6:]
    return path
