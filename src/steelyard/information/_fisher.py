"""Fisher information of a scenario, and the Cramér-Rao bound that follows from it."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from steelyard.errors import BadInput
from steelyard.estimators import Guess, Noise, Sample, linearise_dynamics
from steelyard.geometry import differentiate, local, product, tangent_names, tangent_size
from steelyard.information._tuning import INFORMATION
from steelyard.models import Control, Model, State


class AccumulatedInformation(eqx.Module):
    """What a run of samples gives at best, with no prior on some coordinates of the first state (the free ones).

    The error at the end is `sensitivity @ (error of the free coordinates)` plus one of covariance `given`.
    """

    state: State
    """The true one at the end."""
    given: Float[Array, "state state"]
    """Covariance at the end if the free coordinates had been known."""
    sensitivity: Float[Array, "state free"]
    information: Float[Array, "free free"]
    """About the free coordinates of the first state, from the samples alone."""


class Motion(eqx.Module):
    """The true motion along which the information was accumulated, time first."""

    dt: Float[Array, " time"]
    states: State
    controls: Control


class Bound(eqx.Module):
    """No unbiased estimator does better than this, at the last sample; the state's tangent coordinates."""

    state: State
    """The true one."""
    covariance: Float[np.ndarray, "state state"]
    """Infinite on the diagonal, and NaN beside it, for a coordinate about which nothing is known."""
    unknown: Float[np.ndarray, "direction state"]
    """Directions about which nothing at all is known, orthonormal; often there is none."""
    names: tuple[str, ...] = eqx.field(static=True)

    @property
    def std(self) -> Float[np.ndarray, " state"]:
        """Least standard deviation of each coordinate; infinite where nothing is known."""
        return np.sqrt(np.diag(self.covariance))

    def std_of(self, name: str) -> Float[np.ndarray, " part"]:
        """Of the coordinates of one part of the state, such as `log_mass` or `contacts`."""
        rows = rows_of(self.names, name)
        return self.std[rows]


def cramer_rao(model: Model, noise: Noise, guess: Guess, samples: Sample) -> Bound:
    """The bound along the trajectory that starts at `guess.state`, taken as true [tichavsky98].

    Of the samples only times and controls count, and which readings are missing (NaN); what they read does not. A
    standard deviation in `guess.std` that is infinite means no prior, and zero exactly known. Without noise on inputs
    and states this is the bound for constants; with it, the posterior bound of a filter.
    """
    free = tuple(int(i) for i in np.flatnonzero(np.isinf(np.asarray(guess.std))))
    return bound_of(accumulate_information(model, noise, guess, samples, free)[0])


def information(model: Model, noise: Noise, state: State, samples: Sample) -> Float[np.ndarray, "state state"]:
    """Fisher information about the first state, in its tangent coordinates, from the samples alone."""
    guess = Guess(state, jnp.full(tangent_size(state), jnp.inf))
    free = tuple(range(tangent_size(state)))
    return np.asarray(accumulate_information(model, noise, guess, samples, free)[0].information)


@eqx.filter_jit
def accumulate_information(
    model: Model, noise: Noise, guess: Guess, samples: Sample, free: tuple[int, ...]
) -> tuple[AccumulatedInformation, Motion]:
    """Propagates both parts of the error along the true trajectory; differentiable.

    Road not taken: the information of all coordinates, step by step, needs the inverse of every transition and of
    every prior, and a coordinate that is exactly known has none. A huge variance in place of no prior loses
    the samples' information in rounding.
    """
    n = tangent_size(guess.state)
    std = jnp.asarray(guess.std, float).at[jnp.asarray(free, int)].set(0.0)
    A = jnp.eye(n)[:, jnp.asarray(free, int)]
    state = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), guess.state)
    begin = AccumulatedInformation(state, jnp.diag(std**2), A, jnp.zeros((len(free), len(free))))

    def row(before: AccumulatedInformation, sample: Sample):
        step = linearise_dynamics(model, noise, before.state, sample.control, sample.dt)
        P = step.F @ before.given @ step.F.T + step.Q
        A = step.F @ before.sensitivity
        H, R = _whole_observation(model, noise, step.state, step.control, step.missing, sample)
        root = jnp.linalg.cholesky(H @ P @ H.T + jnp.diag(R))
        n_free = A.shape[1]
        seen = jax.scipy.linalg.solve_triangular(root, jnp.concatenate([H @ A, H @ P], axis=1), lower=True)
        HA, HP = seen[:, :n_free], seen[:, n_free:]
        P, A = P - HP.T @ HP, A - HP.T @ HA
        gathered = AccumulatedInformation(step.state, 0.5 * (P + P.T), A, before.information + HA.T @ HA)
        return gathered, (step.state, step.control)

    gathered, (states, controls) = jax.lax.scan(row, begin, samples)
    return gathered, Motion(jnp.asarray(samples.dt, float), states, controls)


def bound_of(gathered: AccumulatedInformation) -> Bound:
    """The Cramér-Rao bound at the end of the samples."""
    A, S = np.asarray(gathered.sensitivity), np.asarray(gathered.information)
    known, null_space = split_information(S)
    part = A @ known
    P = np.asarray(gathered.given) + part @ part.T
    unknown = _orthonormal((A @ null_space).T)
    lost = np.sqrt(np.sum(unknown**2, axis=0)) > 1e-6
    P[lost, :] = np.nan
    P[:, lost] = np.nan
    P[lost, lost] = np.inf
    return Bound(gathered.state, P, unknown, tuple(tangent_names(gathered.state)))


def split_information(S: Float[np.ndarray, "free free"]) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of columns: their outer products sum to the inverse of S where it has information; its null space."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(S), INFORMATION.none))
    values, vectors = np.linalg.eigh(scale[:, None] * S * scale[None, :])
    some = values > INFORMATION.no_eigenvalue
    return scale[:, None] * vectors[:, some] / np.sqrt(values[some]), scale[:, None] * vectors[:, ~some]


def rows_of(names: tuple[str, ...] | list[str], part: str) -> list[int]:
    """Indices of the coordinates of a part of the state, such as `contacts`; an unknown part is a `BadInput`."""
    rows = [i for i, name in enumerate(names) if name == part or name.startswith(f"{part}/")]
    if not rows:
        parts = dict.fromkeys(name.partition("/")[0] for name in names)
        raise BadInput(f'The state has no part "{part}"; it has {", ".join(parts)}.')
    return rows


def _whole_observation(
    model: Model, noise: Noise, state: State, control: Control, missing: Bool[Array, " control"], sample: Any
) -> tuple[Float[Array, "meas state"], Float[Array, " meas"]]:
    """`H` and the noise's variance by channel; the rows of missing channels are zero."""
    expected, jacobian = differentiate(model.observe, state, control)
    n = tangent_size(state)
    H, D = jacobian[:, :n], jacobian[:, n:]
    present = ~jnp.isnan(local(expected, sample.measurement))
    # A reading that depends on a missing input has no information.
    present &= ~jnp.any((D != 0) & missing[None, :], axis=1)
    R = noise.measurement**2 + product(D**2, noise.control**2)
    return jnp.where(present[:, None], H, 0.0), jnp.where(present, R, 1.0)


def _orthonormal(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the rows' span."""
    if rows.shape[0] == 0:
        return rows
    long = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    _, sizes, basis = np.linalg.svd(long, full_matrices=False)
    return basis[sizes > 1e-9]
