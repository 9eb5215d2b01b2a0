"""Contributions to the joint step that a team adds up after each fit, and the step that follows from them for all."""

from typing import NamedTuple

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.planar_load._contact import Contribution
from steelyard.team.planar_load._contact_position import ContactLikelihood
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._joint_step import CONTRIBUTION_SIZE, JointStep
from steelyard.team.planar_load._state import PlanarAgentState, iteration_at
from steelyard.team.planar_load._sum_keys import N_PARTS, contribution_keys, contribution_number, last_row_of
from steelyard.team.planar_load._sums import N_SUMS
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Span


class Contributions(NamedTuple):
    """A complete set: of every robot."""

    number: int
    fit: Span | None
    """The fit that all of it is on; None where robots contributed for different ones."""
    joint: JointStep | None
    """None also where the step would lead too far."""


_FIT = slice(CONTRIBUTION_SIZE, CONTRIBUTION_SIZE + 3 + N_UNKNOWNS)
_NOTHING = np.zeros(N_PARTS * (N_SUMS - 1))


def contribute(
    state: PlanarAgentState, number: int, fitted: Span | None, likelihoods: list[ContactLikelihood | None]
) -> None:
    """The robot's part of the contributions on its last fit, for each of its contacts.

    Contributions are numbered by the fit's last row: robots that are some rows apart must not add up different windows.
    """
    fit, part, contacts = state.fit, _NOTHING.copy(), 0.0
    skip_until(state, number)
    for contact, likelihood in zip(state.contacts, likelihoods, strict=True):
        if likelihood is not None and fitted is not None and fit is not None:
            part[:CONTRIBUTION_SIZE] += likelihood.contribution
            part[_FIT] += *fitted, *fit.unknowns
            contacts += 1.0
            contact.contributions[number] = Contribution(fitted, likelihood)
    _add(state, number, part, contacts)
    state.contributed = max(state.contributed, number)


def contribution_for(row: int) -> int:
    """The number of the contributions that make the outer iteration which is due after a row."""
    return contribution_number(row + 1 - TUNING.contribution_delay) - 1


def skip_until(state: PlanarAgentState, until: int) -> None:
    """Contributes nothing to the numbers before `until` that others may wait for."""
    for number in range(max(state.contributed, state.oldest_contribution) + 1, until):
        end = last_row_of(number) + TUNING.contribution_delay
        rows = range(end, end + TUNING.contribute_every)
        if any(iteration_at(row) > iteration_at(row - 1) for row in rows):  # it makes one, see `contribution_for`
            _add(state, number, _NOTHING, 0.0)
    state.contributed = max(state.contributed, until - 1)


def _add(state: PlanarAgentState, number: int, values: np.ndarray, contacts: float) -> None:
    for key, part in zip(contribution_keys(number), np.split(values, N_PARTS), strict=True):
        state.tree.add(key, np.array([contacts, *part]))


def newest_contributions(cache: Cache, state: PlanarAgentState) -> Contributions | None:
    """The newest complete set that is all on one fit."""
    own = state.own.contributions
    newest_first = sorted(own, key=lambda number: (own[number].fit.end, own[number].fit.iteration))[::-1]
    found = (contributions_at(cache, state, number) for number in newest_first)
    return next((one for one in found if one is not None and one.joint is not None), None)


def contributions_at(cache: Cache, state: PlanarAgentState, number: int) -> Contributions | None:
    """The set of one number; None while somebody's contribution is missing."""
    own, summed = state.own.contributions.get(number), _total(state, number)
    if summed is None:
        return None
    contacts, total = summed
    if own is not None and contacts < _robots(state, own.fit):
        return None  # of a part of the team: others have another sum
    if own is None or any(of != contacts * mine for of, mine in zip(total[_FIT], own.fit, strict=False)):
        return Contributions(number, None, None)
    joint = cache.call(JointStep.of, total, own.likelihood.shared)
    return Contributions(number, own.fit, joint if joint.bounded else None)


def positions_account(cache: Cache, state: PlanarAgentState) -> JointStep | None:
    """The joint step that tells how far the contact positions may be off, of the window that is fitted.

    None while there is none: positions are then arbitrary, or read off a noisy rotation, and no covariance holds.
    """
    found = newest_contributions(cache, state)
    if found is None or found.fit is None or found.fit.start != state.start:
        return None
    return found.joint


def _robots(state: PlanarAgentState, fit: Span) -> float:
    """The most that are in a row of a fit."""
    members = (state.members.get(row) for row in range(fit.start, fit.end + 1))
    return max((one.robots for one in members if one is not None), default=0.0)


def fit_of_others(state: PlanarAgentState) -> np.ndarray | None:
    """The unknowns that robots with a fit have found, as a mean, if their window begins with the robot's own."""
    newest = contribution_number(state.row)
    for number in range(newest, newest - TUNING.contributions_stored, -1):
        summed = _total(state, number)
        if summed is not None and summed[0] > 0.0:
            contacts, total = summed
            _, start, _, *unknowns = total[_FIT] / contacts
            return np.array(unknowns) if start == state.start else None
    return None


def _total(state: PlanarAgentState, number: int) -> tuple[float, np.ndarray] | None:
    """The number of contacts, and the sum over them; None while there is no whole sum of one set of robots."""
    parts = [state.contributions.get(key) for key in contribution_keys(number)]
    found = [part for part in parts if part is not None]
    if len(found) < N_PARTS or any(part[0] != found[0][0] for part in found):
        return None
    return float(found[0][0]), np.concatenate([part[1:] for part in found])
