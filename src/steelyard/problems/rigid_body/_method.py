"""The likeliest load: a filter that is told the load, and how its surprises depend on what it was told.

An extended Kalman filter that carries the load's parameters along linearises early rows at an early guess, and never
looks at them again: a far start becomes a bias. Here the filter knows the parameters, only the motion is uncertain, and
its innovations are differentiated with respect to what it was told. Gauss and Newton then find the load under which
the log is likeliest; in the end every row is linearised at the answer.
"""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.estimators import Noise, Sample, Shadows, correct, linearise_dynamics, linearise_observation
from steelyard.geometry import product, retract
from steelyard.models import Model, Numbers, State
from steelyard.problems.rigid_body._reading import WristRecord

LOAD = slice(9, 19)
"""Where the load's parameters are among the state's coordinates."""
PRIOR = np.array([1.5, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
"""How far a load may be from the first guess, one standard deviation in each log-Cholesky coordinate."""
_CHUNK = 512  # rows, so that one compilation serves logs of every length
_ROUNDS = 12
_NEAR, _ENOUGH = 0.3, 0.01  # standard deviations by which the last round moved


class Followed(eqx.Module):
    """Where the filter is: the motion it believes in, and how that depends on the load."""

    state: State
    covariance: Float[Array, "state state"]
    slope: Float[Array, "state load"]


class Surprise(eqx.Module):
    """What every row brought that was not expected, whitened: independent and of unit variance where all is well."""

    value: Float[Numbers, "*batch meas"]
    """Zero where silent."""
    slope: Float[Numbers, "*batch meas load"]
    """How much less it would be for a unit more of each parameter."""
    scale: Float[Numbers, "*batch meas"]
    """Its standard deviation before whitening, each channel given those before it; 1 where silent."""
    present: Numbers


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """A load, how well it is known, and how the log looks in its light."""

    load: np.ndarray
    """(10,), log-Cholesky coordinates."""
    covariance: np.ndarray
    """(10, 10), of these."""
    surprise: Surprise
    instruments: np.ndarray
    """(n, meas, load), the slopes of the surprises as smoothed rows have them."""
    guess: np.ndarray
    """(10,), where the search began, and the prior's centre."""


def fit_load(record: WristRecord, guess: np.ndarray) -> Fit:
    """The load that a handling tells of, near a guess.

    First the least squares of the surprises, by damped Gauss-Newton rounds. Their slopes share the noise of the wrench
    with the surprises themselves, which biases the answer (an entry of the inertia by a third, where everything is
    noisy). So the last rounds weigh the surprises with the slopes of smoothed rows, which lack the noise of their own
    row: instrumental variables.
    """
    load = _least_squares(record, np.asarray(guess, float))
    smooth, precision = record.smoothed(), np.diag(PRIOR**-2.0)
    now, Z, moved = follow(record, load), follow(smooth, load).slope, np.inf
    for _ in range(_ROUNDS):
        B, b = gram(Z) + precision, normal_equations(now, Z)[1]
        step = np.linalg.solve(B, b + precision @ (guess - load))  # not Zᵀ slope, which need not be definite
        before, moved = moved, float(np.sqrt(step @ B @ step))
        if moved < _ENOUGH or moved > 2.0 * before:
            break
        load = load + np.clip(step, -0.5, 0.5)
        now = follow(record, load)
        if moved > _NEAR:
            Z = follow(smooth, load).slope
    return Fit(load, np.linalg.inv(gram(Z) + precision), now, Z, np.asarray(guess, float))


def _least_squares(record: WristRecord, guess: np.ndarray) -> np.ndarray:
    precision = np.diag(PRIOR**-2.0)
    load, damping, now = guess, 1e-3, follow(record, guess)
    cost = _cost(now, load, guess, precision)
    for _ in range(_ROUNDS):
        A, b = normal_equations(now, now.slope)
        A, b = A + precision, b + precision @ (guess - load)
        trial, told, new_cost = load, now, np.inf
        while new_cost > cost and damping < 1e6:
            trial = load + np.clip(np.linalg.solve(A + damping * np.diag(np.diag(A)), b), -1.0, 1.0)
            told = follow(record, trial)
            new_cost = _cost(told, trial, guess, precision)
            damping = damping * (10.0 if new_cost > cost else 0.1)
        if new_cost > cost:
            break
        moved = float(np.sqrt((trial - load) @ A @ (trial - load)))
        load, now, cost, damping = trial, told, new_cost, max(damping, 1e-9)
        if moved < _NEAR:
            break
    return load


def follow(record: WristRecord, load: np.ndarray, drift: float = 0.0) -> Surprise:
    """The surprises of a filter that was told this load; one that drifts soon forgets a motion it got wrong."""
    guess = record.first(load)
    model, noise, samples = record.model, record.random(drift), record.samples()
    slope = np.zeros((25, 10))
    slope[LOAD] = np.eye(10)
    at = Followed(guess.state, jnp.diag(guess.std**2), jnp.asarray(slope))
    parts = []
    for begin in range(0, len(record.time), _CHUNK):
        rows = min(_CHUNK, len(record.time) - begin)
        chunk = jax.tree.map(lambda leaf, begin=begin: _padded(np.asarray(leaf)[begin : begin + _CHUNK]), samples)
        at, told = _follow(model, noise, at, chunk)
        parts.append(jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[:rows], told))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def normal_equations(told: Surprise, instruments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and b of A x = b, x being what the load is to be changed by."""
    Z = instruments.reshape(-1, 10)
    return Z.T @ told.slope.reshape(-1, 10), Z.T @ told.value.ravel()


def gram(slopes: np.ndarray) -> np.ndarray:
    """Covariance of the b in A x = b: surprises are independent and of unit variance."""
    Z = slopes.reshape(-1, 10)
    return Z.T @ Z


def _cost(told: Surprise, load: np.ndarray, guess: np.ndarray, precision: np.ndarray) -> float:
    # No logarithm of a determinant: what wrenches truly were is unknown without a prior, and then it does not belong.
    off = load - guess
    cost = 0.5 * float(np.sum(told.value**2)) + 0.5 * float(off @ precision @ off)
    return cost if np.isfinite(cost) else np.inf


def _padded(leaf: np.ndarray) -> np.ndarray:
    """Filled up with rows in which no time passes and nothing is heard."""
    short = _CHUNK - len(leaf)
    spare = np.zeros(short) if leaf.ndim == 1 else np.full((short, *leaf.shape[1:]), np.nan)
    return np.concatenate([leaf, spare])


@eqx.filter_jit
def _follow(model: Model, noise: Noise, at: Followed, samples: Sample) -> tuple[Followed, Surprise]:
    def row(at: Followed, sample: Sample):
        step = linearise_dynamics(model, noise, at.state, sample.control, sample.dt)
        P = product(product(step.F, at.covariance), step.F.T) + step.Q
        P, X = 0.5 * (P + P.T), product(step.F, at.slope)
        observed = linearise_observation(model, noise, step.state, step.control, sample.measurement, jnp.asarray(False))
        told = correct(P, observed, Shadows(X, *jnp.zeros((2, X.shape[1]))))
        scale = jnp.sqrt(told.innovation.variance)
        value = jnp.where(observed.present, told.innovation.value / scale, 0.0)
        after = Followed(retract(step.state, told.delta), told.covariance, told.shadows.columns)
        return after, Surprise(value, told.seen, jnp.where(observed.present, scale, 1.0), observed.present)

    return jax.lax.scan(row, at, samples)
