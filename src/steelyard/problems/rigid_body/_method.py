"""The likeliest load: a filter that is told the load, and how its innovations depend on what it was updated.

An extended Kalman filter that carries the load's parameters along linearises early rows at an early guess, and never
looks at them again: a far start becomes a bias. Here the filter knows the parameters, only the motion is uncertain, and
its innovations are differentiated with respect to what it was updated. Gauss and Newton then find the load under which
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
from steelyard.problems.rigid_body._tuning import TUNING

LOAD = slice(9, 19)
"""Where the load's parameters are among the state's coordinates."""
PRIOR = np.array([1.5, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
"""How far a load may be from the first guess, one standard deviation in each log-Cholesky coordinate."""
_CHUNK = 512  # rows, so that one compilation serves logs of every length


class FilterState(eqx.Module):
    """The filter's belief of the motion, and its Jacobian by the load."""

    state: State
    covariance: Float[Array, "state state"]
    jacobian: Float[Array, "state load"]


class WhitenedInnovations(eqx.Module):
    """The innovations of every row, whitened: independent and of unit variance for a consistent filter."""

    value: Float[Numbers, "*batch meas"]
    """Zero where a reading is missing."""
    jacobian: Float[Numbers, "*batch meas load"]
    """Minus the derivative of `value` by each parameter."""
    scale: Float[Numbers, "*batch meas"]
    """Its standard deviation before whitening, each channel given those before it; 1 where it is missing."""
    present: Numbers


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """A load, its covariance, and the innovations under it."""

    load: np.ndarray
    """(10,), log-Cholesky coordinates."""
    covariance: np.ndarray
    """(10, 10), of these."""
    innovations: WhitenedInnovations
    instruments: np.ndarray
    """(n, meas, load), the jacobians of the innovations as smoothed rows have them."""
    guess: np.ndarray
    """(10,), where the search began, and the prior's centre."""


def fit_load(record: WristRecord, guess: np.ndarray) -> Fit:
    """The load that a record identifies, near a guess.

    First the least squares of the innovations, by damped Gauss-Newton steps. Their Jacobians share the noise of the
    wrench with the innovations themselves, which biases the answer (an entry of the inertia by a third, where all is
    noisy). So the last steps weight the innovations by the Jacobians of smoothed rows, which lack the noise of their
    own row: instrumental variables.
    """
    load = _least_squares(record, np.asarray(guess, float))
    smooth, precision = record.smoothed(), np.diag(PRIOR**-2.0)
    now, Z, moved = run_filter(record, load), run_filter(smooth, load).jacobian, np.inf
    for _ in range(TUNING.rounds):
        B, b = gram(Z) + precision, normal_equations(now, Z)[1]
        step = np.linalg.solve(B, b + precision @ (guess - load))  # not Zᵀ jacobian, which need not be definite
        before, moved = moved, float(np.sqrt(step @ B @ step))
        if moved < TUNING.converged or moved > 2.0 * before:
            break
        load = load + np.clip(step, -0.5, 0.5)
        now = run_filter(record, load)
        if moved > TUNING.near:
            Z = run_filter(smooth, load).jacobian
    return Fit(load, np.linalg.inv(gram(Z) + precision), now, Z, np.asarray(guess, float))


def _least_squares(record: WristRecord, guess: np.ndarray) -> np.ndarray:
    precision = np.diag(PRIOR**-2.0)
    load, damping, now = guess, 1e-3, run_filter(record, guess)
    cost = _cost(now, load, guess, precision)
    for _ in range(TUNING.rounds):
        A, b = normal_equations(now, now.jacobian)
        A, b = A + precision, b + precision @ (guess - load)
        trial, there, new_cost = load, now, np.inf
        while new_cost > cost and damping < 1e6:
            trial = load + np.clip(np.linalg.solve(A + damping * np.diag(np.diag(A)), b), -1.0, 1.0)
            there = run_filter(record, trial)
            new_cost = _cost(there, trial, guess, precision)
            damping = damping * (10.0 if new_cost > cost else 0.1)
        if new_cost > cost:
            break
        moved = float(np.sqrt((trial - load) @ A @ (trial - load)))
        load, now, cost, damping = trial, there, new_cost, max(damping, 1e-9)
        if moved < TUNING.near:
            break
    return load


def run_filter(record: WristRecord, load: np.ndarray, drift: float = 0.0) -> WhitenedInnovations:
    """The innovations of a filter that is given this load; with `drift` it forgets an earlier motion soon."""
    guess = record.first(load)
    model, noise, samples = record.model, record.random(drift), record.samples()
    jacobian = np.zeros((25, 10))
    jacobian[LOAD] = np.eye(10)
    at = FilterState(guess.state, jnp.diag(guess.std**2), jnp.asarray(jacobian))
    parts = []
    for begin in range(0, len(record.time), _CHUNK):
        rows = min(_CHUNK, len(record.time) - begin)
        chunk = jax.tree.map(lambda leaf, begin=begin: _padded(np.asarray(leaf)[begin : begin + _CHUNK]), samples)
        at, innovations = _filter_rows(model, noise, at, chunk)
        parts.append(jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[:rows], innovations))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def normal_equations(innovations: WhitenedInnovations, instruments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and b of A x = b, x being what the load is to be changed by."""
    Z = instruments.reshape(-1, 10)
    return Z.T @ innovations.jacobian.reshape(-1, 10), Z.T @ innovations.value.ravel()


def gram(jacobians: np.ndarray) -> np.ndarray:
    """Covariance of the b in A x = b: innovations are independent and of unit variance."""
    Z = jacobians.reshape(-1, 10)
    return Z.T @ Z


def _cost(innovations: WhitenedInnovations, load: np.ndarray, guess: np.ndarray, precision: np.ndarray) -> float:
    # No logarithm of a determinant: what wrenches truly were is unknown without a prior, and then it does not belong.
    off = load - guess
    cost = 0.5 * float(np.sum(innovations.value**2)) + 0.5 * float(off @ precision @ off)
    return cost if np.isfinite(cost) else np.inf


def _padded(leaf: np.ndarray) -> np.ndarray:
    """Filled up with rows of zero duration without readings."""
    short = _CHUNK - len(leaf)
    spare = np.zeros(short) if leaf.ndim == 1 else np.full((short, *leaf.shape[1:]), np.nan)
    return np.concatenate([leaf, spare])


@eqx.filter_jit
def _filter_rows(
    model: Model, noise: Noise, at: FilterState, samples: Sample
) -> tuple[FilterState, WhitenedInnovations]:
    def row(at: FilterState, sample: Sample):
        step = linearise_dynamics(model, noise, at.state, sample.control, sample.dt)
        P = product(product(step.F, at.covariance), step.F.T) + step.Q
        P, X = 0.5 * (P + P.T), product(step.F, at.jacobian)
        observed = linearise_observation(model, noise, step.state, step.control, sample.measurement, jnp.asarray(False))
        updated = correct(P, observed, Shadows(X, *jnp.zeros((2, X.shape[1]))))
        scale = jnp.sqrt(updated.innovation.variance)
        value = jnp.where(observed.present, updated.innovation.value / scale, 0.0)
        after = FilterState(retract(step.state, updated.delta), updated.covariance, updated.shadows.columns)
        return after, WhitenedInnovations(
            value, updated.seen, jnp.where(observed.present, scale, 1.0), observed.present
        )

    return jax.lax.scan(row, at, samples)
