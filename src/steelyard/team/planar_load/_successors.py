"""Hand-over: a robot that goes leaves its readings to a neighbour, its successor, so that its forces still count."""

from steelyard.team.membership import checksum_of
from steelyard.team.planar_load._contact import Contact
from steelyard.team.planar_load._message import PlanarLoadMessage
from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._sum_keys import Kind, SumKey


def keep_hand_over(state: PlanarAgentState, message: PlanarLoadMessage) -> None:
    """Keeps what a neighbour hands over; one that has come back contributes for itself from some row on."""
    for key, contact in list(state.contacts.inherited.items()):
        if key[0] == message.sender and 0 <= message.first <= contact.last:
            last, contact.last = contact.last, message.first - 1
            if contact.last < contact.first:  # it was never gone: nobody counts twice
                del state.contacts.inherited[key]
            _add_again(state, message.first, last)
    left = state.contacts.hand_overs.setdefault(message.sender, Contact(checksum_of(message.sender)))
    begins = message.first > left.last >= 0 and message.first != left.first
    if begins or left.misses(message.last):
        left = state.contacts.hand_overs[message.sender] = Contact(checksum_of(message.sender))
    left.take_hand_over(message.last, message.hand_over)


def take_over(state: PlanarAgentState) -> None:
    """A neighbour that has been silent for too long is gone: its successor adds up what it handed over."""
    for name, left in list(state.contacts.hand_overs.items()):
        received = state.heard.positions[name]
        if state.sums.tree.silent(state.tick, name) and left.last >= 0 and received:
            # Before the first joint step each iteration has axes of its own, and another's position is of no use.
            newest = received[max(received)] if state.steps.taken else None
            left.positions = {iteration: received.get(iteration, newest) for iteration in state.contacts.own.positions}
            state.contacts.inherited[name, left.first] = left
            del state.contacts.hand_overs[name]
            _add_again(state, left.first, left.last)


def _add_again(state: PlanarAgentState, first: int, last: int) -> None:
    """Rows of which this robot's part has changed."""
    for key in map(SumKey._make, list(state.sums.tree.own)):
        if key.kind == Kind.ROW and first <= key.row <= last:
            state.sums.tree.add(key, state.contacts.part_of(key.row, key.iteration))
