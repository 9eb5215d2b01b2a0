"""What a centralised estimator could reach at best with everybody's data: the Cramér-Rao bound of a push."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Guess, Noise, Sample
from steelyard.geometry import differentiate
from steelyard.information import Bound, cramer_rao
from steelyard.models import PlanarLoad, PlanarLoadState
from steelyard.worlds import PlanarTruth


@dataclasses.dataclass(frozen=True)
class Attainable:
    """Least standard deviations at the last sample; infinite where the motion does not identify it."""

    mass: float
    """Relative."""
    inertia: float
    """Relative."""
    com: np.ndarray
    """(robot, 2), m, from each contact to the centre of mass, world axes."""
    z_c: np.ndarray
    """(2,), m, from the centre of mass to the middle of the contacts: short, so errors of heading hardly turn it."""


def attainable(truth: PlanarTruth, velocity_noise: float) -> Attainable:
    """For robots that know their forces exactly and nothing else."""
    n = len(truth.contacts)
    before = np.concatenate([truth.forces[:1], truth.forces[:-1]])
    samples = Sample(
        jnp.asarray(np.diff(truth.time, prepend=truth.time[:1])),
        jnp.asarray(0.5 * (before + truth.forces)),
        jnp.asarray(truth.contact_velocities),
    )
    channels, size = 2 * n, 6 + 2 * n
    noise = Noise(jnp.full(channels, velocity_noise), jnp.zeros(channels), jnp.zeros(size), jnp.ones(channels))
    open_but_heading = jnp.full(size, jnp.inf).at[0].set(0.0)
    bound = cramer_rao(PlanarLoad(), noise, Guess(truth.state_at(0), open_but_heading), samples)
    com, z_c = (_std(bound, of) for of in (lambda state: -state.arms, lambda state: state.arms.mean(axis=0)))
    mass, inertia = (float(bound.std_of(name)[0]) for name in ("log_mass", "log_inertia"))
    return Attainable(mass, inertia, com.reshape(n, 2), z_c)


def _std(bound: Bound, of: Callable[[PlanarLoadState], Any]) -> np.ndarray:
    """Least standard deviations of a function of the state."""
    D = np.asarray(differentiate(of, bound.state)[1])
    with np.errstate(invalid="ignore"):
        variances = np.einsum("ij,jk,ik->i", D, bound.covariance, D)
    return np.where(np.isfinite(variances), np.sqrt(np.abs(variances)), np.inf)
