"""Rollouts over a window and their derivatives, by compiled code where there is a compiler, else by XLA."""

from collections.abc import Sequence

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.planar_load._compiled_rollouts import N_DIRECTIONS, CompiledRollout, compiled_rollout
from steelyard.team.planar_load._fit import (
    COULOMB,
    N_UNKNOWNS,
    VISCOUS,
    NormalEquations,
    Rollout,
    TorqueJacobians,
    normal_equations,
    rollout,
    torque_jacobians,
)
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Window


def normal_equations_of(window: Window, unknowns: np.ndarray, onsets: Sequence[int] = ()) -> NormalEquations:
    """Linearised at a guess; the last columns are jumps of log m and log J from each onset on, zero there."""
    by_unknowns, by_given = compiled_rollout(window.friction, True), compiled_rollout(window.friction, False)
    if by_unknowns is None or by_given is None:
        return _normal_by_xla(window, unknowns, onsets)
    found, size = by_unknowns.roll_out(unknowns, window.whole, window.means), N_UNKNOWNS + 2 * len(onsets)
    r, J = found.residuals.ravel(), np.zeros((found.residuals.size, size))
    J[:, : found.residuals_by.shape[-1]] = found.residuals_by.reshape(len(r), -1)
    if onsets:
        J[:, N_UNKNOWNS:] = _by_jumps(by_given, window, unknowns, onsets)
    with np.errstate(over="ignore", invalid="ignore"):  # a guess may be so wrong; nothing goes on from there
        normal = NormalEquations(0.5 * r @ r, J.T @ J, J.T @ r)
    if not window.friction:
        normal.matrix[[VISCOUS, COULOMB], [VISCOUS, COULOMB]] += 1.0  # not estimated: they stay where they are
    return normal


def rollout_of(cache: Cache, window: Window, unknowns: np.ndarray) -> Rollout:
    """Over the window, with derivatives."""
    return cache.call(_rollout, window, unknowns, keep=TUNING.rollouts_cached)


def _rollout(window: Window, unknowns: np.ndarray) -> Rollout:
    compiled, last = compiled_rollout(window.friction, True), len(window.rows) - 1
    if compiled is None:
        found = rollout(unknowns, window.padded, window.means, last, window.friction)
        return Rollout(*[np.asarray(one) for one in found])
    found = compiled.roll_out(unknowns, window.whole, window.means)
    return Rollout(
        found.residuals.ravel(),
        _widened(found.residuals_by).reshape(-1, N_UNKNOWNS),
        found.ends.copy(),
        _widened(found.ends_by[last]),
        found.path.copy(),
        _widened(found.path_by),
    )


def torque_jacobians_of(window: Window, unknowns: np.ndarray, forces: np.ndarray) -> TorqueJacobians:
    """By forces (torque, time) that are complex, an even number of them, at an arm of one unit along x."""
    compiled = compiled_rollout(window.friction, False)
    if compiled is None:
        return _torques_by_xla(window, unknowns, forces)
    blocks = []
    for some in np.split(forces, range(N_DIRECTIONS, len(forces), N_DIRECTIONS)):
        given = np.zeros((len(window.rows), 4, N_DIRECTIONS))
        given[:, 2, : len(some)], given[:, 3, : len(some)] = np.real(some).T, np.imag(some).T
        found, count = compiled.roll_out(unknowns, window.whole, window.means, given), len(some)
        by = (
            found.residuals_by[..., :count].reshape(-1, count),
            found.path_by[..., :count],
            found.ends_by[-1, :, :count],
        )
        blocks.append(by)
    return TorqueJacobians(*[np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True)])


def _by_jumps(compiled: CompiledRollout, window: Window, unknowns: np.ndarray, onsets: Sequence[int]) -> np.ndarray:
    """(reading, jump) of log m and log J from each onset on."""
    given = np.zeros((len(window.rows), 4, N_DIRECTIONS))
    for i, onset in enumerate(onsets):
        given[onset:, 0, 2 * i] = given[onset:, 1, 2 * i + 1] = 1.0
    by = compiled.roll_out(unknowns, window.whole, window.means, given).residuals_by
    return by.reshape(-1, N_DIRECTIONS)[:, : 2 * len(onsets)]


def _widened(by: np.ndarray) -> np.ndarray:
    """By all unknowns: zero by those that are not estimated."""
    wide = np.zeros((*by.shape[:-1], N_UNKNOWNS))
    wide[..., : by.shape[-1]] = by
    return wide


def _normal_by_xla(window: Window, unknowns: np.ndarray, onsets: Sequence[int]) -> NormalEquations:
    # With onsets there is one program, for the longest window: a running robot must not wait for a second compilation.
    rows = window.longest if onsets else window.padded
    after = np.zeros((len(onsets), len(rows.dt)))
    for one, onset in zip(after, onsets, strict=True):
        one[onset:] = 1.0
    found = normal_equations(unknowns, rows, after, window.means, window.friction)
    return NormalEquations(*[np.asarray(one) for one in found])


def _torques_by_xla(window: Window, unknowns: np.ndarray, forces: np.ndarray) -> TorqueJacobians:
    rows, last = window.padded, len(window.rows) - 1
    padded = np.zeros((len(forces), len(rows.dt), 2))
    padded[:, : last + 1] = np.stack([np.real(forces), np.imag(forces)], axis=-1)
    pairs = np.split(padded, len(forces) // 2)  # one program for a robot's two and for all patterns
    found = [torque_jacobians(unknowns, rows, pair, window.means, last, window.friction) for pair in pairs]
    return TorqueJacobians(*[np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)])
