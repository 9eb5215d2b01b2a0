"""What robots that hold a load in space send each other: samples, and which samples each has."""

import msgspec

from steelyard.team._agent import Message
from steelyard.team.spatial_load._tuning import TUNING

VALUES_SIZE = 120
"""Bytes of fifteen numbers."""


class RelayedSample(msgspec.Struct, frozen=True, array_like=True):
    """One sample of one robot."""

    origin: str
    born: int
    number: int
    row: int
    time: float
    values: bytes
    """Fifteen numbers of eight bytes, the least significant first; NaN where a sensor was silent."""


class Inventory(msgspec.Struct, frozen=True, array_like=True):
    """Which samples of a robot the sender has."""

    origin: str
    born: int
    """Row of the robot's first sample: a robot that starts again begins a new series."""
    oldest: int
    """The first that it can still pass on."""
    front: int
    """The first that it lacks."""
    ahead: int
    """Bits: which of those after `front` it has."""


class SpatialLoadMessage(Message, frozen=True, array_like=True):
    """What robots that hold a load in space tell each other."""

    echo: int
    """Number of the last message from the recipient."""
    inventories: tuple[Inventory, ...]
    samples: tuple[RelayedSample, ...]

    def possible_by(self, row: int, dt: float) -> bool:
        """Whether all that it tells can have been measured by a row; rows are `dt` s apart.

        A robot numbers its samples from its first row on, at most one a row. One that came back from a checkpoint may
        lack samples that are older than the oldest it still has: `front` before `oldest`.
        """
        most = 2 * row + TUNING.messages_before_start
        return (
            max(self.sequence, self.echo) <= most
            and all(
                one.born <= row and max(one.oldest, one.front) <= row - one.born + 1 and one.ahead >= 0
                for one in self.inventories
            )
            and all(
                one.row <= row and 0 <= one.number <= one.row - one.born and abs(one.time - one.row * dt) <= dt
                for one in self.samples
            )
        )
