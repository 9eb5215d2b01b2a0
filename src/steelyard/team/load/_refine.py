"""From version to version of the places: where they come from, and what their next steps would change."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steelyard.team.load._contact import Contact
from steelyard.team.load._fit import LOG_INERTIA, LOG_MASS, N_UNKNOWNS
from steelyard.team.load._notes import newest_told, tell
from steelyard.team.load._place import own_part, place_by_turning
from steelyard.team.load._state import KEPT, SHIFT, LoadState, any_place
from steelyard.team.load._sums import N_SUMS, Sum

if TYPE_CHECKING:
    from steelyard.team.load._agent import LoadAgent

_NEWCOMER = 100  # rows from which a newcomer reads its place off the turning: all others wait for it, and step slowly


class Ahead(NamedTuple):
    """What the next step of all places will change."""

    unknowns: np.ndarray
    """Motion at the end and load."""
    place: complex
    """The robot's own."""


def renew_places(agent: "LoadAgent", state: LoadState) -> None:
    """A new version: the contacts' next places, and what their steps do to the fit, for all to add up."""
    shift = np.zeros(N_SUMS)
    moved = [_moved(state, contact) for contact in state.contacts]
    for contact, step in zip(state.contacts, moved, strict=True):
        if step is not None:
            contact.places[state.version] = step[0]
            shift[:N_UNKNOWNS] += step[1]
    state.lost = 0 if moved[0] is not None else state.lost + 1
    state.refined += moved[0] is not None
    if moved[0] is None:
        state.own.places[state.version] = _other_place(agent, state)
    state.tree.add((SHIFT, state.version), shift)


def _moved(state: LoadState, contact: Contact) -> tuple[complex, np.ndarray] | None:
    """A contact's place after its next step, all others' too where the window allows it, and what the fit does."""
    told = newest_told(state)
    part = None if told is None else contact.parts.get(told.at)
    base = None if part is None else contact.places.get(part.version)
    agreed = told is not None and part is not None and told.fit == part[:2] and part.start == state.start
    if told is not None and part is not None and base is not None and agreed and part.own.even:
        contact.aim = None
        step = part.own.step(told.joint)
        return base + step, part.own.gain @ _pair(step)
    part = contact.parts.get(max(contact.parts, default=-1))
    base = None if part is None else contact.places.get(part.version)
    if part is None or base is None or part[:2] != (state.version - 1, state.start):
        return None
    if part.own.even and state.refined:  # the others' notes are late
        return None
    step, share = part.own.alone
    aim = base + step
    place = aim if contact.aim is None else aim + share * (aim - contact.aim)
    contact.aim = aim
    return place, part.own.gain @ _pair(place - base)


def _other_place(agent: "LoadAgent", state: LoadState) -> complex | None:
    """The own place where no fit tells it: from the turning, else as before, else any."""
    stretch, place = state.stretch(), state.own.places[state.version]
    if stretch is not None and (state.refined == 0 or state.lost > KEPT):
        # Others may go on from their fit: once there was one, a place that does not fit theirs would only disturb.
        window, v = agent.window(state, *stretch), state.own.readings(*stretch[1:])[0]
        place = place_by_turning(window.rows, v) or place
    return _first_place(agent, state) if place is None else place


def _first_place(agent: "LoadAgent", state: LoadState) -> complex | None:
    placed = [key for key, total in state.sums.items() if total[Sum.PLACED] >= 2]
    known = any(place is not None for told in state.told.values() for place in told.values())
    if not placed and not known:
        return any_place(agent.name)
    for version in range(state.version - 1, state.version - KEPT - 1, -1):
        rows = sorted(row for row, made in state.sums if made == version and row in state.own.velocities)
        if len(rows) >= _NEWCOMER:
            totals = np.stack([state.sums[row, version] for row in rows])
            place = place_by_turning(totals, np.array([state.own.velocities[row] for row in rows]))
            if place is not None:
                return place
    return None


def tell_places(agent: "LoadAgent", state: LoadState) -> None:
    """More rows to add up: what the last fit says of the contacts' places."""
    fitted, known = state.fitted(), []
    for contact in state.contacts:
        base, own = contact.places.get(state.fit_version), None
        if state.fit is not None and fitted is not None and base is not None:
            v, f = contact.readings(*fitted[1:])
            own = own_part(agent.window(state, *fitted), state.fit, f, base, v, contact.held)
            contact.weight = own.weight
        known.append(own)
    tell(state, fitted, known)


def places_are_settled(agent: "LoadAgent", state: LoadState) -> bool:
    """Whether the places' next steps would move the load by less than its noise: then what does not fit is news."""
    ahead, fitted = ahead_of(state), state.fitted()
    if ahead is None or fitted is None or state.fit is None or state.refined < 3:
        return False
    std = np.sqrt(np.diag(agent.covariance_of(state, agent.window(state, *fitted), state.fit)))
    return bool(np.all(np.abs(ahead.unknowns[[LOG_MASS, LOG_INERTIA]]) < std[[LOG_MASS, LOG_INERTIA]]))


def ahead_of(state: LoadState) -> Ahead | None:
    """Where the places' next steps would take motion at the end and load, as the whole team says; else None."""
    fitted, told = state.fitted(), newest_told(state)
    part = None if told is None else state.own.parts.get(told.at)
    if told is None or part is None or fitted is None or told.fit != fitted[:2] or told.fit != part[:2]:
        return None
    if not part.own.even:
        return None
    return Ahead(told.joint.ahead, part.own.step(told.joint))


def _pair(value: complex) -> np.ndarray:
    return np.array([value.real, value.imag])
