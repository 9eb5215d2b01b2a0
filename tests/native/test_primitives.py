"""What JAX says of small functions, C says too: taken apart into scalars, as loops, and in float32."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.native import emit, load
from steelyard.native.c import _emit
from steelyard.native.c._tuning import EmitTuning

HASTY = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-ffp-contract=off")


def solve(A, b):
    L = jnp.linalg.cholesky(A @ A.T + 4.0 * jnp.eye(3))
    y = jax.scipy.linalg.solve_triangular(L, b, lower=True)
    return jax.scipy.linalg.solve_triangular(L.T, y, lower=False)


def running(A, v):
    def turn(carry, row):
        carry = 0.5 * carry + row
        return carry, carry * v

    return jax.lax.scan(turn, jnp.zeros(3), A, reverse=True)


def wide(row, v):
    """Rows that are long enough to be loops: alike, alike with one number a row, alike but for their order, unlike."""
    P = jnp.outer(row[:9], row[:9]) + jnp.eye(9)

    def take_in(P, k):
        h = P[k]
        P = P - jnp.outer(h, h) / (1.0 + h[k])
        return jnp.where(jnp.sum(P) < v[0], P, 2.0 * P), h

    P, seen = jax.lax.scan(take_in, P, jnp.arange(3))
    return P, seen, jnp.tril(P) @ P, jnp.where(jnp.arange(9) < 4, row[:9], P[0])


FUNCTIONS = {
    "arithmetic": lambda A, v, k: (A + v[None, :], A - 2.0, -v, A * A, A / (2.0 + v**2)[None, :], v**-2, v**3),
    "whole": lambda A, v, k: (k + 3, k * k, -k, k // 3, k % 3, k // -2, jnp.sign(k), jnp.abs(k)),
    "bits": lambda A, v, k: (k & 6, k | 1, ~k, k ^ 5),
    "extremes": lambda A, v, k: (jnp.maximum(A, 0.3), jnp.minimum(v, v[::-1]), jnp.clip(A, -0.5, 0.5), jnp.max(A, 0)),
    "where": lambda A, v, k: (jnp.where(v[None, :] < A, A, 0.0), jnp.where(k > 2, k, -1), jnp.isfinite(v / (v - v))),
    "logic": lambda A, v, k: ((A > 0) & (A < 1), (v > 0) | (k > 2), ~(v > 0), jnp.any(A > 1), jnp.all(A < 9, axis=1)),
    "smooth": lambda A, v, k: (jnp.sin(A), jnp.cos(v), jnp.exp(v), jnp.log(v**2 + 1), jnp.tanh(A)),
    "angles": lambda A, v, k: (jnp.arctan2(v, A[0]), jnp.arcsinh(v), jnp.tan(v), jnp.arctan(v)),
    "rare": lambda A, v, k: (jnp.expm1(v), jnp.log1p(v**2), jnp.sqrt(v**2), jax.nn.sigmoid(A), jnp.cbrt(v)),
    "rounded": lambda A, v, k: (jnp.floor(3 * v), jnp.ceil(3 * v), jnp.round(3 * v), jnp.abs(v), jnp.sign(v)),
    "wide": lambda A, v, k: wide(jnp.concatenate([A, A + 1.0, 2.0 * A, v[None]]).ravel(), v),
    "products": lambda A, v, k: (A @ v, v @ A, A @ A.T, jnp.einsum("ij,kj->ik", A, A), jnp.outer(v, v)),
    "nothing": lambda A, v, k: (jnp.zeros((2, 0)) @ jnp.zeros((0, 3)) + A[:2], jnp.diag(A)),
    "batched": lambda A, v, k: jnp.einsum("bij,bjk->bik", jnp.stack([A, A.T]), jnp.stack([A.T, A])),
    "sums": lambda A, v, k: (jnp.sum(A), jnp.sum(A, axis=1), jnp.prod(v), jnp.mean(v)),
    "running": lambda A, v, k: (jnp.cumsum(A, axis=0), jnp.cumsum(A, axis=1), jax.lax.cummax(A, 0, reverse=True)),
    "best": lambda A, v, k: (jnp.argmax(A, axis=1), jnp.argmin(v), A[0][jnp.argmax(v)]),
    "moves": lambda A, v, k: (A.T, A[::-1], A[1:, :2], jnp.concatenate([A, v[None]]), jnp.stack([v, v], 1)),
    "copies": lambda A, v, k: (jnp.tile(v, 2), jnp.repeat(v, 2), jnp.roll(v, 1), jnp.pad(A, ((1, 0), (0, 2)))),
    "shapes": lambda A, v, k: (jnp.diag(v), jnp.triu(A), A.reshape(9), A[None, :, None]),
    "read": lambda A, v, k: (A[k[0]], v[k[1] % 3], A[:, (2, 0)], jax.lax.dynamic_slice(A, (k[0], 1), (2, 2))),
    "written": lambda A, v, k: (A.at[1].set(v), A.at[:, 0].add(v), v.at[k[0]].set(9.0), A.at[k[0], 1].mul(2.0)),
    "window": lambda A, v, k: jax.lax.dynamic_update_slice(v, v[:1], (k[1],)),
    "casts": lambda A, v, k: ((3 * v).astype(int), k.astype(float), (v > 0).astype(float), v.astype(bool)),
    "beyond": lambda A, v, k: (1e30 * v).astype(int),
    "scan": lambda A, v, k: running(A, v),
    "turns": lambda A, v, k: jax.lax.fori_loop(0, 5, lambda i, x: 0.5 * x + A[i % 3], v),
    "branch": lambda A, v, k: jax.lax.cond(v[0] > 0, lambda: A @ v, lambda: 2.0 * v),
    "switch": lambda A, v, k: jax.lax.switch(k[1], [lambda: v, lambda: v + A[0], lambda: -v]),
    "cholesky": lambda A, v, k: solve(A, v),
    "derivative": lambda A, v, k: jax.jacfwd(lambda x: jnp.sin(A @ x) * jnp.exp(x))(v),
}


def everything(A, v, k):
    return {name: function(A, v, k) for name, function in FUNCTIONS.items()}


def example(seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((3, 3)), rng.standard_normal(3), rng.integers(0, 5, 3)


def vector(tree, dtype=float) -> np.ndarray:
    return np.concatenate([np.ravel(leaf).astype(dtype) for leaf in jax.tree.leaves(tree)])


@pytest.mark.parametrize("mode", ["scalars", "loops", "single"])
def test_every_primitive_means_the_same_in_c(mode, monkeypatch):
    if mode == "loops":
        monkeypatch.setattr(_emit, "EMIT", EmitTuning(scalar_limit=0, small_array=0, short_scan=0))
    code = emit(everything, example(0), single=mode == "single")
    assert code.looped == (mode == "loops")
    step, expected = load(code, HASTY), jax.jit(everything)
    real = np.float32 if mode == "single" else np.float64
    tolerance = 2e-4 if mode == "single" else 1e-13
    for seed in range(5):
        given = example(seed)
        out = np.empty(code.result.size, real)
        step.call(*(vector(each, real) for each in given), out)
        for leaf, want in zip(code.result.leaves, jax.tree.leaves(expected(*given)), strict=True):
            if mode == "single" and leaf.name == "beyond":
                continue  # the edges of an int64 are no float32
            got = out[leaf.offset : leaf.offset + leaf.size].reshape(leaf.shape)
            np.testing.assert_allclose(got, np.asarray(want, float), tolerance, tolerance, err_msg=leaf.name)


def test_an_unsupported_primitive_is_named_with_its_place_and_what_to_write():
    def step(x):
        return jnp.sort(x)

    with pytest.raises(BadInput, match=r'uses "sort" at .*test_primitives.py.*; write jnp.max.* instead'):
        emit(step, (np.zeros(3),))


def test_an_open_ended_loop_is_told_what_to_write():
    with pytest.raises(BadInput, match=r'uses "while".*fori_loop with fixed bounds'):
        emit(lambda x: jax.lax.while_loop(lambda y: y < 1.0, lambda y: 2.0 * y, x), (np.ones(()),))


def test_structural_zeros_cost_nothing():
    def derivative(x):
        return jax.jacfwd(lambda y: y**2)(x)

    assert emit(derivative, (np.zeros(10),)).operations <= 10  # the diagonal, and not a hundred products
