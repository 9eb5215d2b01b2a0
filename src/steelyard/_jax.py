"""How JAX is set up here; every numerical room imports this before it touches an array."""

import os
from pathlib import Path

import jax

jax.config.update("jax_enable_x64", True)  # float64 by default: a covariance in float32 loses definiteness


def cache_folder() -> Path:
    """Where compiled code is kept between runs: `$STEELYARD_CACHE`, else the user's cache folder."""
    if own := os.environ.get("STEELYARD_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "steelyard"


def remember_compilations() -> None:
    """Keeps compiled programs on disk, so that the second start of a command is quick.

    Left alone when the user has chosen a JAX cache already. Only programs call this (the command line, tests,
    agents): a library that is merely imported writes no files.
    """
    if os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return
    jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "xla"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
