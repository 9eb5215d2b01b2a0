"""Vectors of the plane as complex numbers, x + iy: a quarter turn is a product with i.

A robot's step is a few dozen such operations; as Python numbers they take less time than one call into JAX.
"""

import cmath


def dot(left: complex, right: complex) -> float:
    """The scalar product."""
    return (left.conjugate() * right).real


def cross(left: complex, right: complex) -> float:
    """The out-of-plane product perp(left) · right: a force's torque [cdc14, Eq. (2)]."""
    return (left.conjugate() * right).imag


def turned(vector: complex, angle: float) -> complex:
    """The vector turned counter-clockwise by an angle (rad)."""
    return vector * cmath.exp(1j * angle)
