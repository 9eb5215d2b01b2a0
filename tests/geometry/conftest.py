"""Batches of random things to prove theorems on."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import geometry as g

N = 40
# Theorems are compiled to be run once: without optimisation that takes a third of the time.
QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}


class Draw:
    """Draws batches of `N`: every leaf has that as its leading axis, so that a theorem is one `jax.vmap`."""

    def __init__(self, seed: int):
        self._rng = np.random.default_rng(seed)

    def arrays(self, *shape: int, scale: float = 1.0):
        return jnp.asarray(scale * self._rng.standard_normal((N, *shape)))

    def quaternions(self):
        q = self._rng.standard_normal((N, 4))
        return jnp.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))

    def poses(self):
        return g.SE3(jnp.concatenate([self.quaternions(), self.arrays(3)], axis=1))

    def rotations(self):
        return g.SO3(self.quaternions())

    def twists(self):
        return jax.vmap(g.Twist.from_vector)(self.arrays(6))

    def wrenches(self):
        return jax.vmap(g.Wrench.from_vector)(self.arrays(6))

    def dual_quaternions(self):
        return jax.vmap(g.DualQuaternion.from_vector)(self.arrays(8))

    def inertias(self):
        """Physical by construction without any of our charts: sums over eight point masses."""
        p, m = self._rng.standard_normal((N, 8, 3)) + 0.5, self._rng.uniform(0.1, 1.0, (N, 8))
        second = np.einsum("nk,nki,nkj->nij", m, p, p)
        I = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
        moments = np.stack([I[:, 0, 0], I[:, 1, 1], I[:, 2, 2], I[:, 0, 1], I[:, 0, 2], I[:, 1, 2]], axis=1)
        phi = np.concatenate([m.sum(1)[:, None], np.einsum("nk,nki->ni", m, p), moments], axis=1)
        return jax.vmap(g.Inertia.from_vector)(jnp.asarray(phi))


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Draw:
    return Draw(seed=sum(map(ord, request.node.name)))


@pytest.fixture(scope="session")
def quick_jit():
    """`jax.jit` that compiles quickly rather than well."""
    return functools.partial(jax.jit, compiler_options=QUICK)


@pytest.fixture(scope="session")
def holds(quick_jit):
    """`holds(f, *batches)`: f returns pairs of equals; checks them for every member of the batches, compiled once."""

    def check(theorem, *batches, tolerance: float = 1e-12):
        for left, right in quick_jit(jax.vmap(theorem))(*batches):
            assert jax.tree.structure(left) == jax.tree.structure(right)
            for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
                np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)

    return check


@pytest.fixture(scope="session")
def member():
    """`member(batch, k)`: the k-th of a batch, for referees that take one thing at a time."""
    return lambda batch, k: jax.tree.map(lambda leaf: leaf[k], batch)
