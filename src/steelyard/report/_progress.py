"""A progress bar for work that lasts, nothing for work that does not."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as TimeRemaining

from steelyard.report._tuning import PROGRESS

Advance = Callable[..., None]
"""Called with how much was done since the last call; 1 by default."""


@contextmanager
def progress(description: str, total: float | int | None = None, quiet: bool = False) -> Iterator[Advance]:
    """Gives `advance(steps=1)`, to be called as the work goes on; safe to call from any thread.

    The bar shows on standard error, and only once the work has lasted two seconds: standard output belongs to `--json`.
    Without a total it counts time. Where there is no terminal, a line a minute stands in for it.
    """
    if quiet:
        yield lambda steps=1: None
        return
    if not sys.stderr.isatty():
        yield _lines(description, total)
        return
    bar = _bar(total)
    task = bar.add_task(description, total=total)
    lock, over = threading.Lock(), False

    def appear() -> None:
        with lock:
            if not over:
                bar.start()

    timer = threading.Timer(PROGRESS.delay, appear)
    timer.daemon = True
    timer.start()
    try:
        yield lambda steps=1: bar.advance(task, steps)
    finally:
        timer.cancel()
        with lock:
            over = True
            bar.stop()


def _lines(description: str, total: float | int | None) -> Advance:
    lock, begun, done = threading.Lock(), time.monotonic(), 0.0
    last = begun

    def advance(steps: float = 1) -> None:
        nonlocal last, done
        with lock:
            done, now = done + steps, time.monotonic()
            if now - last >= PROGRESS.between_lines:
                last = now
                share = f": {done:g} of {total:g}" if total is not None else ""
                print(f"{description}{share}, {(now - begun) / 60.0:.0f} min", file=sys.stderr, flush=True)

    return advance


def _bar(total: float | int | None) -> Progress:
    words = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), words, TimeElapsedColumn())
    if total is not None:
        columns = (words, BarColumn(), MofNCompleteColumn(), TimeRemaining())
    # Redirection would send prints meant for standard output to the bar's console, which is standard error.
    return Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )
