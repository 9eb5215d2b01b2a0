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
from steelyard.problems.rigid_body._tuning import TUNING
from steelyard.team import LinearisationPoint, estimate_single_robot


def refined(piece: Piece) -> Piece:
    """The piece with the load that a team of one would find, where that explains the rows much better.

    The fit takes a wrench for a straight line between two rows, which is good to 1e-4 at 100 Hz. The filter of a team
    takes it for a cubic, steps by Runge and Kutta's rule, and finds the vertical along with the load. Under noise that
    does not matter, and the fit stays as it is.
    """
    record, found, innovations = piece.record, last_load(piece), piece.fit.innovations
    if np.isnan(record.wrench).any() or not innovations.present.any():
        return piece
    point = LinearisationPoint.of(
        float(found.mass[0]), found.com[0], found.inertia[0], vertical(record), np.eye(3)[None], np.zeros((1, 3))
    )
    rows = np.concatenate([record.reading, record.wrench], axis=1)
    noise = np.array([record.noise[signal] for signal in WRIST_SIGNALS])
    alone = estimate_single_robot(point, record.time, rows, noise, record.zero_order_hold)
    if alone is None or alone.misfit > TUNING.refinement_gain * float(
        np.mean(innovations.value[innovations.present] ** 2)
    ):
        return piece
    load, jacobian = (np.asarray(part) for part in _log_cholesky(jnp.asarray(alone.load)))
    fit = dataclasses.replace(piece.fit, load=load, covariance=jacobian @ alone.covariance @ jacobian.T)
    return dataclasses.replace(piece, fit=fit)


@jax.jit
def _log_cholesky(numbers):
    """Coordinates of a load of thirteen numbers, and how they run_filter these."""

    def coordinates(numbers):
        return log_cholesky(Inertia.from_com(numbers[0], numbers[1:4], numbers[4:].reshape(3, 3)))

    return coordinates(numbers), jax.jacfwd(coordinates)(numbers)
