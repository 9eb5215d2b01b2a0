"""The data set: flown on every core, and written so that an interruption loses nothing."""

import functools
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from steelyard._files import whole_file
from steelyard.campaigns import has_workers, in_processes
from steelyard.errors import BadInput
from steelyard.logs import Log, write
from steelyard.worlds import SESAME_AIRFRAME, SesameScenario, fly_sesame

Flown = tuple[SesameScenario, dict[str, np.ndarray]]
"""A flight and its columns."""

_MANIFEST = "sesame.json"


def fly_all(flights: Iterable[SesameScenario], seed: int) -> Iterator[Flown]:
    """Flights with their columns, in order, as they are flown: one on each core at a time."""
    if has_workers():
        listed = list(flights)
        yield from zip(listed, in_processes(functools.partial(fly_sesame, seed=seed), listed), strict=True)
        return
    cores = os.cpu_count() or 1
    waiting = iter(flights)
    with ThreadPoolExecutor(cores) as pool:
        while some := list(itertools.islice(waiting, 4 * cores)):
            yield from zip(some, pool.map(lambda flight: fly_sesame(flight, seed), some), strict=True)


def write_data_set(
    folder: str | Path, flights: Iterable[SesameScenario], seed: int, suffix: str, advance: Callable[[int], None]
) -> tuple[int, int]:
    """Writes `<folder>/<trajectory>/<profile>/<repetition>` for each flight; how many were written, and were there.

    A file is whole or absent, so what is there need not be flown again.
    """
    folder = Path(folder)
    _claim(folder, seed, suffix)
    paths = {flight: folder / f"{flight.name}{suffix}" for flight in flights}
    missing = [flight for flight, path in paths.items() if not path.exists()]
    advance(len(paths) - len(missing))
    for flight, columns in fly_all(missing, seed):
        paths[flight].parent.mkdir(parents=True, exist_ok=True)
        write(as_log(flight, columns, seed), paths[flight])
        advance(1)
    return len(missing), len(paths) - len(missing)


def as_log(flight: SesameScenario, columns: dict[str, np.ndarray], seed: int) -> Log:
    """A flight's columns as a log with its settings."""
    facts = {
        "scenario": "sesame",
        "seed": str(seed),
        "trajectory": flight.trajectory,
        "profile": flight.profile,
        "repetition": str(flight.repetition),
        "motor_lag": str(SESAME_AIRFRAME.motor_lag),
    }
    others = {name: column for name, column in columns.items() if name != "time"}
    return Log(columns["time"], others, flight.name, facts)


def _claim(folder: Path, seed: int, suffix: str) -> None:
    """Makes the folder, or makes sure that it is of the same seed and kind."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; give the name of a folder for the data set.")
    if not folder.parent.is_dir():
        raise BadInput(f"{folder}: the folder {folder.parent} does not exist; create it or choose another output.")
    manifest, settings = folder / _MANIFEST, {"scenario": "sesame", "seed": seed, "suffix": suffix}
    if manifest.exists():
        there = json.loads(manifest.read_text())
        if there != settings:
            raise BadInput(
                f"{folder} holds flights of seed {there.get('seed')} as {there.get('suffix')}; "
                "ask for those again, or give another folder."
            )
        return
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty and holds no data set of ours; give another folder.")
    folder.mkdir(exist_ok=True)
    with whole_file(manifest) as draft:
        draft.write_text(json.dumps(settings))
