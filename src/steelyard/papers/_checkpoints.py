"""Trials that are done stay done: a reproduction that was interrupted goes on where it stopped."""

import functools
import hashlib
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steelyard.native import package_state, private_folder


class Shelf:
    """What one kind of trial gave, by trial. The package's own files are part of the label: a change empties it."""

    def __init__(self, work: Callable[[Any], Any]):
        label = f"{_described(work)}\0{package_state()}"
        self._folder = _room(work) / hashlib.sha256(label.encode()).hexdigest()[:32]

    def find(self, job: Any) -> tuple[Any] | None:
        """What a trial gave, in brackets; None where it is still to be done."""
        try:
            with self._place(job).open("rb") as file:
                return (pickle.load(file),)
        except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError):
            return None

    def put(self, job: Any, result: Any) -> None:
        """Whole or not at all; a full disk costs the next run time, not this one."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as draft:
                pickle.dump(result, draft)
            Path(draft.name).replace(self._place(job))
        except OSError:
            return

    def _place(self, job: Any) -> Path:
        return self._folder / f"{hashlib.sha256(repr(job).encode()).hexdigest()[:32]}.pickle"


def clear_shelves(room: str) -> None:
    """Once a paper's figures are out, the trials of its room under `papers` are let go: the next run measures anew."""
    shutil.rmtree(private_folder("trials") / room, ignore_errors=True)


def _room(work: Callable[[Any], Any]) -> Path:
    while isinstance(work, functools.partial):
        work = work.func
    return private_folder("trials") / work.__module__.split(".")[2]


def _described(work: Callable[[Any], Any]) -> str:
    if isinstance(work, functools.partial):
        return f"{_described(work.func)} {work.args!r} {work.keywords!r}"
    return f"{work.__module__}.{work.__qualname__}"
