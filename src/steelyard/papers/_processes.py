"""Many trials of anything, over the cores of this machine."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from steelyard._jax import prepare_program
from steelyard.papers._checkpoints import Shelf

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_processes(work: Callable[[Job], Result], seeds: Sequence[Job]) -> Iterator[Result]:
    """Results in the order of the seeds or jobs, from as many processes as cores; at home where one would do."""
    workers = min(os.cpu_count() or 1, len(seeds))
    if workers < 2:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin) as pool:
        yield from pool.map(work, seeds)


def all_of(work: Callable[[Job], Result], seeds: Sequence[Job], advance: Callable[[int], None]) -> list[Result]:
    """The results of `in_processes`; `advance` is told each. What an interrupted run has done is not done again."""
    shelf = Shelf(work)
    found: dict[int, Result] = {}
    for k, seed in enumerate(seeds):
        if (kept := shelf.find(seed)) is not None:
            found[k] = kept[0]
            advance(1)
    left = [k for k in range(len(seeds)) if k not in found]
    for k, result in zip(left, in_processes(work, [seeds[k] for k in left]), strict=True):
        shelf.put(seeds[k], result)
        found[k] = result
        advance(1)
    return [found[k] for k in range(len(seeds))]


def _begin() -> None:
    """A worker does not outlive who it works for."""
    prepare_program()
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
