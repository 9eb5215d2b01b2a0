"""A robot's estimates: a number only where the motion determines it."""

import math
from typing import TYPE_CHECKING

import numpy as np

from steelyard.estimators import Estimate, Knowledge
from steelyard.team.planar_load._contributions import positions_account
from steelyard.team.planar_load._fit import (
    COULOMB,
    CX,
    CY,
    LOG_INERTIA,
    LOG_MASS,
    LOG_SCALE,
    N_UNKNOWNS,
    OMEGA,
    THETA,
    VISCOUS,
)
from steelyard.team.planar_load._joint_step import JointStep
from steelyard.team.planar_load._outer_iterations import predicted_step
from steelyard.team.planar_load._rollouts import rollout_of
from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._sums import Sum, best_measured, column, spread
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Window

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent

_LOAD = [LOG_MASS, LOG_INERTIA, CX, CY, LOG_SCALE]
_FRICTION = {"viscous_friction": (VISCOUS, "N s/m"), "coulomb_friction": (COULOMB, "N")}


def report(agent: "PlanarLoadAgent", state: PlanarAgentState) -> dict[str, Estimate]:
    """Every quantity, at the end of the last row of which all the team's sums have come.

    Where another window has begun with the same load, the last estimates hold until its first rows have come.
    """
    time = (state.window.fit_end + 1) * agent.per_row / agent.rate if state.window.fit_end >= 0 else state.samples.time
    elapsed = (state.row - state.contacts.own.first) * agent.per_row / agent.rate
    fit = state.window.fit
    age, limit = (state.row - state.window.fit_end) * agent.per_row / agent.rate, TUNING.unknown_after
    stale = age > limit and elapsed > limit
    missed = state.samples.without_sample - (state.samples.without_any if state.over else 0)
    broken = missed > agent.rate or (stale and state.window.fit_end >= 0)
    why: Knowledge = "failed" if broken else "not-identifiable" if elapsed > limit else "not-yet-known"
    names = ["inertia", "mass", "com", *(f"contact/{neighbour}" for neighbour in agent.neighbours)]
    if agent.friction:
        names += list(_FRICTION)
    units = {"inertia": ("kg m²", None), "mass": ("kg", None)} | {
        name: (one[1], None) for name, one in _FRICTION.items()
    }
    found = {name: Estimate.unknown(why, *units.get(name, ("m", "world")), time) for name in names}
    span = state.fitted_span()
    if span is None and state.window.continues and not broken:
        return found | state.reports.estimates
    if fit is None or not fit.consistent or span is None or broken:
        return found
    window = agent.window(state, span)
    P, step = agent.covariance_of(state, window, fit), predicted_step(agent.cache, state)
    joint = positions_account(agent.cache, state)
    continued = joint is None and bool(state.window.prior.information[LOG_MASS, LOG_MASS] > 0.0)
    placed = continued or (joint is not None and _small(joint, P))
    if not (placed and _rows_of_one_load(state)):
        return found
    # By m a = F, v = omega r and J alpha = r F with true velocities and forces, a clock that is fast by e makes m and r
    # larger by e, and J by 3 e.
    for at, power in ((LOG_MASS, 1.0), (LOG_SCALE, 1.0), (LOG_INERTIA, 3.0)):
        P[at, at] += (power * agent.clock_drift) ** 2
    # Sums with the next joint step come later: to first order, what they will tell is known now.
    rollout, k = rollout_of(agent.cache, window, fit.unknowns), len(window.rows)
    end = np.concatenate([rollout.ends[k - 1], fit.unknowns[4:]])
    x = end if step is None else end + step.unknowns
    for name, at in (("mass", LOG_MASS), ("inertia", LOG_INERTIA)):
        std = math.sqrt(max(P[at, at], 0.0))
        if std < TUNING.largest_std:
            value = math.exp(x[at])
            found[name] = Estimate.known(value, value * std, units[name][0], None, time)
    if agent.friction:
        found |= _friction(agent, window, x, P, time)
    own = state.contacts.own.positions.get(state.window.fit_iteration)
    # Where contacts are is of before a joint step and the prior of after it, or positions are still converging.
    mid_step = (continued or state.consistency.began_again) and not state.steps.converged
    if own is None or state.contacts.own.information <= 0.0 or mid_step:
        return found
    # A robot whose clock is off sees the load turned, at the end and on the average over its window.
    turned = agent.clock_noise**2 * (end[OMEGA] ** 2 + float(np.mean(rollout.path[:k, OMEGA] ** 2)))
    members = max(float(window.rows[-1, Sum.MEMBERS]), 1.0)
    size = math.sqrt(max(float(spread(best_measured(window.rows))), 0.0) / members) * math.exp(x[LOG_SCALE])

    def arm(vector: complex, at: np.ndarray, place_variance: float, clocks: int, with_com: bool) -> Estimate | None:
        """A vector of the body in world axes, and its covariance."""
        turn = np.exp(1j * at[THETA]) * math.exp(at[LOG_SCALE])
        value = complex(turn * vector)
        J = np.zeros((2, N_UNKNOWNS))
        J[:, THETA], J[:, LOG_SCALE] = _pair(1j * value), _pair(value)
        if with_com:
            J[:, CX] += _pair(complex(turn))
            J[:, CY] += _pair(complex(1j * turn))
        C = J @ P @ J.T + (place_variance * abs(turn) ** 2 + clocks * turned * abs(value) ** 2) * np.eye(2)
        if not math.sqrt(max(float(np.max(np.diag(C))), 0.0)) < TUNING.largest_std * max(size, 1e-9):
            return None
        return Estimate(_pair(value), C, "m", "world", time, "known")

    share = max(1.0 - 2.0 / members, 0.0) / state.contacts.own.information
    moved = 0j if step is None else step.position
    if abs(moved) ** 2 > size * math.exp(-x[LOG_SCALE]) * math.sqrt(share):  # the step's error of second order
        return found
    vectors = {"com": arm(complex(x[CX], x[CY]) - own - moved, x, share, 1, True)}
    # What the next joint step does to a neighbour's position is not known here: as much as to the own one.
    near = abs(moved) < TUNING.largest_unseen_step * math.sqrt(share)
    for neighbour in agent.neighbours:
        position = state.heard.positions[neighbour].get(state.window.fit_iteration)
        if position is not None and near:
            vectors[f"contact/{neighbour}"] = arm(position - own, end, 2.0 * share, 2, False)
    return found | {name: vector for name, vector in vectors.items() if vector is not None}


