"""What one window hands on to the next: the load, and the motion where the push goes on without a break."""

import math

import numpy as np

from steelyard.team.load._fit import LOG_INERTIA, LOG_MASS, LOG_SCALE, N_UNKNOWNS, OMEGA, VX, VY
from steelyard.team.load._sums import Sum, column, spread
from steelyard.team.load._window import LOAD, Prior, Window, inverse, slopes_of

_MISSED = 0.08  # s of a robot's last push that the others may never have heard of
_STRANGE = 40.0  # of a χ² with nine degrees of freedom: once in a hundred thousand healthy windows


def carried_on(mean: np.ndarray, P: np.ndarray, keep: tuple[int, ...], slack: float = 0.0) -> Prior:
    """What a fit says about some unknowns, as the prior of the next window; `slack` widens it."""
    information = np.zeros((N_UNKNOWNS, N_UNKNOWNS))
    information[np.ix_(keep, keep)] = inverse(P[np.ix_(keep, keep)]) / (1.0 + slack) ** 2
    return Prior(mean.copy(), information)


def bridged(before: Window, gap: Window, end: np.ndarray, P: np.ndarray) -> Prior:
    """Motion and load after a gap in which all but the forces of a robot that went are known.

    `end` and `P` are motion and load at its start. The robot may have pushed on for a moment, as all did before.
    """
    force = math.sqrt(float(np.mean(np.abs(column(before.rows, Sum.F)) ** 2 / before.rows[:, Sum.MEMBERS])))
    across = slopes_of(gap, end)
    S = np.eye(N_UNKNOWNS)
    S[:4] = across.end_by_unknowns
    size = math.sqrt(float(spread(gap.rows[0])) / max(gap.rows[0, Sum.MEMBERS], 1.0)) * math.exp(end[LOG_SCALE])
    kick = np.zeros(N_UNKNOWNS)
    kick[[VX, VY]] = force * _MISSED * math.exp(-end[LOG_MASS])
    kick[OMEGA] = size * force * _MISSED * math.exp(-end[LOG_INERTIA])
    mean = np.concatenate([across.end, end[4:]])
    return carried_on(mean, S @ P @ S.T + np.diag(kick**2), tuple(range(N_UNKNOWNS)))


def believed(prior: Prior, unknowns: np.ndarray) -> Prior:
    """The prior, without its motion if that is far from what the rows after it say: then a push was missed."""
    off = unknowns - prior.mean
    if off @ prior.information @ off < _STRANGE or not prior.information[0].any():
        return prior
    return carried_on(prior.mean, inverse(prior.information), LOAD)
