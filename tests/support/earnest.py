"""Long runs in a process of their own: compiled with optimisation and without checks of types, many times as fast."""

import functools
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from steelyard.campaigns._processes import begin_worker


def in_earnest(function: Callable[..., Any], *arguments: Any) -> Any:
    """What `function(*arguments)` gives, run once; it must be importable, as all of the package is."""
    return _result(pickle.dumps((function, arguments)))


@functools.cache
def _result(asked: bytes) -> Any:
    return _process().submit(_call, asked).result()


def _call(asked: bytes) -> Any:
    function, arguments = pickle.loads(asked)
    return function(*arguments)


@functools.cache
def _process() -> ProcessPoolExecutor:
    quick = os.environ.pop("XLA_FLAGS", None)  # the tests' own: they compile in a hurry (see conftest.py)
    try:
        process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), begin_worker, (os.getpid(),))
        process.submit(int).result()  # it has started now, with the environment as it is
    finally:
        if quick is not None:
            os.environ["XLA_FLAGS"] = quick
    return process
