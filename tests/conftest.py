"""Strict JAX for every test: float64, no silent broadcasting, warnings are errors (see pyproject.toml)."""

import os

# Most programs are compiled to run once: without optimisation that takes a quarter of the time. Before JAX wakes up.
QUICK = ("backend_optimization_level=0", "llvm_disable_expensive_passes=true")
os.environ.setdefault("XLA_FLAGS", " ".join(f"--xla_{flag}" for flag in QUICK))

import hypothesis  # noqa: E402
import jax  # noqa: E402
import pytest  # noqa: E402

from steelyard import _jax  # noqa: E402

_jax.prepare_program()
hypothesis.settings.register_profile("steelyard", derandomize=True, deadline=None)  # the same cases on every machine
hypothesis.settings.load_profile("steelyard")
jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture
def key():
    return jax.random.key(20260711)
