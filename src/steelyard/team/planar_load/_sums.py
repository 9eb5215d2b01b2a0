"""What a team adds up for each sample, and what may be read off the sums; plane vectors are complex numbers.

Each robot has a place ẑ_j: its contact in axes that turn with the load, from an origin and in a scale and direction
that the team shares without knowing them. The true arm from the centre of mass is κ (ẑ_j − c), turned by the heading.
"""

from enum import IntEnum

import numpy as np


class Sum(IntEnum):
    """Columns of a row of sums over the team; two-column ones are complex."""

    MEMBERS = 0
    ROLL = 1  # of numbers made from the members' names: two sets of robots do not have the same
    PLACED = 2  # members that have a place
    HEARD = 3  # of those, the ones with a velocity at this sample
    V = 4  # Σ v_j of the heard
    F = 6  # Σ f_j of all members
    S = 8  # Σ conj(ẑ_j) v_j of the heard
    A = 10  # Σ conj(ẑ_j) f_j of the placed
    B = 12  # Σ ẑ_j of the heard
    Z2 = 14  # Σ |ẑ_j|² of the heard
    DARK = 15  # members whose force nobody knows: no fit can use the row


N_SUMS = 16


def own_row(roll: float, place: complex | None, velocity: complex | None, force: complex | None) -> np.ndarray:
    """A robot's own part of the sums of a sample; what is not known or no number is None."""
    row = np.zeros(N_SUMS)
    row[Sum.MEMBERS], row[Sum.ROLL] = 1.0, roll
    if force is None:
        row[Sum.DARK] = 1.0
        return row
    _put(row, Sum.F, force)
    if place is None:
        return row
    row[Sum.PLACED] = 1.0
    _put(row, Sum.A, place.conjugate() * force)
    if velocity is not None:
        row[Sum.HEARD], row[Sum.Z2] = 1.0, abs(place) ** 2
        _put(row, Sum.V, velocity)
        _put(row, Sum.S, place.conjugate() * velocity)
        _put(row, Sum.B, place)
    return row


def column(rows: np.ndarray, which: Sum) -> np.ndarray:
    """A complex column of rows of sums."""
    return rows[..., which] + 1j * rows[..., which + 1]


def spread(rows: np.ndarray) -> np.ndarray:
    """Σ |ẑ_j − mean ẑ|² of each row; zero where nothing is heard."""
    heard = np.maximum(rows[..., Sum.HEARD], 1.0)
    return rows[..., Sum.Z2] - np.abs(column(rows, Sum.B)) ** 2 / heard


def turning(rows: np.ndarray) -> np.ndarray:
    """The ŝ = i ω κ exp(i θ) that fits each row best: then a robot's velocity is v_O + ŝ ẑ_j."""
    heard, B = np.maximum(rows[..., Sum.HEARD], 1.0), column(rows, Sum.B)
    return (column(rows, Sum.S) - B.conj() * column(rows, Sum.V) / heard) / np.maximum(spread(rows), 1e-12)


def origin_velocity(rows: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Of the places' common origin, from the row and its ŝ."""
    return (column(rows, Sum.V) - s * column(rows, Sum.B)) / np.maximum(rows[..., Sum.HEARD], 1.0)


def _put(row: np.ndarray, which: Sum, value: complex) -> None:
    row[which], row[which + 1] = value.real, value.imag
