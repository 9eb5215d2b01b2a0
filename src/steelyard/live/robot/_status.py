"""What a robot publishes on its own machine: statuses, estimates and events."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import numpy as np

from steelyard.estimators import Estimate

Phase = Literal["starting", "waiting", "running", "stopping"]


class EstimateReport(msgspec.Struct, frozen=True):
    """An estimate as plain numbers."""

    value: Any
    std: Any
    unit: str
    frame: str | None
    status: str
    time: float
    """s of the run, the time that it is of."""


class RobotEvent(msgspec.Struct, frozen=True):
    """Something that happened."""

    time: float
    """s of the run."""
    kind: str
    robot: str
    """That reports it."""
    what: str
    about: str | None = None
    """Another robot, where it is about one."""


class RobotStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A robot at one moment."""

    robot: str
    pid: int
    epoch: int
    phase: Phase
    time: float
    """s of the run."""
    tick: int
    holding: bool
    """Whether it acts on the load; one that nobody hears lets go."""
    estimates: dict[str, EstimateReport]
    known: dict[str, EstimateReport]
    """The last that it knew of each quantity, from before where it does not know it now."""
    age: float | None
    """s since what the oldest of the known is of; None before any."""
    alive: tuple[str, ...]
    """Neighbours heard within the last half second."""
    missing: tuple[str, ...]
    faulty: tuple[str, ...] = msgspec.field(name="liars")
    """Members whose measurements of the motion it does not use."""
    sent: int
    received: int
    lost: int
    dropped: dict[str, int]
    clock: tuple[str, float]
    """Whose clock it follows, and the offset to it, s."""
    late: tuple[float, float, float]
    """Of steps after their samples: median, 99th percentile and largest, ms."""
    memory: float
    """MB in use."""
    processor: float
    """Share of one core since it began to run."""
    threads: int


def report_estimates(estimates: Mapping[str, Estimate]) -> dict[str, EstimateReport]:
    """Estimates as plain numbers."""
    return {
        name: EstimateReport(_plain(one.value), _plain(one.std), one.unit, one.frame, one.status, one.time)
        for name, one in estimates.items()
    }


def _plain(value: Any) -> Any:
    return None if value is None else np.asarray(value).tolist()
