"""Shots over a window and their derivatives, in machine code where there is a compiler, else by XLA.

What is the same at every robot is computed once in a process.
"""

from collections.abc import Sequence

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.planar_load._compiled_rollouts import GIVEN, Machine, machine_of
from steelyard.team.planar_load._fit import (
    COULOMB,
    N_UNKNOWNS,
    VISCOUS,
    Normal,
    Slopes,
    TorqueSlopes,
    normal_equations,
    slopes,
    torque_slopes,
)
from steelyard.team.planar_load._window import SIZES, Window

KEPT_SHOTS = 8
"""Windows whose slopes a process remembers: they are large, and robots of one process are a few windows apart."""


def normal_of(window: Window, unknowns: np.ndarray, onsets: Sequence[int] = ()) -> Normal:
    """Least squares around a guess; the last columns are jumps of log m and log J from each onset on, zero there."""
    by_unknowns, by_given = machine_of(window.friction, True), machine_of(window.friction, False)
    if by_unknowns is None or by_given is None:
        return _normal_by_xla(window, unknowns, onsets)
    shots, size = by_unknowns.shoot(unknowns, window.whole, window.means), N_UNKNOWNS + 2 * len(onsets)
    r, H = shots.residuals.ravel(), np.zeros((shots.residuals.size, size))
    H[:, : shots.residuals_by.shape[-1]] = shots.residuals_by.reshape(len(r), -1)
    if onsets:
        H[:, N_UNKNOWNS:] = _by_jumps(by_given, window, unknowns, onsets)
    with np.errstate(over="ignore", invalid="ignore"):  # a guess may be so wrong; nobody goes on from there
        told = Normal(0.5 * r @ r, H.T @ H, H.T @ r)
    if not window.friction:
        told.matrix[[VISCOUS, COULOMB], [VISCOUS, COULOMB]] += 1.0  # not asked for: they stay where they are
    return told


@by_content(KEPT_SHOTS)
def slopes_of(window: Window, unknowns: np.ndarray) -> Slopes:
    """Of a shot over the window."""
    machine, last = machine_of(window.friction, True), len(window.rows) - 1
    if machine is None:
        found = slopes(unknowns, window.padded, window.means, last, window.friction)
        return Slopes(*[np.asarray(one) for one in found])
    shots = machine.shoot(unknowns, window.whole, window.means)
    return Slopes(
        shots.residuals.ravel(),
        _widened(shots.residuals_by).reshape(-1, N_UNKNOWNS),
        shots.ends.copy(),
        _widened(shots.ends_by[last]),
        shots.path.copy(),
        _widened(shots.path_by),
    )


def torque_slopes_of(window: Window, unknowns: np.ndarray, forces: np.ndarray) -> TorqueSlopes:
    """Likewise, by forces (torque, time) that are complex, an even number of them, at a place one unit along x."""
    machine = machine_of(window.friction, False)
    if machine is None:
        return _torques_by_xla(window, unknowns, forces)
    found = []
    for some in np.split(forces, range(GIVEN, len(forces), GIVEN)):
        given = np.zeros((len(window.rows), 4, GIVEN))
        given[:, 2, : len(some)], given[:, 3, : len(some)] = np.real(some).T, np.imag(some).T
        shots, count = machine.shoot(unknowns, window.whole, window.means, given), len(some)
        by = (
            shots.residuals_by[..., :count].reshape(-1, count),
            shots.path_by[..., :count],
            shots.ends_by[-1, :, :count],
        )
        found.append(by)
    return TorqueSlopes(*[np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)])


def _by_jumps(machine: Machine, window: Window, unknowns: np.ndarray, onsets: Sequence[int]) -> np.ndarray:
    """(reading, jump) of log m and log J from each onset on."""
    given = np.zeros((len(window.rows), 4, GIVEN))
    for i, onset in enumerate(onsets):
        given[onset:, 0, 2 * i] = given[onset:, 1, 2 * i + 1] = 1.0
    by = machine.shoot(unknowns, window.whole, window.means, given).residuals_by
    return by.reshape(-1, GIVEN)[:, : 2 * len(onsets)]


def _widened(by: np.ndarray) -> np.ndarray:
    """By all unknowns: by those that were not asked for, nothing changes."""
    wide = np.zeros((*by.shape[:-1], N_UNKNOWNS))
    wide[..., : by.shape[-1]] = by
    return wide


def _normal_by_xla(window: Window, unknowns: np.ndarray, onsets: Sequence[int]) -> Normal:
    # With onsets there is one program, of which a robot on its way is not to be surprised by a second.
    rows = window.filled(SIZES[-1]) if onsets else window.padded
    after = np.zeros((len(onsets), len(rows.dt)))
    for one, onset in zip(after, onsets, strict=True):
        one[onset:] = 1.0
    told = normal_equations(unknowns, rows, after, window.means, window.friction)
    return Normal(*[np.asarray(one) for one in told])


def _torques_by_xla(window: Window, unknowns: np.ndarray, forces: np.ndarray) -> TorqueSlopes:
    rows, last = window.padded, len(window.rows) - 1
    padded = np.zeros((len(forces), len(rows.dt), 2))
    padded[:, : last + 1] = np.stack([np.real(forces), np.imag(forces)], axis=-1)
    pairs = np.split(padded, len(forces) // 2)  # one program for a robot's two and for all patterns
    found = [torque_slopes(unknowns, rows, pair, window.means, last, window.friction) for pair in pairs]
    return TorqueSlopes(*[np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)])
