"""One row a robot and quantity: the same words for the terminal and for the page."""

import dataclasses

import numpy as np

from steelyard.estimators import Estimate, Knowledge
from steelyard.problems import Event, Identification
from steelyard.report._components import components
from steelyard.report._digits import like, number, percent, plus_minus, signed
from steelyard.report._truth import last_truth, truth_of

STATUS_WORDS: dict[Knowledge, str] = {
    "known": "known",
    "doubtful": "doubtful",
    "not-yet-known": "not yet known",
    "not-identifiable": "this motion cannot tell",
    "failed": "failed",
}
"""What each status means to a reader."""

EVENT_WORDS = {"change": "change", "contact": "contact", "fault": "fault", "recovered": "recovered"}
"""What each kind of event means to a reader."""


PART_LABELS = {"thrust_curve": ("a", "b", "c")}
"""What the numbers of a quantity are called that is no vector in space."""
QUANTITY_WORDS = {"com": "centre of mass"}
"""What a quantity is called on a page, where that is not its key in JSON and Python."""


@dataclasses.dataclass(frozen=True)
class Part:
    """One number of a row."""

    label: str
    """`x`, `xy`, …; empty for a scalar."""
    value: str
    """With its interval."""
    truth: str
    """Empty where it is not known."""


@dataclasses.dataclass(frozen=True)
class QuantityRow:
    """What one robot knows of one quantity, in words."""

    robot: str
    quantity: str
    unit: str
    frame: str | None
    status: Knowledge
    parts: tuple[Part, ...]
    """Empty unless the quantity is known."""
    error: str
    """In percent and in standard deviations; empty where the truth is not known."""
    truth: str = ""
    """What is true where the quantity itself is not known."""

    @property
    def words(self) -> str:
        """The status, to a reader."""
        return STATUS_WORDS[self.status]


def rows(identification: Identification) -> list[QuantityRow]:
    """All robots, all quantities, in their order."""
    return [
        row(robot, quantity, estimate, last_truth(truth_of(identification, robot, quantity), _shape(estimate)))
        for robot, quantities in identification.robots.items()
        for quantity, estimate in quantities.items()
    ]


def row(robot: str, quantity: str, estimate: Estimate, truth: np.ndarray | None = None) -> QuantityRow:
    """One estimate in words."""
    unit, frame, status = estimate.unit, estimate.frame, estimate.status
    if estimate.doubtful_value is not None and estimate.doubtful_value.shape != (7,):
        value, std = estimate.doubtful_value, estimate.doubtful_std
        assert std is not None
        parts = tuple(
            Part(part.label, f"({plus_minus(value[part.index], 1.96 * std[part.index])})", "")
            for part in components(value[None])
        )
        return QuantityRow(robot, quantity, unit, frame, status, parts, "")
    if estimate.value is None or estimate.std is None:
        known_truth = "" if truth is None else number(float(truth))
        return QuantityRow(robot, quantity, unit, frame, status, (), "", known_truth)
    if estimate.value.shape == (7,) and estimate.std.shape == (6,):
        return QuantityRow(robot, quantity, unit, frame, status, *_pose(estimate.value, estimate.std, truth))
    value = estimate.value
    std = estimate.std if estimate.std.shape == value.shape else np.full(value.shape, np.nan)
    names = PART_LABELS.get(quantity, [part.label for part in components(value[None])])
    parts = tuple(
        Part(
            name,
            plus_minus(value[part.index], 1.96 * std[part.index]),
            "" if truth is None else like(truth[part.index], 1.96 * std[part.index]),
        )
        for name, part in zip(names, components(value[None]), strict=True)
    )
    return QuantityRow(robot, quantity, unit, frame, status, parts, _error(value, std, truth))


def event_size(event: Event, unit: str) -> str:
    """How much changed, with its unit; empty where the event has no size."""
    return "" if event.size is None else f"{signed(event.size)} {unit}".strip()


def unit_of(identification: Identification, robot: str, quantity: str) -> str:
    """The unit of a quantity wherever it is mentioned first; empty where it is mentioned nowhere."""
    estimate = identification.robots.get(robot, {}).get(quantity)
    series = identification.series.get(robot, {}).get(quantity)
    found = estimate or series or truth_of(identification, robot, quantity)
    return found.unit if found else ""


def _shape(estimate: Estimate) -> tuple[int, ...]:
    return () if estimate.value is None else estimate.value.shape


def _error(value: np.ndarray, std: np.ndarray, truth: np.ndarray | None) -> str:
    """Of a scalar with its sign; of a vector its length against the truth's, and its worst component."""
    if truth is None:
        return ""
    error = np.asarray(value - truth)
    length, size = float(np.linalg.norm(error)), float(np.linalg.norm(truth))
    if size == 0.0:
        words = [f"{signed(float(error)) if error.ndim == 0 else number(length, 3)} from 0"]
    else:
        words = [f"{100.0 * float(error) / abs(float(truth)):+.2g} %" if error.ndim == 0 else percent(length / size, 2)]
    with np.errstate(divide="ignore", invalid="ignore"):
        sigmas = float(np.max(np.abs(error) / std))
    if np.isfinite(sigmas):
        words.append(f"{sigmas:.1f} σ" if error.ndim == 0 else f"max {sigmas:.1f} σ")
    return ", ".join(words)


def _pose(value: np.ndarray, std: np.ndarray, truth: np.ndarray | None) -> tuple[tuple[Part, ...], str]:
    """Position with its interval, quaternion without, and then the rotation's own uncertainty."""
    half = 1.96 * std
    parts = []
    for i, part in enumerate(components(value[None])):
        true = "" if truth is None else like(truth[i], half[min(i, 3)])
        parts.append(Part(part.label, plus_minus(value[i], half[i]) if i < 3 else like(value[i], half[3:].min()), true))
    parts.append(Part("turn", "± " + ", ".join(f"{h:.2g}" for h in half[3:]) + " rad", ""))
    if truth is None:
        return tuple(parts), ""
    distance = float(np.linalg.norm(value[:3] - truth[:3]))
    angle = 2.0 * np.degrees(np.arccos(np.clip(abs(value[3:] @ truth[3:]), 0.0, 1.0)))
    return tuple(parts), f"{number(distance, 3)} m, {angle:.2g}°"
