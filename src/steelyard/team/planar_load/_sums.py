"""What a team adds up for each row, and what can be read off the sums; plane vectors are complex numbers.

Robot j has a contact position z_j: its contact in axes that turn with the load, from an origin and in a scale and
direction that the team shares without knowing them. The true arm from the centre of mass is κ (z_j − c) exp(i θ).
"""

from enum import IntEnum

import numpy as np


class Sum(IntEnum):
    """Columns of a row of sums over the team; two-column ones are complex."""

    MEMBERS = 0
    CHECKSUM = 1  # of numbers made from the members' names: two sets of robots do not have the same
    POSITIONED = 2  # members that have a contact position
    MEASURED = 3  # Σ w_j of those: the share of the row's samples in which they have a velocity
    V = 4  # Σ w_j v_j of those measured
    F = 6  # Σ f_j of all members
    S = 8  # Σ w_j conj(z_j) v_j of those measured
    A = 10  # Σ conj(z_j) f_j of those positioned
    B = 12  # Σ w_j z_j of those measured
    Z2 = 14  # Σ w_j |z_j|² of those measured
    UNKNOWN_FORCE = 15  # members whose force nobody knows: no fit can use the row


N_SUMS = 16


def own_row(
    checksum: float, position: complex | None, velocity: complex | None, force: complex | None, weight: float = 1.0
) -> np.ndarray:
    """A robot's own part of the sums of a row; None for what is missing.

    `weight` is the share of the row's samples that the velocity is a mean of: its variance is that of a whole row over
    it.
    """
    row = np.zeros(N_SUMS)
    row[Sum.MEMBERS], row[Sum.CHECKSUM] = 1.0, checksum
    if force is None:
        row[Sum.UNKNOWN_FORCE] = 1.0
        return row
    _put(row, Sum.F, force)
    if position is None:
        return row
    row[Sum.POSITIONED] = 1.0
    _put(row, Sum.A, position.conjugate() * force)
    if velocity is not None:
        row[Sum.MEASURED], row[Sum.Z2] = weight, weight * abs(position) ** 2
        _put(row, Sum.V, weight * velocity)
        _put(row, Sum.S, weight * position.conjugate() * velocity)
        _put(row, Sum.B, weight * position)
    return row


def rotation_measured(rows: np.ndarray) -> np.ndarray:
    """Whether two robots or more have a velocity in each row: one alone weighs one at most."""
    return rows[..., Sum.MEASURED] > 1.0


def best_measured(rows: np.ndarray) -> np.ndarray:
    """The row in which most robots have a velocity: it tells how the contact positions lie."""
    return rows[int(np.argmax(rows[:, Sum.MEASURED]))]


def column(rows: np.ndarray, which: Sum) -> np.ndarray:
    """A complex column of rows of sums."""
    return rows[..., which] + 1j * rows[..., which + 1]


def spread(rows: np.ndarray) -> np.ndarray:
    """Σ |z_j − mean z|² of each row; zero where nothing is measured."""
    measured = np.maximum(rows[..., Sum.MEASURED], 1.0)
    return rows[..., Sum.Z2] - np.abs(column(rows, Sum.B)) ** 2 / measured


def spin(rows: np.ndarray) -> np.ndarray:
    """The s = i ω κ exp(i θ) that fits each row best: a robot's velocity is then v_O + s z_j."""
    measured, B = np.maximum(rows[..., Sum.MEASURED], 1.0), column(rows, Sum.B)
    return (column(rows, Sum.S) - B.conj() * column(rows, Sum.V) / measured) / np.maximum(spread(rows), 1e-12)


def origin_velocity(rows: np.ndarray, s: np.ndarray) -> np.ndarray:
    """v_O of the positions' common origin, from the row and its spin."""
    return (column(rows, Sum.V) - s * column(rows, Sum.B)) / np.maximum(rows[..., Sum.MEASURED], 1.0)


def _put(row: np.ndarray, which: Sum, value: complex) -> None:
    row[which], row[which + 1] = value.real, value.imag
