"""Notes that a team adds up after each fit: what every robot tells of its place, and what follows for all."""

from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.load._contact import Part
from steelyard.team.load._place import N_TOLD, Joint, Own
from steelyard.team.load._state import FIT_EVERY, NOTES, PART, LoadState
from steelyard.team.load._sums import N_SUMS


class Told(NamedTuple):
    """One complete set of notes."""

    at: int
    """Its number."""
    joint: Joint
    fit: tuple[int, int] | None
    """Version and start of the fit that all of it is about; None where robots spoke of different ones."""


def tell(state: LoadState, fitted: tuple[int, int, int] | None, known: list[Own | None]) -> None:
    """The robot's part of the notes that are due now: for each of its contacts what it knows, next to the fit."""
    at, note = state.row // FIT_EVERY, np.zeros(len(PART) * N_SUMS)
    for contact, own in zip(state.contacts, known, strict=True):
        if own is not None and fitted is not None:
            note[:N_TOLD] += own.told
            note[N_TOLD : N_TOLD + 3] += 1.0, *fitted[:2]
            contact.parts[at] = Part(*fitted[:2], own)
    for row, part in zip(PART, np.split(note, len(PART)), strict=True):
        state.tree.add((row, at), part)


def newest_told(state: LoadState) -> Told | None:
    """The newest notes that have come from everybody."""
    newest = state.row // FIT_EVERY
    for at in range(newest, newest - NOTES, -1):
        notes = [state.tree.totals.get((row, at)) for row in PART]
        if all(note is not None for note in notes):
            total = np.concatenate([note for note in notes if note is not None])
            count, version, start = total[N_TOLD : N_TOLD + 3]
            if count > 0.0:
                fit = (round(version / count), round(start / count))
                agreed = (version, start) == (count * fit[0], count * fit[1])
                return Told(at, _joint(total), fit if agreed else None)
    return None


_joint = by_content(32)(Joint.of)
