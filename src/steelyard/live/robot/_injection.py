"""What a trial may put between a robot and its links, sensors and clock; in production nothing."""

import abc
import dataclasses
import math
from collections.abc import Callable

from steelyard.live.robot._local_clock import Clock, LocalClock

SensorFault = Callable[[float, tuple[float, ...]], tuple[float, ...]]
"""Changes what a robot's sensors measured: the time of the run, s, and the values of a sample; other values."""


class IncomingLink(abc.ABC):
    """Between the bus and the gate of the robot that receives."""

    discarded = 0
    doubled = 0

    @property
    @abc.abstractmethod
    def next_due(self) -> float:
        """When `due` has something again, own clock; never, if nothing is under way."""

    @abc.abstractmethod
    def receive(self, now: float, run_time: float, sender: str, data: bytes) -> list[tuple[str, bytes]]:
        """A message as it came; what arrives at once: by whom, and what."""

    @abc.abstractmethod
    def due(self, now: float) -> list[tuple[str, bytes]]:
        """What was held back and arrives now."""

    @abc.abstractmethod
    def end_faults(self) -> None:
        """From now on nothing is lost or delayed: the end of a run, when all is counted."""


class DirectLink(IncomingLink):
    """Every message arrives at once."""

    @property
    def next_due(self) -> float:
        """See `IncomingLink`."""
        return math.inf

    def receive(self, now: float, run_time: float, sender: str, data: bytes) -> list[tuple[str, bytes]]:
        """See `IncomingLink`."""
        return [(sender, data)]

    def due(self, now: float) -> list[tuple[str, bytes]]:
        """See `IncomingLink`."""
        return []

    def end_faults(self) -> None:
        """See `IncomingLink`."""


@dataclasses.dataclass(frozen=True)
class Injection:
    """By default nothing is injected."""

    link: IncomingLink = dataclasses.field(default_factory=DirectLink)
    sensor_fault: SensorFault | None = None
    clock: Clock = dataclasses.field(default_factory=LocalClock)
