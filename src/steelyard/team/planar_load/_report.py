"""What a robot of a load team says it knows: a number only if the motion has told it."""

import math
from typing import TYPE_CHECKING

import numpy as np

from steelyard.estimators import Estimate, Knowledge
from steelyard.team.planar_load._fit import (
    COULOMB,
    CX,
    CY,
    LOG_INERTIA,
    LOG_MASS,
    LOG_SCALE,
    N_UNKNOWNS,
    THETA,
    VISCOUS,
)
from steelyard.team.planar_load._outer_iterations import ahead_of
from steelyard.team.planar_load._rollouts import slopes_of
from steelyard.team.planar_load._state import LoadState
from steelyard.team.planar_load._sums import Sum, column, spread
from steelyard.team.planar_load._window import Window

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent

_PATIENCE = 5.0  # s after which what is not known is called not identifiable
_LARGEST = 0.05  # relative standard deviation up to which a number is worth telling
_FRICTION = {"viscous_friction": (VISCOUS, "N s/m"), "coulomb_friction": (COULOMB, "N")}


def report(agent: "PlanarLoadAgent", state: LoadState) -> dict[str, Estimate]:
    """Every quantity, at the end of the last row that all the team's sums have reached.

    Where another window has begun with the same load, what was known stands until its first rows have come.
    """
    time = (state.fit_end + 1) * agent.per_row / agent.rate if state.fit_end >= 0 else state.time
    elapsed = (state.row - state.own.first) * agent.per_row / agent.rate
    fit = state.fit
    stale = (state.row - state.fit_end) * agent.per_row / agent.rate > _PATIENCE and elapsed > _PATIENCE
    missed = state.silent - state.idle if state.over else state.silent
    broken = missed > agent.rate or (stale and state.fit_end >= 0)
    why: Knowledge = "failed" if broken else "not-identifiable" if elapsed > _PATIENCE else "not-yet-known"
    names = ["inertia", "mass", "com", *(f"contact/{neighbour}" for neighbour in agent.neighbours)]
    if agent.friction:
        names += list(_FRICTION)
    units = {"inertia": ("kg m²", None), "mass": ("kg", None)} | {
        name: (one[1], None) for name, one in _FRICTION.items()
    }
    said = {name: Estimate.unknown(why, *units.get(name, ("m", "world")), time) for name in names}
    stretch = state.fitted()
    if stretch is None and state.goes_on and not broken:
        return said | state.estimates
    if fit is None or not fit.good or stretch is None or broken:
        return said
    window = agent.window(state, *stretch)
    P, ahead = agent.covariance_of(state, window, fit), ahead_of(state)
    # Sums with the places' next steps will only come later: to first order, what they will say is known now.
    end = np.concatenate([slopes_of(window, fit.unknowns).ends[len(window.rows) - 1], fit.unknowns[4:]])
    x = end if ahead is None else end + ahead.unknowns
    for name, at in (("mass", LOG_MASS), ("inertia", LOG_INERTIA)):
        std = math.sqrt(max(P[at, at], 0.0))
        if std < _LARGEST:
            value = math.exp(x[at])
            said[name] = Estimate.known(value, value * std, units[name][0], None, time)
    if agent.friction:
        said |= _friction(window, x, P, time)
    own = state.own.places.get(state.fit_version)
    if own is None or state.own.weight <= 0.0:
        return said
    members = max(float(window.rows[-1, Sum.MEMBERS]), 1.0)
    size = math.sqrt(max(float(spread(window.rows[-1])), 0.0) / members) * math.exp(x[LOG_SCALE])

    def arm(vector: complex, at: np.ndarray, place_variance: float, with_com: bool) -> Estimate | None:
        """A vector of the body in world axes, and its covariance."""
        turn = np.exp(1j * at[THETA]) * math.exp(at[LOG_SCALE])
        value = complex(turn * vector)
        J = np.zeros((2, N_UNKNOWNS))
        J[:, THETA], J[:, LOG_SCALE] = _pair(1j * value), _pair(value)
        if with_com:
            J[:, CX] += _pair(complex(turn))
            J[:, CY] += _pair(complex(1j * turn))
        C = J @ P @ J.T + place_variance * abs(turn) ** 2 * np.eye(2)
        if not math.sqrt(max(float(np.max(np.diag(C))), 0.0)) < _LARGEST * max(size, 1e-9):
            return None
        return Estimate(_pair(value), C, "m", "world", time, "known")

    share = max(1.0 - 2.0 / members, 0.0) / state.own.weight
    step = 0j if ahead is None else ahead.place
    vectors = {"com": arm(complex(x[CX], x[CY]) - own - step, x, share, True)}
    for neighbour in agent.neighbours:
        place = state.told[neighbour].get(state.fit_version)
        vectors[f"contact/{neighbour}"] = None if place is None else arm(place - own, end, 2.0 * share, False)
    return said | {name: vector for name, vector in vectors.items() if vector is not None}


def _friction(window: Window, x: np.ndarray, P: np.ndarray, time: float) -> dict[str, Estimate]:
    """What is known of it; none is an answer too, so errors are held against the forces of the push."""
    v = slopes_of(window, x).path[: len(window.rows), 2:4]
    force = math.sqrt(float(np.mean(np.abs(column(window.rows, Sum.F)) ** 2)))
    speeds = {VISCOUS: math.sqrt(float(np.mean(np.sum(v**2, axis=1)))), COULOMB: 1.0}
    said = {}
    for name, (at, unit) in _FRICTION.items():
        std = math.sqrt(max(P[at, at], 0.0))
        if std * speeds[at] < _LARGEST * force:
            said[name] = Estimate.known(float(x[at]), std, unit, None, time)
    return said


def _pair(value: complex) -> np.ndarray:
    return np.array([value.real, value.imag])
