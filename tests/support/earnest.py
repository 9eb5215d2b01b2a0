"""Long runs in a process of their own: compiled with optimisation and without checks of types, many times as fast."""

import functools
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def in_earnest(function: Callable[..., Any], *arguments: Any) -> Any:
    """What `function(*arguments)` gives; it must be importable, as all of the package is."""
    return _process().submit(function, *arguments).result()


@functools.cache
def _process() -> ProcessPoolExecutor:
    quick = os.environ.pop("XLA_FLAGS", None)  # the tests' own: they compile in a hurry (see conftest.py)
    try:
        process = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), initializer=_prepare)
        process.submit(int).result()  # it has started now, with the environment as it is
    finally:
        if quick is not None:
            os.environ["XLA_FLAGS"] = quick
    return process


def _prepare() -> None:
    from steelyard._jax import prepare_program

    prepare_program()