def _rows_of_one_load(state: PlanarAgentState) -> bool:
    """Whether the window is known to hold one load, and to be long enough after one that was given up."""
    seen = state.consistency
    rough = seen.began_again and not state.steps.taken  # positions are read off the rotation of a window in trouble
    return seen.one_load and not seen.rows_needed and not rough


def _small(joint: JointStep, P: np.ndarray) -> bool:
    """Whether contact positions are known well enough for the covariance to hold, to first order of their errors."""
    std = np.sqrt(np.maximum(np.diag(P), 1e-300))
    return bool(np.all(np.abs(joint.shift[_LOAD]) < TUNING.largest_unseen_step * std[_LOAD]))


def _friction(
    agent: "PlanarLoadAgent", window: Window, x: np.ndarray, P: np.ndarray, time: float
) -> dict[str, Estimate]:
    """What is known of it; it may be zero, so its error is compared with the applied forces."""
    v = rollout_of(agent.cache, window, x).path[: len(window.rows), 2:4]
    force = math.sqrt(float(np.mean(np.abs(column(window.rows, Sum.F)) ** 2)))
    speeds = {VISCOUS: math.sqrt(float(np.mean(np.sum(v**2, axis=1)))), COULOMB: 1.0}
    found = {}
    for name, (at, unit) in _FRICTION.items():
        std = math.sqrt(max(P[at, at], 0.0))
        if std * speeds[at] < TUNING.largest_std * force:
            found[name] = Estimate.known(float(x[at]), std, unit, None, time)
    return found


def _pair(value: complex) -> np.ndarray:
    return np.array([value.real, value.imag])
