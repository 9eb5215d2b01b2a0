"""Many trials of anything, over the cores of this machine."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from steelyard._jax import prepare_program
from steelyard.papers._checkpoints import TrialCache

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_processes(work: Callable[[Job], Result], seeds: Sequence[Job]) -> Iterator[Result]:
    """Results in the order of the seeds or jobs, from as many processes as cores; at home where one would do."""
    workers = min(os.cpu_count() or 1, len(seeds))
    if workers < 2:
        yield from map(work, seeds)
        return
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (os.getpid(),))
    try:
        yield from pool.map(work, seeds)
        pool.shutdown()
    except BaseException:  # an interruption does not wait for trials that are under way
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(multiprocessing.active_children()) - before:
            worker.kill()
            worker.join()
        raise


def all_of(work: Callable[[Job], Result], seeds: Sequence[Job], progress: Callable[[int], None]) -> list[Result]:
    """The results of `in_processes`; `progress` is called for each. What an interrupted run has done is kept."""
    cache = TrialCache(work)
    found: dict[int, Result] = {}
    for k, seed in enumerate(seeds):
        if (earlier := cache.find(seed)) is not None:
            found[k] = earlier[0]
            progress(1)
    left = [k for k in range(len(seeds)) if k not in found]
    for k, result in zip(left, in_processes(work, [seeds[k] for k in left]), strict=True):
        cache.put(seeds[k], result)
        found[k] = result
        progress(1)
    return [found[k] for k in range(len(seeds))]


def _begin(parent: int) -> None:
    """A worker does not outlive the process it works for, and leaves interruptions to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    prepare_program()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
