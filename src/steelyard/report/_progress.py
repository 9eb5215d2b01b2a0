"""Patience: a bar for work that lasts, nothing for work that does not."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as TimeRemaining

PATIENCE = 2.0
"""How long work may last, in seconds, before a bar appears."""

Advance = Callable[..., None]
"""Called with how much was done since the last call; 1 unless told."""


@contextmanager
def progress(description: str, total: float | int | None = None, quiet: bool = False) -> Iterator[Advance]:
    """Gives `advance(steps=1)`, to be called as the work goes on; safe to call from any thread.

    The bar shows on standard error, only where that is a terminal, and only once the work has lasted two seconds:
    standard output belongs to `--json`. Without a total it counts time.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda steps=1: None
        return
    bar = _bar(total)
    task = bar.add_task(description, total=total)
    lock, over = threading.Lock(), False

    def appear() -> None:
        with lock:
            if not over:
                bar.start()

    timer = threading.Timer(PATIENCE, appear)
    timer.daemon = True
    timer.start()
    try:
        yield lambda steps=1: bar.advance(task, steps)
    finally:
        timer.cancel()
        with lock:
            over = True
            bar.stop()


def _bar(total: float | int | None) -> Progress:
    words = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), words, TimeElapsedColumn())
    if total is not None:
        columns = (words, BarColumn(), MofNCompleteColumn(), TimeRemaining())
    # Redirection would send prints meant for standard output to the bar's console, which is standard error.
    return Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )
