"""What a consensus is to one robot: something told to each neighbour, and what is made of what they tell."""

import abc
from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.team._agent import Agent, Message, Turn

Told = tuple[float | int | str, ...]
"""What a robot tells one neighbour: a few numbers, the first always its number of neighbours."""


class Consensus(abc.ABC):
    """A distributed computation as one robot sees it: pure, and its state a value."""

    @abc.abstractmethod
    def init(self, name: str, neighbours: tuple[str, ...], own: Any) -> Any:
        """The state of a robot before it has heard anything, from its own value."""

    @abc.abstractmethod
    def tell(self, state: Any, neighbour: str) -> Told:
        """What to tell a neighbour in this round."""

    @abc.abstractmethod
    def hear(self, state: Any, heard: Mapping[str, Told], own: Any) -> Any:
        """The state after a round: what arrived, by neighbour, and the robot's own value now (None: as before)."""

    @abc.abstractmethod
    def read(self, state: Any) -> Any:
        """What the robot makes of it so far."""


class Share(Message, frozen=True, array_like=True):
    """A message of one consensus."""

    told: Told


class _ConsensusState(msgspec.Struct, frozen=True):
    sequence: int
    inner: Any
    newest: dict[str, int]


class ConsensusAgent(Agent):
    """A robot that runs one consensus and nothing else; its samples are its own values."""

    def __init__(self, name: str, neighbours: tuple[str, ...], consensus: Consensus, own: Any):
        self.name = name
        self.neighbours = neighbours
        self.consensus = consensus
        self.own = own
        self._decoder = msgspec.msgpack.Decoder(Share)

    def init(self) -> _ConsensusState:
        """Before the first round."""
        return _ConsensusState(0, self.consensus.init(self.name, self.neighbours, self.own), {})

    def step(self, state: _ConsensusState, sample: Any, inbox: tuple[Message, ...]) -> Turn:
        """One round; of a neighbour's messages the newest counts, and none counts twice."""
        newest, heard = dict(state.newest), {}
        for message in inbox:
            if not isinstance(message, Share) or message.sender not in self.neighbours:
                continue
            if message.sequence > newest.get(message.sender, -1):
                newest[message.sender] = message.sequence
                heard[message.sender] = message.told
        inner = self.consensus.hear(state.inner, heard, sample) if state.sequence else state.inner
        told = {
            name: Share(self.name, state.sequence, float(state.sequence), self.consensus.tell(inner, name))
            for name in self.neighbours
        }
        return Turn(_ConsensusState(state.sequence + 1, inner, newest), told, {})

    def decode(self, data: bytes) -> Share:
        """A share from its bytes."""
        return self._decoder.decode(data)
