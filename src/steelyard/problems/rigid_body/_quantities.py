"""Mass, centre of mass and inertia of a fitted load, at the end of a piece and over time."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Estimate, Knowledge
from steelyard.geometry import inertia_from_log_cholesky
from steelyard.problems._consistency import mean_nis
from steelyard.problems._identification import Series
from steelyard.problems.rigid_body._changes import Piece
from steelyard.problems.rigid_body._method import PRIOR
from steelyard.problems.rigid_body._tuning import TUNING

UNITS = {"mass": "kg", "com": "m", "inertia": "kg m²"}
_SHOWN = 400  # points of a series


@dataclasses.dataclass(frozen=True, eq=False)
class Loads:
    """Loads one after the other, with their standard deviations; the first axis counts them."""

    mass: np.ndarray
    mass_std: np.ndarray
    com: np.ndarray
    com_std: np.ndarray
    inertia: np.ndarray
    """(n, 3, 3), about the centre of mass."""
    inertia_std: np.ndarray

    @property
    def known(self) -> dict[str, np.ndarray]:
        """(n,) by quantity."""
        moment = np.trace(self.inertia, axis1=1, axis2=2) / 3.0
        return {
            "mass": self.mass_std < TUNING.known_mass_below * self.mass,
            "com": self.com_std.max(axis=1) < TUNING.known_com_below,
            "inertia": self.inertia_std.max(axis=(1, 2)) < TUNING.known_inertia_below * moment,
        }

    def of(self, quantity: str) -> tuple[np.ndarray, np.ndarray]:
        """Values and standard deviations of a quantity."""
        return getattr(self, quantity), getattr(self, f"{quantity}_std")


def loads_of(coordinates: np.ndarray, covariances: np.ndarray) -> Loads:
    """From log-Cholesky coordinates (n, 10): possible whatever they are; intervals to first order."""
    value, jacobian = _values_and_jacobians(jnp.asarray(coordinates))
    value, jacobian = np.asarray(value), np.asarray(jacobian)
    std = np.sqrt(np.maximum(np.einsum("npi,nij,npj->np", jacobian, covariances, jacobian), 0.0))
    matrices = [part[:, 4:].reshape(-1, 3, 3) for part in (value, std)]
    return Loads(value[:, 0], std[:, 0], value[:, 1:4], std[:, 1:4], *matrices)


@jax.jit
def _values_and_jacobians(coordinates):
    def numbers(theta):
        load = inertia_from_log_cholesky(theta)
        return jnp.concatenate([load.mass[None], load.com, jnp.ravel(load.matrix_about_com)])

    return jax.vmap(numbers)(coordinates), jax.vmap(jax.jacfwd(numbers))(coordinates)


def last_load(piece: Piece) -> Loads:
    """What a piece says at its end."""
    return loads_of(piece.fit.load[None], piece.fit.covariance[None])


def left_over(piece: Piece) -> np.ndarray:
    """What the fit does not explain, in standard deviations; NaN where nothing was measured."""
    return np.where(piece.fit.innovations.present, piece.fit.innovations.value, np.nan)


def failed(piece: Piece) -> bool:
    """Whether readings and model do not belong together at all."""
    off = left_over(piece)
    return mean_nis(off, np.ones_like(off)) > TUNING.failed_above


def estimates_of(piece: Piece) -> dict[str, Estimate]:
    """What is known at the end of a piece."""
    loads, time, wrong = last_load(piece), piece.record.time, failed(piece)
    short = time[-1] - time[0] <= TUNING.identifiable_within
    unknown: Knowledge = "failed" if wrong else "not-yet-known" if short else "not-identifiable"
    answers = {}
    for quantity, unit in UNITS.items():
        frame = None if quantity == "mass" else piece.record.robot
        value, std = (part[0] for part in loads.of(quantity))
        answers[quantity] = (
            Estimate.known(value, std, unit, frame, float(time[-1]))
            if loads.known[quantity][0] and not wrong
            else Estimate.unknown(unknown, unit, frame, float(time[-1]))
        )
    return answers


def series_of(pieces: list[Piece]) -> dict[str, Series]:
    """What the rows up to each moment tell, all linearised at the answer of their piece; NaN while not known."""
    times, loads = zip(*(_on_the_way(piece) for piece in pieces), strict=True)
    sound = [not failed(piece) for piece in pieces]
    found = {}
    for quantity, unit in UNITS.items():
        values, stds = [], []
        for part, well in zip(loads, sound, strict=True):
            value, std = part.of(quantity)
            known = (part.known[quantity] & well).reshape(-1, *[1] * (value.ndim - 1))
            values.append(np.where(known, value, np.nan))
            stds.append(np.where(known, std, np.nan))
        found[quantity] = Series(np.concatenate(times), np.concatenate(values), np.concatenate(stds), unit)
    return found


def _on_the_way(piece: Piece) -> tuple[np.ndarray, Loads]:
    fit, time = piece.fit, piece.record.time
    Z, innovations = fit.instruments, fit.innovations
    rows = np.unique(np.linspace(0, len(time) - 1, min(_SHOWN, len(time))).astype(int))
    B = np.cumsum(np.einsum("tmp,tmq->tpq", Z, Z), axis=0)[rows]
    b = np.cumsum(np.einsum("tmp,tm->tp", Z, innovations.value), axis=0)[rows]
    precision = np.diag(PRIOR**-2.0)
    covariance = np.linalg.inv(B + precision)
    step = np.einsum("tpq,tq->tp", covariance, b + precision @ (fit.guess - fit.load))
    return time[rows], loads_of(fit.load + np.clip(step, -3.0, 3.0), covariance)
