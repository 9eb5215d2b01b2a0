"""Who goes leaves what it has measured to a neighbour, so that its pushes still count."""

from steelyard.team.planar_load._contact import Contact
from steelyard.team.planar_load._state import LoadState, PlanarLoadMessage, roll_of


def hear_will(state: LoadState, letter: PlanarLoadMessage) -> None:
    """Keeps what a neighbour would leave; one that is back speaks for itself from some row on."""
    for (name, _), ward in state.wards.items():
        if name == letter.sender and 0 <= letter.first <= ward.last:
            last, ward.last = ward.last, letter.first - 1
            _add_again(state, letter.first, last)
    left = state.heard_of.setdefault(letter.sender, Contact(roll_of(letter.sender)))
    if letter.first > left.last >= 0 and letter.first != left.first:
        left = state.heard_of[letter.sender] = Contact(roll_of(letter.sender))
    left.inherit(letter.last, letter.recent)


def take_over(state: LoadState) -> None:
    """Whoever has been silent for too long is gone: what it has left is added up by its heir."""
    for name, left in list(state.heard_of.items()):
        told = state.told[name]
        if state.tree.silent(state.tick, name) and left.last >= 0 and told:
            newest = told[max(told)]
            left.places = {version: told.get(version, newest) for version in state.own.places}
            state.wards[name, left.first] = left
            del state.heard_of[name]
            _add_again(state, left.first, left.last)


def _add_again(state: LoadState, first: int, last: int) -> None:
    """Rows whose sums have another part of this robot's than before."""
    for row, version in list(state.tree.own):
        if first <= row <= last and row >= 0:
            state.tree.add((row, version), state.part_of(row, version))
