"""Notes that a team adds up after each fit: what every robot tells of its place, and what follows for all."""

from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.planar_load._contact import Part
from steelyard.team.planar_load._contact_position import Own
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._joint_step import N_TOLD, Joint
from steelyard.team.planar_load._state import NOTE_EVERY, NOTES, PART, LoadState, version_at
from steelyard.team.planar_load._sums import N_SUMS


class Told(NamedTuple):
    """One complete set of notes."""

    at: int
    """Its number."""
    fit: tuple[int, int, int] | None
    """Version, first and last row of the fit that all of it is about; None where robots spoke of different ones."""
    joint: Joint | None
    """None also where the step would lead too far."""


_PASSED = 12  # rows before a version's, up to which the fit reaches whose notes make it
_FIT = slice(N_TOLD, N_TOLD + 3 + N_UNKNOWNS)
_NOTHING = np.zeros(len(PART) * (N_SUMS - 1))


def tell(state: LoadState, at: int, fitted: tuple[int, int, int] | None, known: list[Own | None]) -> None:
    """The robot's part of the notes on its last fit: for each of its contacts what it knows, next to it.

    Notes go by the fit's last row: robots that are some rows apart must not add up what they say of different windows.
    """
    fit, note, speaking = state.fit, _NOTHING.copy(), 0.0
    pass_over(state, at)
    for contact, own in zip(state.contacts, known, strict=True):
        if own is not None and fitted is not None and fit is not None:
            note[:N_TOLD] += own.told
            note[_FIT] += *fitted, *fit.unknowns
            speaking += 1.0
            contact.parts[at] = Part(fitted, own)
    _add(state, at, note, speaking)
    state.noted = max(state.noted, at)


def note_for(row: int) -> int:
    """The number of the notes that make the version which is due after a row: most have come by then."""
    return (row + 1 - _PASSED) // NOTE_EVERY - 1


def pass_over(state: LoadState, until: int) -> None:
    """Says that it has nothing to say, for notes before a number that others may wait for."""
    for at in range(max(state.noted, state.oldest_note) + 1, until):
        rows = range(NOTE_EVERY * (at + 1) + _PASSED - 1, NOTE_EVERY * (at + 2) + _PASSED - 1)
        if any(version_at(row) > version_at(row - 1) for row in rows):  # they make a version, see `note_for`
            _add(state, at, _NOTHING, 0.0)
    state.noted = max(state.noted, until - 1)


def _add(state: LoadState, at: int, note: np.ndarray, speaking: float) -> None:
    for row, part in zip(PART, np.split(note, len(PART)), strict=True):
        state.tree.add((row, at), np.array([speaking, *part]))


def newest_told(state: LoadState) -> Told | None:
    """The newest notes that have come from everybody, all on one fit."""
    parts = state.own.parts
    found = (told_at(state, at) for at in sorted(parts, key=lambda at: (parts[at].fit[2], parts[at].fit[0]))[::-1])
    return next((told for told in found if told is not None and told.joint is not None), None)


def told_at(state: LoadState, at: int) -> Told | None:
    """The notes of one number; None while somebody's are missing."""
    own, summed = state.own.parts.get(at), _total(state, at)
    if summed is None:
        return None
    speaking, total = summed
    if own is None or any(of != speaking * mine for of, mine in zip(total[_FIT], own.fit, strict=False)):
        return Told(at, None, None)
    joint = _joint(total, own.own.shared)
    return Told(at, own.fit, joint if joint.near else None)


def others_fit(state: LoadState) -> np.ndarray | None:
    """The unknowns that those with a fit have found, as a mean; they count from the same row as the robot's own."""
    newest = state.row // NOTE_EVERY
    for at in range(newest, newest - NOTES, -1):
        summed = _total(state, at)
        if summed is not None and summed[0] > 0.0:
            speaking, total = summed
            _, start, _, *unknowns = total[_FIT] / speaking
            return np.array(unknowns) if start == state.start else None
    return None


def _total(state: LoadState, at: int) -> tuple[float, np.ndarray] | None:
    """How many contacts were spoken of, and the sum; None while there is no whole one of one set of robots."""
    notes = [state.notes.get((row, at)) for row in PART]
    found = [note for note in notes if note is not None]
    if len(found) < len(PART) or any(note[0] != found[0][0] for note in found):
        return None
    return float(found[0][0]), np.concatenate([note[1:] for note in found])


_joint = by_content(32)(Joint.of)
