"""What a robot of a team is: a pure step from its own sample and its own inbox.

The same agent runs in one process with others or alone on a robot: whatever moves the messages, it does not know.
"""

import abc
from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.estimators import Estimate
from steelyard.team._cache import Cache


class Message(msgspec.Struct, frozen=True, array_like=True):
    """What every message says first: who, the how-manieth, and when its content was true (s)."""

    sender: str
    sequence: int
    time: float


class Turn(msgspec.Struct, frozen=True):
    """What comes out of one step of an agent."""

    state: Any
    outbox: Mapping[str, Message]
    """To each neighbour, its message; whom it does not name gets none."""
    estimates: Mapping[str, Estimate]
    """What the robot makes of it all by now; each says of which time."""
    action: Any = None
    """What the robot does until its next sample, as `run_closed_loop` gives it to the world; None where it only watches."""
    events: tuple[Any, ...] = ()
    """What the robot has just found out to have happened."""


class Agent(abc.ABC):
    """Frozen configuration of one robot; its state is a value that goes in and comes out."""

    name: str
    cache: Cache | None = None
    """Results that the runner lets agents of one process share; a step returns the same with any."""

    @abc.abstractmethod
    def init(self) -> Any:
        """The state before the first sample."""

    @abc.abstractmethod
    def step(self, state: Any, sample: Any, inbox: tuple[Message, ...]) -> Turn:
        """One sample of the robot's own, None where it has none, and what has arrived since the last step."""

    def keepsake(self, state: Any) -> Any:
        """What of a state is worth writing down, for `resume` in a later process of this robot; by default nothing."""
        return self.init()

    def resume(self, state: Any) -> Any:
        """The keepsake of an earlier process of this robot, a few seconds old when that ended, made fit to go on.

        By default a robot begins again, and learns from its neighbours.
        """
        return self.init()

    def disbelieve(self, state: Any, earlier: Any, liars: frozenset[str]) -> Any:
        """The state once robots turn out to lie about how the load moves; `earlier` is one from before they did.

        By default the robot begins again.
        """
        return self.init()

    def meet_again(self, state: Any, neighbour: str) -> Any:
        """The state once a neighbour's process has been replaced by one that knows little of what the old one said."""
        return state

    @abc.abstractmethod
    def decode(self, data: bytes) -> Message:
        """A message of this agent's kind from its bytes; msgspec.DecodeError for any other."""
