"""The answer to a question asked of a log."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from steelyard.estimators import Estimate


@dataclasses.dataclass(frozen=True)
class Series:
    """A quantity over time."""

    time: np.ndarray
    """(n,), s."""
    value: np.ndarray
    """(n,) or (n, …), NaN while it is not known."""
    std: np.ndarray
    """In the shape of `value`."""
    unit: str


@dataclasses.dataclass(frozen=True)
class Event:
    """Something happened."""

    time: float
    """s, when it happened, which is before it was noticed."""
    kind: Literal["change", "fault", "recovered"]
    robot: str
    quantity: str
    message: str
    """One sentence for people."""
    size: float | None = None
    """Of a change: new less old, in the quantity's unit."""
    noticed: float | None = None
    """s, when it was told; None where that was at once."""


@dataclasses.dataclass(frozen=True)
class Innovations:
    """Measured less expected, channel by channel: white and of unit variance once divided by `std`, if all is well."""

    time: np.ndarray
    """(n,), s."""
    channels: Sequence[str]
    value: np.ndarray
    """(n, channels), NaN where silent."""
    std: np.ndarray
    """(n, channels), as the estimator expected it."""


@dataclasses.dataclass(frozen=True)
class Identification:
    """Everything that came out of one run."""

    problem: str
    method: str
    origin: str
    """The log it came from."""
    robots: Mapping[str, Mapping[str, Estimate]]
    """What each robot knows at the end."""
    events: Sequence[Event]
    verdict: str
    """What these numbers are worth, in words."""
    notes: Sequence[str] = ()
    """What the reader should know of how they came about: noise that was estimated, channels left out."""
    series: Mapping[str, Mapping[str, Series]] = dataclasses.field(default_factory=dict)
    innovations: Mapping[str, Innovations] = dataclasses.field(default_factory=dict)
    truth: Mapping[str, Series] = dataclasses.field(default_factory=dict)
    """By quantity, where the log knows it; only reports look at it. `std` is zero."""
    settings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Of the run, for the report's last section."""
    seconds_a_row: float | None = None
    """What a step cost in this run, on average."""

    def as_json(self, with_series: bool = False) -> dict[str, Any]:
        """The object that `steelyard identify --json` prints."""
        answer: dict[str, Any] = {
            "problem": self.problem,
            "method": self.method,
            "robots": {
                robot: {name: _estimate_as_json(estimate) for name, estimate in quantities.items()}
                for robot, quantities in self.robots.items()
            },
            "events": [_event_as_json(event) for event in self.events],
            "verdict": self.verdict,
            "notes": list(self.notes),
        }
        if with_series:
            answer["series"] = {
                robot: {
                    name: {"time": numbers(s.time), "value": numbers(s.value), "std": numbers(s.std)}
                    for name, s in quantities.items()
                }
                for robot, quantities in self.series.items()
            }
        return answer


def _estimate_as_json(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": None if estimate.value is None else numbers(estimate.value),
        "std": None if estimate.std is None else numbers(estimate.std),
        "unit": estimate.unit,
        "frame": estimate.frame,
        "status": estimate.status,
    }


def _event_as_json(event: Event) -> dict[str, Any]:
    return dataclasses.asdict(event)


def numbers(array: Any) -> Any:
    """Nested lists of plain numbers, null where there is none: JSON knows no NaN.

    >>> numbers(np.array([1.0, np.nan]))
    [1.0, None]
    """
    if isinstance(array, list):
        return [numbers(part) for part in array]
    if isinstance(array, float):
        return array if math.isfinite(array) else None
    return numbers(np.asarray(array, float).tolist())
