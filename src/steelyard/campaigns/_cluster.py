"""Trials on `dask.distributed`: worker processes of this machine, or a scheduler's on many.

A trial is one task: a worker that is killed costs its own unfinished trial, which another worker does again, with the
same numbers, because a trial depends on its seed only. BLAS has one thread in each worker.
"""

import asyncio
import concurrent.futures
import contextlib
import functools
import hashlib
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax

import steelyard
from steelyard._jax import prepare_program
from steelyard.campaigns._processes import trials_on
from steelyard.campaigns._tuning import CLUSTER
from steelyard.errors import BadInput

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@contextlib.contextmanager
def on_workers(workers: int | None, scheduler: str | None, quiet: bool = False) -> Iterator[None]:
    """All trials inside run on so many worker processes here, or on a scheduler's; on neither, as ever.

    The dashboard's address goes to standard error, unless `quiet`.
    """
    if workers is None and scheduler is None:
        yield
        return
    if workers is not None and scheduler is not None:
        raise BadInput("--workers and --scheduler were both given; a scheduler has workers of its own.")
    if workers is not None and not 1 <= workers <= 1024:
        raise BadInput(f"--workers is {workers}; give a number from 1 to 1024.")
    with _client(workers, scheduler) as client:
        if not quiet:
            print(f"Dashboard: {client.dashboard_link}", file=sys.stderr)
        with trials_on(functools.partial(_done, client)):
            yield


@contextlib.contextmanager
def _client(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    try:
        import dask.config
        import distributed
    except ImportError:
        raise BadInput(
            '--workers and --scheduler need dask, which is not installed; pip install "steelyard[campaign]".'
        ) from None
    settings = {
        "distributed.nanny.pre-spawn-environ": _ONE_THREAD,
        "distributed.scheduler.allowed-failures": CLUSTER.deaths,
        "distributed.admin.system-monitor.gil.enabled": False,
        "distributed.worker.profile.enabled": False,
    }
    for name in ("distributed.client", "distributed.scheduler", "distributed.nanny", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what goes wrong is one sentence of ours
    with dask.config.set(settings), contextlib.ExitStack() as stack:
        if scheduler is None:
            client = stack.enter_context(distributed.Client(stack.enter_context(_started(distributed, workers))))
        else:
            client = stack.enter_context(_connected(distributed, scheduler))
        _check_package(client, scheduler)
        yield client


def _started(distributed: Any, workers: int | None) -> Any:
    """Worker processes of this machine; where one dies while they start, they are started again."""
    what = ""
    for _ in range(CLUSTER.deaths):
        try:
            return distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=logging.CRITICAL,
            )  # fmt: skip
        except RuntimeError as error:
            what = " ".join(str(error).split())[:100]
    raise BadInput(f"The worker processes die as they start ({what}); take fewer of them, or leave --workers out.")


def _connected(distributed: Any, scheduler: str) -> Any:
    try:
        client = distributed.Client(scheduler, timeout=CLUSTER.answer_within)
        client.wait_for_workers(1, timeout=CLUSTER.answer_within)
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInput(
            f"No scheduler with workers answers at {scheduler} ({' '.join(str(error).split())[:100]}); start "
            '"dask scheduler" and "dask worker" there, or leave --scheduler out.'
        ) from None
    return client


def _check_package(client: Any, scheduler: str | None) -> None:
    """Another version of this package on a worker would give other numbers."""
    if scheduler is None:
        return
    states = client.run(package_contents)
    others = [worker for worker, state in states.items() if state != package_contents()]
    if others:
        raise BadInput(f"The worker at {others[0]} has another steelyard than this machine; install the same on both.")


def package_contents() -> str:
    """A digest of this package's sources, wherever they lie, and of JAX's version."""
    digest, root = hashlib.sha256(jax.__version__.encode()), Path(steelyard.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()


def _done(client: Any, work: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Place and result of each job, as it is done."""
    from distributed import KilledWorker, as_completed
    from distributed.comm.core import CommClosedError

    label = getattr(work, "__name__", "trial")
    futures = client.map(functools.partial(_trial, work), list(jobs), key=label, pure=False, retries=0)
    places = {future.key: k for k, future in enumerate(futures)}
    address, lost = client.scheduler.address, False
    try:
        for future in as_completed(futures):
            try:
                result = future.result()
            except KilledWorker:
                job = jobs[places[future.key]]
                raise BadInput(
                    f"{CLUSTER.deaths} workers died at the trial {job!r}; give them more memory, or run it alone to "
                    "see why."
                ) from None
            except (asyncio.CancelledError, concurrent.futures.CancelledError, CommClosedError):
                lost = True
                raise BadInput(
                    f"The scheduler at {address} went away; start it again and repeat the command: trials that are "
                    "done are kept."
                ) from None
            yield places[future.key], result
    finally:
        if not lost:
            client.cancel(futures, force=True)


def _trial(work: Callable[[Any], Any], job: Any) -> Any:
    _prepare(os.getpid())
    return work(job)


@functools.cache
def _prepare(process: int) -> None:
    del process  # once each
    prepare_program()
