"""The same filter in libraries that compile it: by JAX, or from generated code."""

import functools
import importlib
import tempfile
from collections.abc import Callable

import numpy as np

from steelyard.bench.peers._filters import H, R, mass_estimate, matrices, start
from steelyard.bench.peers._flight import Flight, MassEstimate
from steelyard.bench.peers._tuning import PEERS


@functools.cache
def _cuthbert() -> Callable:
    import jax
    import jax.numpy as jnp

    run = importlib.import_module("cuthbert").filter
    kalman = importlib.import_module("cuthbert.gaussian").kalman

    def flown(mean, root, F, c, root_Q, z):
        built = kalman.build_filter(
            mean,
            root,
            lambda k: (F[k], c, root_Q),
            lambda k: (jnp.asarray(H), jnp.zeros(3), PEERS.velocity_std * jnp.eye(3), z[k]),
        )
        return run(built, jnp.arange(F.shape[0]), built.init_prepare())

    return jax.jit(flown)


def by_cuthbert(flight: Flight) -> MassEstimate:
    """`cuthbert.gaussian.kalman` over the whole flight, in square-root form, compiled by JAX."""
    F, c, Q = matrices(flight)
    mean, covariance = start(flight)
    states = _cuthbert()(mean, np.sqrt(covariance), F, c, np.sqrt(Q), flight.velocity[1:])
    root = np.asarray(states.chol_cov[-1])
    return mass_estimate(np.asarray(states.mean[-1]), root @ root.T)


@functools.cache
def _dynamax() -> Callable:
    import jax
    import jax.numpy as jnp

    models = importlib.import_module("dynamax.linear_gaussian_ssm.inference")

    def flown(mean, covariance, F, c, Q, z):
        first = F[0] @ mean + c, F[0] @ covariance @ F[0].T + Q  # its prior is that of the first reading
        params = models.make_lgssm_params(*first, F, Q, jnp.asarray(H), jnp.asarray(R), dynamics_bias=c)
        posterior = models.lgssm_filter(params, z)
        return posterior.filtered_means[-1], posterior.filtered_covariances[-1]

    return jax.jit(flown)


def by_dynamax(flight: Flight) -> MassEstimate:
    """`dynamax.linear_gaussian_ssm.lgssm_filter` over the whole flight, compiled by JAX."""
    F, c, Q = matrices(flight)
    mean, covariance = _dynamax()(*start(flight), F, c, Q, flight.velocity[1:])
    return mass_estimate(np.asarray(mean), np.asarray(covariance))


@functools.cache
def _symforce() -> Callable:
    numba = importlib.import_module("numba")
    symforce = importlib.import_module("symforce")
    symforce.set_epsilon_to_number()
    sf = importlib.import_module("symforce.symbolic")
    codegen = importlib.import_module("symforce.codegen")
    config = importlib.import_module("symforce.codegen.backends.python.python_config").PythonConfig(use_numba=True)

    def step(mean, P, moved, c, z, q, r):
        F, Q = sf.M44.eye(), sf.M44.diag([q, q, q, 0])
        F[:3, 3] = moved
        x, P = F * mean + c, F * P * F.T + Q
        K = P[:, :3] * (P[:3, :3] + r * sf.M33.eye()).inv()
        return x + K * (z - sf.V3(x[:3, 0])), P - K * P[:3, :]

    types = [sf.V4, sf.M44, sf.V3, sf.V4, sf.V3, sf.Scalar, sf.Scalar]
    function = codegen.Codegen.function(step, config, input_types=types, output_names=["mean_after", "P_after"])
    with tempfile.TemporaryDirectory() as folder:
        function.generate_function(folder, namespace="peer", skip_directory_nesting=True)
        generated = codegen.codegen_util.load_generated_function("step", folder)

    def flown(mean, P, moved, c, z, q, r):
        for k in range(len(z)):
            mean, P = generated(mean, P, moved[k], c, z[k], q, r)
        return mean, P

    return numba.njit(flown)


def by_symforce(flight: Flight) -> MassEstimate:
    """A step that SymForce generates from the equations, its loop over the flight compiled by Numba."""
    F, c, Q = matrices(flight)
    mean, P, moved, c, velocity = map(np.ascontiguousarray, (*start(flight), F[:, :3, 3], c, flight.velocity[1:]))
    return mass_estimate(*_symforce()(mean, P, moved, c, velocity, Q[0, 0], PEERS.velocity_std**2))
