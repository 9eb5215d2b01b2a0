"""What robots of a planar team send to each other, and what they report."""

import msgspec

from steelyard.team._agent import Message
from steelyard.team.consensus._tree_sums import TreeMessage
from steelyard.team.planar_load._velocity_relay import Report


class PlanarLoadMessage(Message, frozen=True, array_like=True):
    """To one neighbour."""

    tree: TreeMessage
    positions: tuple[tuple[int, float, float], ...]
    """Outer iterations, and the sender's contact position in each."""
    first: int
    """The first row of the sender's own contact."""
    last: int
    """The last row that it has measured whole."""
    start: int
    """The first row of its window; −1 before there is one."""
    hand_over: bytes
    """Its last rows, for its successor; empty for others."""
    velocities: tuple[Report, ...]
    """What robots report of their contacts' velocities, passed on; none in a team of one process."""
    successor: str
    """Who contributes for the contact's past once the sender is gone: the neighbour with the smallest name."""


class PlanarLoadEvent(msgspec.Struct, frozen=True):
    """Something happened to the load or to the team."""

    time: float
    """s, when it happened, as far as that is known."""
    kind: str
    """`change` of the load."""
    quantity: str
