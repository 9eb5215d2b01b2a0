"""The answer to a question asked of a log."""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Trust


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
    kind: Literal["change", "contact", "fault", "recovered"]
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
class Replay:
    """A flight as a simulator takes it: what drove the vehicle, how it moved, and what was identified."""

    time: np.ndarray
    """(n,), s."""
    thrust: np.ndarray
    """(n,), N, as logged: before the motors' lag where it was a command."""
    attitude: np.ndarray
    """(n, 4), unit quaternions w, x, y, z, body to world."""
    velocity: np.ndarray
    """(n, 3), world, m/s; NaN where none was measured."""
    mass: np.ndarray
    """(n,), kg."""
    drag: tuple[float, float] = (0.0, 0.0)
    """Linear across the thrust axis, N s/m, and quadratic, N s²/m²."""
    losses: tuple[float, float] = (0.0, 0.0)
    """Share of the thrust that is lost per m/s of speed, and per m/s along the thrust axis."""

    def head(self, rows: int) -> "Replay":
        """The first rows."""
        arrays = {name: value[:rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return dataclasses.replace(self, **arrays)


class NoSuchNameError(BadInput, AttributeError, KeyError):
    """A robot or a quantity was asked for that is not there; the message names the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would quote it


class Quantities(Mapping[str, Estimate]):
    """Estimates by name: an attribute or an item each.

    >>> known = Quantities({"mass": Estimate.known(2.0, 0.1, "kg", None, 0.0)})
    >>> known.mass.unit, known["mass"].status
    ('kg', 'known')
    >>> known.mas
    Traceback (most recent call last):
        ...
    steelyard.problems._identification.NoSuchNameError: There is no "mas"; did you mean "mass"?
    """

    def __init__(self, estimates: Mapping[str, Estimate]):
        self._estimates = dict(estimates)

    def __getitem__(self, name: str) -> Estimate:
        if not isinstance(name, str) or name not in self._estimates:
            raise NoSuchNameError(f'There is no "{name}"; {nearest(str(name), list(self._estimates))}')
        return self._estimates[name]

    def __getattr__(self, name: str) -> Estimate:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimates)

    def __len__(self) -> int:
        return len(self._estimates)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._estimates if name.isidentifier())]

    def __repr__(self) -> str:
        return f"Quantities({self._estimates!r})"


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
    trust: Mapping[str, Trust] = dataclasses.field(default_factory=dict)
    """By robot: what the problem's own checks have against its answers."""
    seconds_a_row: float | None = None
    """What a step cost in this run, on average."""
    replays: Mapping[str, Replay] = dataclasses.field(default_factory=dict)
    """By robot: what a report simulates again."""

    def __getitem__(self, robot: str) -> Quantities:
        """What one robot knows: `found["r1"].mass.value`."""
        if not isinstance(robot, str) or robot not in self.robots:
            raise NoSuchNameError(f'There is no robot "{robot}"; {nearest(str(robot), list(self.robots))}')
        return Quantities(self.robots[robot])

    @property
    def knows_something(self) -> bool:
        """Whether any robot knows any quantity that was asked for (offsets, biases and delays are not)."""
        return any(
            estimate.status == "known"
            for quantities in self.robots.values()
            for name, estimate in quantities.items()
            if name.split("/")[0] not in ("offset", "bias", "delay")
        )

    def to_dict(self, series: bool = False) -> dict[str, Any]:
        """The object that `steelyard identify --json` prints."""
        answer: dict[str, Any] = {
            "problem": self.problem,
            "method": self.method,
            "robots": {
                robot: {name: _estimate_as_dict(estimate) for name, estimate in quantities.items()}
                for robot, quantities in self.robots.items()
            },
            "events": [dataclasses.asdict(event) for event in self.events],
            "verdict": self.verdict,
            "notes": list(self.notes),
        }
        if series:
            answer["series"] = {
                robot: {
                    name: {"time": numbers(s.time), "value": numbers(s.value), "std": numbers(s.std)}
                    for name, s in quantities.items()
                }
                for robot, quantities in self.series.items()
            }
        return answer


def _estimate_as_dict(estimate: Estimate) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "value": None if estimate.value is None else numbers(estimate.value),
        "std": None if estimate.std is None else numbers(estimate.std),
        "unit": estimate.unit,
        "frame": estimate.frame,
        "status": estimate.status,
        "trust": estimate.trust.level,
        "reasons": [{"code": reason.code, "sentence": reason.sentence} for reason in estimate.trust.reasons],
    }
    if estimate.status != "known":
        answer["reason"] = estimate.reason
    if estimate.doubtful_value is not None and estimate.doubtful_std is not None:
        answer["doubtful_value"] = numbers(estimate.doubtful_value)
        answer["doubtful_std"] = numbers(estimate.doubtful_std)
    return answer


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
