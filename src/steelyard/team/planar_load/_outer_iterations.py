"""From version to version of the places: where they come from, and what their next steps would change."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steelyard.team.planar_load._contact_position import own_part, place_by_turning, turning_tells
from steelyard.team.planar_load._contributions import Told, newest_told, note_for, pass_over, tell, told_at
from steelyard.team.planar_load._fit import LOG_INERTIA, LOG_MASS, N_UNKNOWNS
from steelyard.team.planar_load._state import KEPT, NOTE_EVERY, SHIFT, LoadState, any_place, last_note, version_at
from steelyard.team.planar_load._sums import N_SUMS, Sum
from steelyard.team.planar_load._window import SIZES

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent

_NEWCOMER = 36  # rows from which a newcomer reads its place off the turning, for which all others wait
_LAST_STEPS = 4  # of all places after the last sample, at most
_WORTH = 0.05  # standard deviations by which such a step moves the load
_OF_LOAD = [LOG_MASS, LOG_INERTIA]


class Ahead(NamedTuple):
    """What the next step of all places will change."""

    unknowns: np.ndarray
    """Motion at the end and load."""
    place: complex
    """The robot's own."""


def renew_places(agent: "PlanarLoadAgent", state: LoadState) -> None:
    """A new version is due: by the notes on a fit that all robots choose alike, or where there is none by itself.

    A step of all places together is only good if all take it, so who has not heard all notes yet waits for them.
    """
    if state.version in state.own.places:  # from when it seemed that no more samples came
        return
    at = note_for(state.row)
    end = (at + 1) * NOTE_EVERY - 1
    comes = state.fit_end < end or at in state.own.parts
    if state.fit is not None and state.start is not None and state.start + NOTE_EVERY < end and comes:
        state.owed[state.version] = at
    else:
        _make(agent, state, state.version, None)


def settle_places(agent: "PlanarLoadAgent", state: LoadState) -> None:
    """Makes the versions whose notes have come, one after the other, so that all robots make the same."""
    for version, at in sorted(state.owed.items()):
        told = told_at(state, at)
        if told is None and not state.blocked((at + 1) * NOTE_EVERY - 1) and at > state.oldest_note:
            return
        del state.owed[version]
        part = state.own.parts.get(at)
        if told is not None and part is not None:
            newest = max(state.own.places)
            on_its_way = part.fit[0] < newest and version <= newest + 1  # longer ago, it may never be complete
            if told.joint is None or on_its_way:  # no step that all would take, or a newer one
                continue
        _make(agent, state, version, told)


def _make(agent: "PlanarLoadAgent", state: LoadState, version: int, told: Told | None) -> None:
    """The contacts' places in a version, what their steps do to the fit for all to add up, and all rows with them."""
    shift, stepped = np.zeros(N_SUMS), False
    for contact in state.contacts:
        part = None if told is None else contact.parts.get(told.at)
        base = None if part is None else contact.places.get(part.fit[0])
        if told is not None and told.joint is not None and part is not None and base is not None:
            step = part.own.step(told.joint)
            contact.places[version] = base + step
            shift[:N_UNKNOWNS] += part.own.followed(step)
            stepped = stepped or contact is state.own
        else:
            contact.places[version] = contact.newest_place
    state.lost = 0 if stepped else state.lost + 1
    state.refined += stepped
    if not stepped:
        state.own.places[version] = _other_place(agent, state)
    state.tree.add((SHIFT, version), shift)
    _add_rows(state, version)


def _add_rows(state: LoadState, version: int) -> None:
    for row in range(max(0, state.row - SIZES[-1]), state.row + 1):
        state.tree.add((row, version), state.part_of(row, version))


def _other_place(agent: "PlanarLoadAgent", state: LoadState) -> complex | None:
    """The own place where no fit tells it: from the turning, else as before, else any."""
    stretch, place = state.stretch(), state.own.newest_place
    if stretch is not None and (state.refined == 0 or state.lost > KEPT):
        # Others may go on from their fit: once there was one, a place that does not fit theirs would only disturb.
        window, v = agent.window(state, *stretch), state.own.readings(*stretch[1:])[0]
        place = place_by_turning(window.rows, v) or place
    return _first_place(agent, state) if place is None else place


