"""Notes that a team adds up after each fit: what every robot tells of its place, and what follows for all."""

from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.load._contact import Part
from steelyard.team.load._fit import N_UNKNOWNS
from steelyard.team.load._joint import N_TOLD, Joint
from steelyard.team.load._place import Own
from steelyard.team.load._state import NOTE_EVERY, NOTES, PART, LoadState
from steelyard.team.load._sums import N_SUMS


class Told(NamedTuple):
    """One complete set of notes."""

    at: int
    """Its number."""
    fit: tuple[int, int, int] | None
    """Version, first and last row of the fit that all of it is about; None where robots spoke of different ones."""
    joint: Joint | None
    """None also where the step would lead too far."""


_FIT = slice(N_TOLD, N_TOLD + 4 + N_UNKNOWNS)


def tell(state: LoadState, fitted: tuple[int, int, int] | None, known: list[Own | None]) -> None:
    """The robot's part of the notes on its last fit: for each of its contacts what it knows, next to it.

    Notes go by the fit's last row: robots that are some rows apart must not add up what they say of different windows.
    """
    at, fit, note = state.fit_end // NOTE_EVERY, state.fit, np.zeros(len(PART) * N_SUMS)
    for contact, own in zip(state.contacts, known, strict=True):
        if own is not None and fitted is not None and fit is not None:
            note[:N_TOLD] += own.told
            note[_FIT] += 1.0, *fitted, *fit.unknowns
            contact.parts[at] = Part(fitted, own)
    for row, part in zip(PART, np.split(note, len(PART)), strict=True):
        state.tree.add((row, at), part)


def newest_told(state: LoadState) -> Told | None:
    """The newest notes that have come from everybody, all on one fit."""
    newest = state.row // NOTE_EVERY
    found = (told_at(state, at) for at in range(newest, newest - NOTES, -1) if at in state.own.parts)
    return next((told for told in found if told is not None and told.joint is not None), None)


def told_at(state: LoadState, at: int) -> Told | None:
    """The notes of one number; None while somebody's are missing."""
    own, total = state.own.parts.get(at), _total(state, at)
    if total is None:
        return None
    count, *spoken = total[_FIT][:4]
    if own is None or any(of != count * mine for of, mine in zip(spoken, own.fit, strict=True)):
        return Told(at, None, None)
    joint = _joint(total, own.own.shared)
    return Told(at, own.fit, joint if joint.near else None)


def others_fit(state: LoadState) -> np.ndarray | None:
    """The unknowns that those with a fit have found, as a mean; they count from the same row as the robot's own."""
    newest = state.row // NOTE_EVERY
    for at in range(newest, newest - NOTES, -1):
        total = _total(state, at)
        if total is not None and total[_FIT][0] > 0.0:
            _, _, start, _, *unknowns = total[_FIT] / total[_FIT][0]
            return np.array(unknowns) if start == state.start else None
    return None


def _total(state: LoadState, at: int) -> np.ndarray | None:
    notes = [state.tree.totals.get((row, at)) for row in PART]
    return None if any(note is None for note in notes) else np.concatenate([note for note in notes if note is not None])


_joint = by_content(32)(Joint.of)
