"""What a robot of a team computes: a pure step from its own sample and its own inbox.

The same agent runs in one process with others or alone on a robot; it does not know what moves the messages.
"""

import abc
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np

from steelyard.estimators import Estimate
from steelyard.team._cache import Cache


class Message(msgspec.Struct, frozen=True, array_like=True):
    """What every message begins with: the sender, its sequence number, and the time of its content (s)."""

    sender: str
    sequence: int
    time: float


class Turn(msgspec.Struct, frozen=True):
    """What comes out of one step of an agent."""

    state: Any
    outbox: Mapping[str, Message]
    """To each neighbour, its message; whom it does not name gets none."""
    estimates: Mapping[str, Estimate]
    """The robot's estimates, each with its time."""
    action: Any = None
    """What the robot does until its next sample, for `run_closed_loop`; None for agents that only watch."""
    events: tuple[Any, ...] = ()
    """What the robot has just detected."""


class MotionReports(NamedTuple):
    """What robots report to have measured of the motion."""

    table: np.ndarray
    """(time, robot, column): rows of which all of the robots report numbers, oldest first."""
    samples: int
    """Of which each number is a mean."""


NO_REPORTS = MotionReports(np.zeros((0, 0, 0)), 1)


class Agent(abc.ABC):
    """Frozen configuration of one robot; its state is a value that goes in and comes out."""

    name: str
    cache: Cache
    """Results that the runner lets agents of one process share, for agents that share any; a step returns the same
    with every cache."""

    @abc.abstractmethod
    def init(self) -> Any:
        """The state before the first sample."""

    @abc.abstractmethod
    def step(self, state: Any, sample: Any, inbox: tuple[Message, ...]) -> Turn:
        """One sample of the robot's own, None where it has none, and the messages since the last step."""

    def to_checkpoint(self, state: Any) -> Any:
        """The part of a state that a checkpoint keeps for a later process of this robot; by default nothing."""
        return self.init()

    def from_checkpoint(self, state: Any) -> Any:
        """The state to go on from, from the checkpoint of an earlier process of this robot, a few seconds old.

        By default a robot begins again, and learns from its neighbours.
        """
        return self.init()

    def exclude(self, state: Any, earlier: Any, faulty: frozenset[str]) -> Any:
        """The state once robots turn out to report a wrong motion; `earlier` is a state from before they did.

        By default the robot begins again.
        """
        return self.init()

    def reset_link(self, state: Any, neighbour: str) -> Any:
        """The state once a neighbour's process has been replaced by one that knows little of what the old one knew."""
        return state

    def catch_up(self, state: Any) -> Any:
        """The state of a robot that stood still for a while, whose neighbours will send what it has missed."""
        return state

    def reported_motion(self, state: Any, robots: tuple[str, ...], row: float, span: float) -> MotionReports:
        """What robots report of the last `span`, s, in means over about `row`, s; by default nothing."""
        return NO_REPORTS

    def plausible(self, message: Message, latest: float) -> bool:
        """Whether a message can be of now: its rows and numbers are none of times after `latest`, s of the run."""
        return message.time <= latest

    @abc.abstractmethod
    def decode(self, data: bytes) -> Message:
        """A message of this agent's kind from its bytes; msgspec.DecodeError for any other."""