def _first_place(agent: "PlanarLoadAgent", state: LoadState) -> complex | None:
    placed = [key for key, total in state.sums.items() if total[Sum.PLACED] >= 2]
    known = any(place is not None for told in state.told.values() for place in told.values())
    if not placed and not known:
        return any_place(agent.name)
    for version in sorted({made for row, made in state.sums if row >= 0}, reverse=True):
        rows = sorted(row for row, made in state.sums if made == version and row in state.own.velocities)
        if len(rows) >= _NEWCOMER:
            totals = np.stack([state.sums[row, version] for row in rows])
            place = place_by_turning(totals, np.array([state.own.velocities[row] for row in rows]))
            if place is not None and turning_tells(totals, agent.row_noise):
                return place
    return None


def place_newcomer(agent: "PlanarLoadAgent", state: LoadState) -> None:
    """As soon as who came later can tell its place from the turning: the others wait for it."""
    own = state.own
    if own.newest_place is not None or not any(state.told.values()):
        return
    place = _first_place(agent, state)
    if place is None:
        return
    told = {max(told) for told in state.told.values() if told}
    versions = told | {version for version in own.places if version > max(told)}
    own.places |= dict.fromkeys(versions, place)
    for version in sorted(versions):
        _add_rows(state, version)


def tell_places(agent: "PlanarLoadAgent", state: LoadState) -> None:
    """More rows to add up, at every other fit: what it says of the contacts' places."""
    if (state.fit_end + 1) % NOTE_EVERY:
        pass_over(state, (state.fit_end + 1) // NOTE_EVERY)
    else:
        _tell(agent, state, state.fit_end // NOTE_EVERY)


def finish(agent: "PlanarLoadAgent", state: LoadState) -> None:
    """No more samples come: notes on the last fit, and as long as their step is worth it, places that have taken it."""
    at, fitted = last_note(state.fit_end, state.fit_version), state.fitted()
    if fitted is None:
        return
    if at not in state.own.parts:
        _tell(agent, state, at)
        return
    told, version = told_at(state, at), max(state.fit_version, version_at(state.fit_end)) + 1
    if told is None or told.joint is None or version in state.own.places or version > state.version + _LAST_STEPS:
        return
    if not _is_small(agent, state, fitted, told.joint.ahead, _WORTH):
        _make(agent, state, version, told)


def _tell(agent: "PlanarLoadAgent", state: LoadState, at: int) -> None:
    fitted, known = state.fitted(), []
    for contact in state.contacts:
        base, own = contact.places.get(state.fit_version), None
        if state.fit is not None and fitted is not None and base is not None:
            v, f = contact.readings(*fitted[1:])
            own = own_part(agent.window(state, *fitted), state.fit, f, base, v, contact.held)
            contact.weight = own.weight
        known.append(own)
    tell(state, at, fitted, known)


def places_are_settled(agent: "PlanarLoadAgent", state: LoadState) -> bool:
    """Whether the places' next steps would move the load by less than its noise: then what does not fit is news."""
    ahead, fitted = ahead_of(state), state.fitted()
    if ahead is None or fitted is None or state.fit is None or state.refined < 3:
        return False
    return _is_small(agent, state, fitted, ahead.unknowns, 1.0)


def _is_small(
    agent: "PlanarLoadAgent", state: LoadState, fitted: tuple[int, int, int], step: np.ndarray, most: float
) -> bool:
    """Whether a step of the unknowns moves the load by less than some share of its standard deviation."""
    assert state.fit is not None
    std = np.sqrt(np.diag(agent.covariance_of(state, agent.window(state, *fitted), state.fit)))
    return bool(np.all(np.abs(step[_OF_LOAD]) < most * std[_OF_LOAD]))


def ahead_of(state: LoadState) -> Ahead | None:
    """Where the places' next steps would take motion at the end and load, as the whole team says; else None."""
    fitted, told = state.fitted(), newest_told(state)
    part = None if told is None else state.own.parts.get(told.at)
    if told is None or told.joint is None or part is None or fitted is None or part.fit[:2] != fitted[:2]:
        return None
    return Ahead(told.joint.ahead, part.own.step(told.joint))
