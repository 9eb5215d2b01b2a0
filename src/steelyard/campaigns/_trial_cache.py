"""Trials that are done stay done: a run that was interrupted goes on where it stopped."""

import functools
import hashlib
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steelyard._files import whole_file
from steelyard._jax import package_state, private_folder
from steelyard._serialise import Classes, NotOurs, classes_in, decode, encode
from steelyard.errors import BadInput

_RESULTS = ("steelyard.estimators", "steelyard.worlds")
"""Rooms whose classes a result may hold, beside those of the trial's own room."""


class TrialCache:
    """What one kind of trial gave, by trial. The package's own files are part of the label: a change empties it.

    Results are data only, see `_serialise`; an entry that is damaged or belongs to somebody else counts as none.
    """

    def __init__(self, work: Callable[[Any], Any]):
        label = f"{_described(work)}\0{package_state()}"
        self._module = _module(work)
        self._folder = _folder(self._module) / hashlib.sha256(label.encode()).hexdigest()[:32]

    def find(self, job: Any) -> tuple[Any] | None:
        """What a trial gave, in brackets; None where it is still to be done."""
        path = self._path(job)
        try:
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
                return None
            return (decode(path.read_bytes(), _classes(self._module)),)
        except (OSError, NotOurs):
            return None

    def put(self, job: Any, result: Any) -> None:
        """Whole or not at all; a full disk, or a result that holds more than data, costs the next run time only."""
        try:
            data = encode(result, _classes(self._module))
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with whole_file(self._path(job)) as draft:
                draft.write_bytes(data)
                draft.chmod(0o600)
        except (OSError, BadInput, TypeError):
            return

    def clear(self) -> None:
        """Removes this kind's trials, once its results are out; other kinds, and other code's, stay."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, job: Any) -> Path:
        return self._folder / f"{hashlib.sha256(repr(job).encode()).hexdigest()[:32]}.msgpack"


def clear_trials(package: str) -> None:
    """Removes the trials whose functions are in this package or module, once the results are out."""
    shutil.rmtree(_folder(tuple(package.split("."))), ignore_errors=True)


def _classes(module: tuple[str, ...]) -> Classes:
    own = (".".join(module[:2]),) if module[0] == "steelyard" else ()
    return classes_in(*own, *_RESULTS)


def _folder(module: tuple[str, ...]) -> Path:
    return private_folder("trials").joinpath(*module)


def _module(work: Callable[[Any], Any]) -> tuple[str, ...]:
    while isinstance(work, functools.partial):
        work = work.func
    return tuple(work.__module__.split("."))


def _described(work: Callable[[Any], Any]) -> str:
    if isinstance(work, functools.partial):
        return f"{_described(work.func)} {work.args!r} {work.keywords!r}"
    return f"{work.__module__}.{work.__qualname__}"
