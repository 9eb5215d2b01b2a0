"""A filter pass: the linearised filter from a first row on, at one linearisation point, and the estimate it gives.

Score b, information A and prior make the Gauss-Newton step (A + A₀) δ = b + A₀ δ₀; see docs/SPATIAL_FILTER.md.
"""

import dataclasses
import functools
import hashlib

import numpy as np

from steelyard.team.spatial_load._excitation import Excitation
from steelyard.team.spatial_load._filter_state import FilterState
from steelyard.team.spatial_load._linearisation_point import TILT, UPPER, LinearisationPoint, matrix_from_moments
from steelyard.team.spatial_load._prior import Prior
from steelyard.team.spatial_load._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class Segment:
    """Score and information about the load of the rows from a row to the next segment's."""

    row: int
    load_score: np.ndarray
    """(10,)."""
    load_information: np.ndarray
    """(10, param)."""
    nis: float
    """Normalised innovation squared of its rows, beyond its expectation."""
    before: "FilterPass | None"
    """The pass before that row, without segments; known only where a block begins."""


@dataclasses.dataclass(frozen=True, eq=False)
class FilterPass:
    """Score and information of the rows from `start` on, before `row`, linearised at `point`."""

    point: LinearisationPoint
    prior: Prior
    start: int
    row: int
    motion: FilterState | None
    information: np.ndarray
    score: np.ndarray
    spurious: np.ndarray
    """(param, param), the part of the information that noise in the Jacobians makes."""
    nis: float
    """Normalised innovation squared at `point`, summed over the rows."""
    count: int
    excitation: Excitation
    """Whether the motion shows centre of mass and inertia."""
    by_channel: np.ndarray
    """(robot, 9): mean squares of the latest normalised residuals."""
    segments: tuple[Segment, ...]
    """The latest, oldest first."""
    key: bytes
    """Digest of everything that the pass depends on: two passes with one key are equal."""

    @staticmethod
    def at(point: LinearisationPoint, prior: Prior, start: int, excitation: Excitation | None = None) -> "FilterPass":
        """Before the first row; `excitation` is that of the same load before a gap."""
        n, before = point.size, prior.point
        seen = Excitation.nothing() if excitation is None else excitation
        sums = np.array([*seen.forces.ravel(), seen.force_noise, seen.turning, seen.turning_noise])
        points = (point.load, point.down, point.R, point.t, before.load, before.down, before.R, before.t)
        content = (np.ascontiguousarray(part).tobytes() for part in (*points, prior.precision, sums))
        key = digest(str(start).encode(), *content)
        ones, zero = np.ones((point.robots, 9)), np.zeros((n, n))
        return FilterPass(point, prior, start, start, None, zero, np.zeros(n), zero, 0.0, 0, seen, ones, (), key)

    @property
    def precision(self) -> np.ndarray:
        """(param, param), posterior."""
        return self.information + self.prior.precision

    @functools.cached_property
    def covariance(self) -> np.ndarray:
        """(param, param), posterior.

        The spurious information is subtracted; along directions of which it is half or more, only the prior is left.
        """
        if self._sound:
            return np.linalg.inv(self.precision - self.spurious)
        _, left, B = self._left
        return (B.T / left) @ B

    @functools.cached_property
    def widest_covariance(self) -> np.ndarray:
        """(param, param): the covariance, if the noise in the Jacobians disturbs the score as much as it can.

        The step is the inverse of what is not spurious, times a score whose covariance is all of the precision.
        """
        if self._sound:
            return self.covariance @ self.precision @ self.covariance
        share, left, B = self._left
        return (B.T / np.where(share < 0.5, left**2, left)) @ B

    @functools.cached_property
    def _left(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The spurious share along the axes of `_axes`, what precision is left there, and the axes."""
        share, B = self._axes
        before = np.minimum(np.einsum("ia,ab,ib->i", B, self.prior.precision, B), 1.0)
        return share, np.where(share < 0.5, 1.0 - share, np.maximum(before, 1e-9)), B

    @functools.cached_property
    def step(self) -> np.ndarray:
        """The Gauss-Newton step from `point` to the estimate."""
        return self._stepped(0.0)

    def _stepped(self, damping: float) -> np.ndarray:
        """Shorter for some damping (Levenberg-Marquardt); zero along directions whose information is spurious."""
        if self._sound:
            A = self.precision
            return np.linalg.solve(A + damping * np.diag(np.diag(A)), self._gradient)
        share, B = self._axes
        return B.T @ (np.where(share < 0.5, B @ self._gradient, 0.0) / (1.0 + damping))

    @functools.cached_property
    def whole_step(self) -> np.ndarray:
        """The step that explains the rows best, along spurious directions, too."""
        if self._sound:
            return self.step
        _, B = self._axes
        return B.T @ (B @ self._gradient)

    @functools.cached_property
    def _gradient(self) -> np.ndarray:
        """The vector b + A₀ δ₀."""
        return self.score + self.prior.precision @ self._prior_offset

    @functools.cached_property
    def estimate(self) -> LinearisationPoint:
        """The maximum of the posterior to first order; no farther than one step may go."""
        return self.damped_estimate(0.0)

    def damped_estimate(self, damping: float, possible: bool = False) -> LinearisationPoint:
        """The estimate, or a point nearer for some damping; with `possible` along a step to a possible load."""
        step = self.step if damping == 0.0 else self._stepped(damping)
        step = self._possible(step) if possible else step
        return self.point.retract(np.clip(step, -TUNING.largest_step, TUNING.largest_step))

    def _possible(self, step: np.ndarray) -> np.ndarray:
        """The step, or the best one that leaves the moments along every axis half of what they are.

        With aᵀ δ the change of a moment, δ + C a (limit − aᵀ δ) / (aᵀ C a) is the likeliest step of those at the limit.
        Without it, others follow a moment to where it cannot go.
        """
        A = np.linalg.cholesky(matrix_from_moments(self.point.load[1:7]))
        A_inv = np.linalg.inv(A)
        for _ in range(3):
            sizes, axes = np.linalg.eigh(A_inv @ matrix_from_moments(step[1:7]) @ A_inv.T)
            if sizes[0] > -0.51:
                break
            u = A_inv.T @ axes[:, 0]
            a = np.zeros(len(step))
            a[1:7] = np.outer(u, u)[UPPER] * np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
            Ca = self.covariance @ a
            step = step + Ca * (-0.5 - a @ step) / (a @ Ca)
        return step

    @functools.cached_property
    def cost(self) -> float:
        """NIS at `point`, plus the squared distance from the prior: twice the negative log-posterior."""
        off = self._prior_offset
        return self.nis + float(off @ self.prior.precision @ off)

    @functools.cached_property
    def _prior_offset(self) -> np.ndarray:
        """δ₀, from `point` to the prior's."""
        return self.point.local(self.prior.point)

    @functools.cached_property
    def _sound(self) -> bool:
        """Whether less than half of the precision is spurious along every direction."""
        try:
            np.linalg.cholesky(0.5 * self.precision - self.spurious)
        except np.linalg.LinAlgError:
            return False
        return True

    @functools.cached_property
    def _axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Axes (in rows) along which the precision is one, and the spurious share of it there.

        Rounding may have made the precision negative along directions that nobody knows; here it is not.
        """
        diagonal = np.diag(self.precision)
        scale = 1.0 / np.sqrt(np.maximum(diagonal, TUNING.negligible_precision * max(diagonal.max(), 1.0)))
        sizes, axes = np.linalg.eigh(self.precision * scale * scale[:, None])
        root = (axes / np.sqrt(np.maximum(sizes, 1e-12))).T * scale
        share, axes = np.linalg.eigh(root @ self.spurious @ root.T)
        return share, axes.T @ root

    @functools.cached_property
    def newton_decrement(self) -> float:
        """δᵀ (A + A₀) δ: the square of the step to the estimate, in standard deviations."""
        return float(self.step @ self.precision @ self.step)

    @functools.cached_property
    def converged(self) -> bool:
        """Whether another relinearisation would move the estimate by little next to its standard deviation.

        Either the step to it is hardly longer than new rows make it, or so short next to the load itself that what a
        linearisation leaves out is small next to a standard deviation.
        """
        decrement, most = self.newton_decrement, TUNING.converged_below * self.point.size
        return decrement <= most or self.relative_step * np.sqrt(decrement) < TUNING.small_curvature

    @functools.cached_property
    def relative_step(self) -> float:
        """The step over what it may be linear in: radians, shares of the mass and its moments, radii of gyration."""
        S = matrix_from_moments(self.point.load[1:7])
        radius = np.sqrt(np.trace(S))
        A = np.linalg.inv(np.linalg.cholesky(S))
        moments = np.abs(np.linalg.eigvalsh(A @ matrix_from_moments(self.step[1:7]) @ A.T)).max()
        grips = self.step[TILT.stop :].reshape(-1, 2, 3)
        lengths = np.abs(np.concatenate([self.step[7:10], grips[:, 0].ravel()])).max() / radius
        angles = np.abs(np.concatenate([self.step[TILT], grips[:, 1].ravel()])).max()
        return float(max(abs(self.step[0]), moments, lengths, angles))

    def known_before(self, row: int) -> "FilterPass":
        """The pass before a row, as near to it as a block began."""
        for segment in reversed(self.segments):
            if segment.row <= row and segment.before is not None:
                return segment.before
        return self

    @property
    def covariance_inflation(self) -> float:
        """NIS over its expectation, at least 1: by which covariances are multiplied."""
        return max(1.0, self.misfit / max(self.count, 1))

    @property
    def fits(self) -> bool:
        """Whether the estimate explains the rows."""
        return self.covariance_inflation <= TUNING.fits_below

    @property
    def misfit(self) -> float:
        """The cost at the estimate, to second order."""
        return self.cost - self.newton_decrement


def digest(*parts: bytes) -> bytes:
    """A short name of some content."""
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        total.update(part)
    return total.digest()
