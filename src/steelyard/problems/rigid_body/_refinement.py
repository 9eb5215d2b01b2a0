"""The last digits of a load, where the sensors are better than the steps of the model that found it."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.geometry import Inertia, log_cholesky
from steelyard.models import WRIST_SIGNALS
from steelyard.problems.rigid_body._changes import Piece
from steelyard.problems.rigid_body._quantities import last_load
from steelyard.problems.rigid_body._reading import vertical
from steelyard.team import LinearisationPoint, estimate_single_robot

_MUCH_BETTER = 0.5
"""Times the squares of the surprises, below which another way through the rows is the better one."""


def finished(piece: Piece) -> Piece:
    """The piece with the load that a team of one would find, where that explains the rows much better.

    The fit takes a wrench for a straight line between two rows, which is good to 1e-4 at 100 Hz. The filter of a team
    takes it for a cubic, steps by Runge and Kutta's rule, and finds the vertical along with the load. Under noise that
    does not matter, and the fit stays as it is.
    """
    record, found, told = piece.record, last_load(piece), piece.fit.surprise
    if np.isnan(record.wrench).any() or not told.present.any():
        return piece
    point = LinearisationPoint.of(
        float(found.mass[0]), found.com[0], found.inertia[0], vertical(record), np.eye(3)[None], np.zeros((1, 3))
    )
    rows = np.concatenate([record.reading, record.wrench], axis=1)
    noise = np.array([record.noise[signal] for signal in WRIST_SIGNALS])
    alone = estimate_single_robot(point, record.time, rows, noise, record.zero_order_hold)
    if alone is None or alone.misfit > _MUCH_BETTER * float(np.mean(told.value[told.present] ** 2)):
        return piece
    load, slope = (np.asarray(part) for part in _log_cholesky(jnp.asarray(alone.load)))
    fit = dataclasses.replace(piece.fit, load=load, covariance=slope @ alone.covariance @ slope.T)
    return dataclasses.replace(piece, fit=fit)


@jax.jit
def _log_cholesky(numbers):
    """Coordinates of a load of thirteen numbers, and how they follow these."""

    def coordinates(numbers):
        return log_cholesky(Inertia.from_com(numbers[0], numbers[1:4], numbers[4:].reshape(3, 3)))

    return coordinates(numbers), jax.jacfwd(coordinates)(numbers)
