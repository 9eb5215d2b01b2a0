"""What the equations of motion need of an array library, so that they are written once."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from steelyard import _rotations
from steelyard.team.spatial_load._linearisation_point import moments_times


class Library(NamedTuple):
    """Of arrays: what the equations need of it, over leading axes."""

    xp: ModuleType
    """`numpy` or `jax.numpy`."""
    skew: Callable[[Any], Any]
    cross: Callable[[Any, Any], Any]
    moments_times: Callable[[Any], Any]
    inverse: Callable[[Any], Any]
    """Of three rows."""
    cholesky: Callable[[Any], Any]
    """The lower triangular root of a covariance."""


NUMPY = Library(np, _rotations.skew, _rotations.cross, moments_times, np.linalg.inv, np.linalg.cholesky)
