"""Many trials of anything: over the cores of this machine, or on whatever workers `trials_on` names."""

import contextlib
import contextvars
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, TypeVar

from steelyard._jax import prepare_program
from steelyard.campaigns._trial_cache import TrialCache

Job = TypeVar("Job")
Result = TypeVar("Result")
Workers = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[tuple[int, Any]]]
"""Does all jobs, and gives each one's place and result as it is done, in any order."""

_WORKERS: contextvars.ContextVar[Workers | None] = contextvars.ContextVar("workers", default=None)


@contextlib.contextmanager
def trials_on(workers: Workers) -> Iterator[None]:
    """All trials inside run on these workers; `on_workers` has some."""
    token = _WORKERS.set(workers)
    try:
        yield
    finally:
        _WORKERS.reset(token)


def has_workers() -> bool:
    """Whether trials run on workers that somebody has named."""
    return _WORKERS.get() is not None


def in_processes(work: Callable[[Job], Result], seeds: Sequence[Job]) -> Iterator[Result]:
    """Results in the order of the seeds or jobs."""
    early: dict[int, Result] = {}
    next_one = 0
    for k, result in _done(work, seeds):
        early[k] = result
        while next_one in early:
            yield early.pop(next_one)
            next_one += 1


def all_of(work: Callable[[Job], Result], seeds: Sequence[Job], progress: Callable[[int], None]) -> list[Result]:
    """The results in order; `progress` is called for each. What an interrupted run has done is kept."""
    cache = TrialCache(work)
    found: dict[int, Result] = {}
    for k, seed in enumerate(seeds):
        if (earlier := cache.find(seed)) is not None:
            found[k] = earlier[0]
            progress(1)
    left = [k for k in range(len(seeds)) if k not in found]
    for j, result in _done(work, [seeds[k] for k in left]):
        cache.put(seeds[left[j]], result)
        found[left[j]] = result
        progress(1)
    return [found[k] for k in range(len(seeds))]


def _done(work: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[tuple[int, Result]]:
    """Each job's place and result as it is done: by the workers, else by a process a core, or at home."""
    workers = _WORKERS.get()
    if workers is not None:
        yield from workers(work, jobs)
    elif min(_cores(), len(jobs)) < 2:
        yield from ((k, work(job)) for k, job in enumerate(jobs))
    else:
        yield from _on_every_core(work, jobs)


def _cores() -> int:
    """Those that this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _on_every_core(work: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[tuple[int, Result]]:
    before = set(multiprocessing.active_children())
    processes = min(_cores(), len(jobs))
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), begin_worker, (os.getpid(),))
    try:
        places = {pool.submit(work, job): k for k, job in enumerate(jobs)}
        for future in as_completed(places):
            yield places[future], future.result()
        pool.shutdown()
    except BaseException:  # an interruption does not wait for trials that are under way
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(multiprocessing.active_children()) - before:
            worker.kill()
            worker.join()
        raise


def begin_worker(parent: int) -> None:
    """A worker does not outlive the process it works for, and leaves interruptions to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    prepare_program()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
