"""Many trials of anything, over the cores of this machine."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from steelyard._jax import prepare_program

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_processes(work: Callable[[Job], Result], seeds: Sequence[Job]) -> Iterator[Result]:
    """Results in the order of the seeds or jobs, from as many processes as cores; at home where one would do."""
    workers = min(os.cpu_count() or 1, len(seeds))
    if workers < 2:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), prepare_program) as pool:
        yield from pool.map(work, seeds)


def all_of(work: Callable[[Job], Result], seeds: Sequence[Job], advance: Callable[[int], None]) -> list[Result]:
    """The results of `in_processes`; `advance` is told each."""
    found = []
    for result in in_processes(work, seeds):
        found.append(result)
        advance(1)
    return found
