"""What a process feeds: messages, samples and the passing of time. A trial wraps it to let things go wrong."""

import abc

from steelyard.live.robot._sensor_gate import Reading


class Inlet(abc.ABC):
    """Every `now` is of the robot's own clock, s."""

    @abc.abstractmethod
    def receive(self, sender: str, data: bytes, now: float) -> None:
        """Bytes that came on a neighbour's key."""

    @abc.abstractmethod
    def take_sample(self, reading: Reading, now: float) -> None:
        """A sample of the robot's own sensors."""

    @abc.abstractmethod
    def update(self, now: float, sampled: bool = False) -> None:
        """What is due by the clock; `sampled`: whether a sample of its own follows at once."""

    @abc.abstractmethod
    def next_due(self) -> float:
        """When `update` has something to do again, own clock."""

    @abc.abstractmethod
    def send_farewell(self, now: float) -> None:
        """A last envelope to each neighbour, by whose number it knows what it has missed."""
