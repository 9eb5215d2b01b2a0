"""Contributions to the joint step that a team adds up after each fit, and the step that follows from them for all."""

from typing import NamedTuple

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.planar_load._contact import Contribution
from steelyard.team.planar_load._contact_position import ContactLikelihood
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._joint_step import CONTRIBUTION_SIZE, JointStep
from steelyard.team.planar_load._state import PlanarAgentState, iteration_at
from steelyard.team.planar_load._sum_keys import N_PARTS, Occasion, contribution_keys, occasion_number, occasion_of
from steelyard.team.planar_load._sums import N_SUMS
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Span


class Contributions(NamedTuple):
    """A complete set: of every robot."""

    occasion: Occasion
    fit: Span | None
    """The fit that all of it is on; None where robots contributed for different ones."""
    joint: JointStep | None
    """None also where the step would lead too far."""


_FIT = slice(CONTRIBUTION_SIZE, CONTRIBUTION_SIZE + 3 + N_UNKNOWNS)
_NOTHING = np.zeros(N_PARTS * (N_SUMS - 1))


def contribute(
    state: PlanarAgentState, occasion: Occasion, fitted: Span | None, likelihoods: list[ContactLikelihood | None]
) -> None:
    """The robot's part of the contributions on its last fit, for each of its contacts.

    Occasions are named by the fit's last row: robots that are some rows apart must not add up different windows.
    """
    fit, part, contacts = state.window.fit, _NOTHING.copy(), 0.0
    if occasion.final < 0:
        skip_until(state, occasion_number(occasion.end))
        state.steps.contributed = max(state.steps.contributed, occasion_number(occasion.end))
    for contact, likelihood in zip(state.contacts.all, likelihoods, strict=True):
        if likelihood is not None and fitted is not None and fit is not None:
            part[:CONTRIBUTION_SIZE] += likelihood.contribution
            part[_FIT] += *fitted, *fit.unknowns
            contacts += 1.0
            contact.contributions[occasion] = Contribution(fitted, likelihood)
    _add(state, occasion, part, contacts)


def occasion_for(row: int) -> Occasion:
    """Of the contributions that make the outer iteration which is due after a row."""
    return occasion_of(occasion_number(row + 1 - TUNING.contribution_delay) - 1)


def skip_until(state: PlanarAgentState, until: int) -> None:
    """Contributes nothing to occasions before number `until` that others may wait for."""
    for number in range(max(state.steps.contributed, state.oldest_contribution) + 1, until):
        end = occasion_of(number).end + TUNING.contribution_delay
        rows = range(end, end + TUNING.contribute_every)
        if any(iteration_at(row) > iteration_at(row - 1) for row in rows):  # it makes one, see `occasion_for`
            _add(state, occasion_of(number), _NOTHING, 0.0)
    state.steps.contributed = max(state.steps.contributed, until - 1)


def _add(state: PlanarAgentState, occasion: Occasion, values: np.ndarray, contacts: float) -> None:
    for key, part in zip(contribution_keys(occasion), np.split(values, N_PARTS), strict=True):
        state.sums.tree.add(key, np.array([contacts, *part]))


def newest_contributions(cache: Cache, state: PlanarAgentState) -> Contributions | None:
    """The newest complete set that is all on one fit."""
    own = state.contacts.own.contributions
    newest_first = sorted(own, key=lambda occasion: (own[occasion].fit.end, own[occasion].fit.iteration))[::-1]
    found = (contributions_at(cache, state, occasion) for occasion in newest_first)
    return next((one for one in found if one is not None and one.joint is not None), None)


def contributions_at(cache: Cache, state: PlanarAgentState, occasion: Occasion) -> Contributions | None:
    """The set of one occasion; None while somebody's contribution is missing."""
    own, summed = state.contacts.own.contributions.get(occasion), _total(state, occasion)
    if summed is None:
        return None
    contacts, total = summed
    if own is not None and contacts < _robots(state, own.fit):
        return None  # of a part of the team: others have another sum
    if own is None or any(of != contacts * mine for of, mine in zip(total[_FIT], own.fit, strict=False)):
        return Contributions(occasion, None, None)
    joint = cache.call(JointStep.of, total, own.likelihood.shared)
    return Contributions(occasion, own.fit, joint if joint.bounded else None)


def window_accounted(cache: Cache, state: PlanarAgentState) -> bool:
    """Whether there has been a joint step that tells how far contact positions may be off, in the window."""
    found = newest_contributions(cache, state)
    return found is not None and found.fit is not None and found.fit.start == state.window.start


def positions_account(cache: Cache, state: PlanarAgentState) -> JointStep | None:
    """The joint step that tells how far the contact positions may be off, of the window that is fitted.

    None while there is none: positions are then arbitrary, or read off a noisy rotation, and no covariance holds. Nor
    does one that is on an earlier outer iteration, where a robot may have moved its position by no joint step since.
    """
    found, iteration = newest_contributions(cache, state), state.window.fit_iteration
    if found is None or found.fit is None or not window_accounted(cache, state):
        return None
    return found.joint if found.fit.iteration == iteration or iteration in state.steps.stepped else None


def _robots(state: PlanarAgentState, fit: Span) -> float:
    """The most that are in a row of a fit."""
    members = (state.sums.members.get(row) for row in range(fit.start, fit.end + 1))
    return max((one.robots for one in members if one is not None), default=0.0)


def fit_of_others(state: PlanarAgentState) -> np.ndarray | None:
    """The unknowns that robots with a fit have found, as a mean, if their window begins with the robot's own."""
    newest = occasion_number(state.row)
    for number in range(newest, newest - TUNING.contributions_stored, -1):
        summed = _total(state, occasion_of(number))
        if summed is not None and summed[0] > 0.0:
            contacts, total = summed
            _, start, _, *unknowns = total[_FIT] / contacts
            return np.array(unknowns) if start == state.window.start else None
    return None


def _total(state: PlanarAgentState, occasion: Occasion) -> tuple[float, np.ndarray] | None:
    """The number of contacts, and the sum over them; None while there is no whole sum of one set of robots."""
    parts = [state.sums.contributions.get(key) for key in contribution_keys(occasion)]
    found = [part for part in parts if part is not None]
    if len(found) < N_PARTS or any(part[0] != found[0][0] for part in found):
        return None
    return float(found[0][0]), np.concatenate([part[1:] for part in found])
