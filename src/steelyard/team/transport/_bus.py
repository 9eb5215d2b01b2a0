"""The bus inside one process: it moves messages, with disturbances that are the same for the same seed."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from steelyard.errors import BadInput
from steelyard.team._agent import Message
from steelyard.team.membership._graph import Graph


class Partition(msgspec.Struct, frozen=True):
    """From `start` to `end` (samples) nothing passes between the robots of `side` and all others."""

    start: int
    end: int
    side: frozenset[str]

    def cuts(self, step: int, sender: str, recipient: str) -> bool:
        """Whether a message sent at this step is lost to the partition."""
        return self.start <= step < self.end and (sender in self.side) != (recipient in self.side)


class Disturbance(msgspec.Struct, frozen=True):
    """What the bus does to messages; by default nothing: each arrives one sample after it was sent."""

    loss: float = 0.0
    """Share of messages that never arrive."""
    delay: int = 0
    """Samples by which every message is later than it had to be."""
    jitter: int = 0
    """Samples, at most, by which a message is later still, drawn anew for each: they overtake one another."""
    double: float = 0.0
    """Share of messages that arrive twice, the second time with a jitter of its own."""
    shuffle: bool = False
    """Whether those that arrive together come in any order."""
    partitions: tuple[Partition, ...] = ()

    def __post_init__(self) -> None:
        if not (0.0 <= self.loss <= 1.0 and 0.0 <= self.double <= 1.0):
            raise BadInput(f"A share of messages is from 0 to 1, not {self.loss} or {self.double}; give such a number.")
        if self.delay < 0 or self.jitter < 0:
            raise BadInput(f"A delay of {min(self.delay, self.jitter)} samples is no delay; give 0 or more.")

    @property
    def random(self) -> bool:
        """Whether chance enters."""
        return self.loss > 0.0 or self.double > 0.0 or self.jitter > 0 or self.shuffle

    @property
    def hop(self) -> float:
        """Samples in which most of what a robot sends has come to a neighbour: what is lost is sent again."""
        once = 1.0 + self.delay + self.jitter
        return once / (1.0 - min(self.loss, 0.9)) ** 2


class Bus:
    """Carries messages along the links of a graph, and counts the bytes that its robots send.

    Chance depends on the seed, the two robots and the step only, so it is the same in whatever order agents run.
    """

    def __init__(self, graph: Graph, disturbance: Disturbance | None = None, seed: int = 0):
        self.graph = graph
        self.disturbance = disturbance or Disturbance()
        self.seed = seed
        self.bytes_sent: dict[str, int] = dict.fromkeys(graph.names, 0)
        self.messages_sent: dict[str, int] = dict.fromkeys(graph.names, 0)
        self._due: defaultdict[str, defaultdict[int, list[Message]]] = defaultdict(lambda: defaultdict(list))
        self._encoder = msgspec.msgpack.Encoder()

    def post(self, step: int, sender: str, outbox: Mapping[str, Message]) -> None:
        """Takes what a robot sends at a step."""
        neighbours = self.graph.neighbours(sender)
        for recipient, message in outbox.items():
            if recipient not in neighbours:
                raise BadInput(f'Robot "{sender}" writes to "{recipient}", which it cannot hear; add a link.')
            self.bytes_sent[sender] += len(self._encoder.encode(message))
            self.messages_sent[sender] += 1
            for arrival in self._arrivals(step, sender, recipient):
                self._due[recipient][arrival].append(message)

    def _arrivals(self, step: int, sender: str, recipient: str) -> Iterable[int]:
        worst = self.disturbance
        if any(partition.cuts(step, sender, recipient) for partition in worst.partitions):
            return ()
        soonest = step + 1 + worst.delay
        if not worst.random:
            return (soonest,)
        draw = random.Random(f"{self.seed}/{sender}/{recipient}/{step}")
        lost, twice = draw.random() < worst.loss, draw.random() < worst.double
        arrivals = [soonest + draw.randint(0, worst.jitter), soonest + draw.randint(0, worst.jitter)]
        return () if lost else arrivals[: 2 if twice else 1]

    def collect(self, step: int, recipient: str) -> tuple[Message, ...]:
        """What arrives for a robot at a step; messages for steps that it missed are lost."""
        due = self._due[recipient]
        found = due.pop(step, [])
        for old in [arrival for arrival in due if arrival < step]:
            del due[old]
        found.sort(key=lambda message: (message.sender, message.sequence))
        if self.disturbance.shuffle:
            random.Random(f"{self.seed}/{recipient}/{step}").shuffle(found)
        return tuple(found)
