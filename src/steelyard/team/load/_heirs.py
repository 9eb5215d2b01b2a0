"""Who goes leaves what it has measured to a neighbour, so that its pushes still count."""

from steelyard.team.load._contact import Contact
from steelyard.team.load._state import LoadMessage, LoadState, roll_of


def hear_will(state: LoadState, letter: LoadMessage) -> None:
    """Keeps what a neighbour would leave; one that is back speaks for itself from some row on."""
    ward = state.wards.get(letter.sender)
    if ward is not None and letter.first <= ward.last:
        ward.last = letter.first - 1
    left = state.heard_of.setdefault(letter.sender, Contact(roll_of(letter.sender)))
    if letter.first > left.last >= 0 and letter.first != left.first:
        left = state.heard_of[letter.sender] = Contact(roll_of(letter.sender))
    left.inherit(letter.last, letter.recent)


def take_over(state: LoadState) -> None:
    """Whoever has been silent for too long is gone: what it has left is added up by its heir."""
    for name, left in list(state.heard_of.items()):
        if state.tree.silent(state.tick, name) and left.last >= 0 and name not in state.wards:
            told = {version: place for version, place in state.told[name].items() if place is not None}
            if not told:
                continue
            newest = told[max(told)]
            left.places = {version: told.get(version, newest) for version in state.own.places}
            state.wards[name] = left
            del state.heard_of[name]
            for row, version in list(state.tree.own):
                if 0 <= row <= left.last:
                    state.tree.add((row, version), state.part_of(row, version))
