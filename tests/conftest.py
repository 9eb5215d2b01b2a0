"""Strict JAX for every test: float64, no silent broadcasting, warnings are errors (see pyproject.toml)."""

import jax
import pytest

from steelyard import _jax

_jax.remember_compilations()
jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture
def key():
    return jax.random.key(20260711)
