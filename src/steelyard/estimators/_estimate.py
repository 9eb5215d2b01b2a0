"""What leaves the package: a number only when it is known, and how well."""

import dataclasses
from typing import Any, Literal

import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators._trust import BELIEVED, Trust

Knowledge = Literal["known", "doubtful", "not-yet-known", "not-identifiable", "failed"]

_REASONS: dict[Knowledge, str] = {
    "doubtful": "Something speaks against it.",
    "not-yet-known": "The data so far do not determine it.",
    "not-identifiable": "This motion cannot tell it.",
    "failed": "The estimator has failed.",
}


@dataclasses.dataclass(frozen=True)
class Estimate:
    """One quantity at one time.

    >>> mass = Estimate.known(2.0, 0.01, "kg", None, time=12.5)
    >>> print(*(f"{bound:.4f}" for bound in mass.interval))
    1.9804 2.0196
    >>> Estimate.unknown("not-yet-known", "kg", None, time=0.1).interval is None
    True

    "Not yet known" and "this motion cannot tell" are statuses, never a number or NaN: `value` and `covariance` are
    None unless the status is `known`.
    """

    value: np.ndarray | None
    """In `unit`; a scalar has shape ()."""
    covariance: np.ndarray | None
    """Over the raveled value, or over the tangent coordinates where the value lives on a manifold (a pose)."""
    unit: str
    frame: str | None
    """A robot's name, `world`, or None where no frame is needed."""
    time: float
    """s."""
    status: Knowledge
    reason: str | None = None
    """One sentence, where it is not known and the method can tell why."""
    trust: Trust = BELIEVED
    """What speaks against it."""
    doubtful_value: np.ndarray | None = None
    """The number of a doubtful quantity; None otherwise."""
    doubtful_covariance: np.ndarray | None = None
    """Its covariance, as far as the method knows."""

    def __post_init__(self) -> None:
        if (self.status == "known") != (self.value is not None and self.covariance is not None):
            raise BadInput(f'An estimate has a value and a covariance exactly when it is known, not "{self.status}".')

    @staticmethod
    def known(value: Any, std: Any, unit: str, frame: str | None, time: float) -> "Estimate":
        """A known quantity from its standard deviations."""
        std = np.atleast_1d(np.asarray(std, float)).ravel()
        return Estimate(np.asarray(value, float), np.diag(std**2), unit, frame, float(time), "known")

    @staticmethod
    def unknown(status: Knowledge, unit: str, frame: str | None, time: float, reason: str | None = None) -> "Estimate":
        """A quantity without a number, and why; without a reason of the method, the general one of the status."""
        return Estimate(None, None, unit, frame, float(time), status, reason or _REASONS.get(status))

    def judged(self, trust: Trust) -> "Estimate":
        """With reasons against it: a known quantity becomes doubtful, and what is contradicted has failed.

        >>> from steelyard.estimators import Reason
        >>> outliers = Trust((Reason("outliers", "A fifth of the rows are outliers."),))
        >>> mass = Estimate.known(2.0, 0.01, "kg", None, time=12.5).judged(outliers)
        >>> mass.status, mass.value, float(mass.doubtful_value), mass.reason
        ('doubtful', None, 2.0, 'A fifth of the rows are outliers.')
        """
        if trust.level == "believed" or (trust.level == "doubtful" and self.status != "known"):
            return dataclasses.replace(self, trust=trust)
        number = (self.value, self.covariance) if trust.level == "doubtful" else (None, None)
        return dataclasses.replace(
            self,
            value=None,
            covariance=None,
            status="doubtful" if trust.level == "doubtful" else "failed",
            reason=next(r.sentence for r in trust.reasons if r.level == trust.level),
            trust=trust,
            doubtful_value=number[0],
            doubtful_covariance=number[1],
        )

    @property
    def doubtful_std(self) -> np.ndarray | None:
        """Standard deviations of a doubtful number."""
        return _std(self.doubtful_value, self.doubtful_covariance)

    @property
    def std(self) -> np.ndarray | None:
        """Standard deviations, in the value's shape where that fits."""
        return _std(self.value, self.covariance)

    @property
    def interval(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The 95 % interval, its lower and its upper bound; None unless the value is known, and for a pose."""
        if self.value is None or self.std is None or self.std.shape != self.value.shape:
            return None
        return np.asarray(self.value - 1.96 * self.std), np.asarray(self.value + 1.96 * self.std)


def _std(value: np.ndarray | None, covariance: np.ndarray | None) -> np.ndarray | None:
    if value is None or covariance is None:
        return None
    std = np.sqrt(np.diag(covariance))
    return std.reshape(value.shape) if std.size == value.size else std
