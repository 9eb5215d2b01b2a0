"""What a robot tells those who watch it, on its own machine."""

import ctypes
import os
import resource
import sys
import time
from typing import Any, Literal

import msgspec
import numpy as np

from steelyard.estimators import Estimate

Phase = Literal["starting", "waiting", "running", "stopping"]


class Said(msgspec.Struct, frozen=True):
    """An estimate for those who only read."""

    value: Any
    std: Any
    unit: str
    frame: str | None
    status: str
    time: float
    """s of the run, of when it speaks."""


class Noticed(msgspec.Struct, frozen=True):
    """Something that happened."""

    time: float
    """s of the run."""
    kind: str
    robot: str
    """Who noticed."""
    what: str
    about: str | None = None
    """Another robot, where it is about one."""


class Status(msgspec.Struct, frozen=True):
    """A robot at one moment."""

    robot: str
    pid: int
    epoch: int
    phase: Phase
    time: float
    """s of the run."""
    tick: int
    holding: bool
    """Whether it acts on the load; one that nobody hears lets go."""
    estimates: dict[str, Said]
    known: dict[str, Said]
    """The last that it knew of each quantity, from before where it does not know it now."""
    age: float | None
    """s since what the oldest of the known is of; None before any."""
    alive: tuple[str, ...]
    """Neighbours heard within the last half second."""
    missing: tuple[str, ...]
    liars: tuple[str, ...]
    """Robots that it no longer believes."""
    sent: int
    received: int
    lost: int
    dropped: dict[str, int]
    clock: tuple[str, float]
    """Whose clock it follows, and the offset to it, s."""
    late: tuple[float, float, float]
    """Of steps after their samples: median, 99th percentile and largest, ms."""
    memory: float
    """MB in use."""
    processor: float
    """Share of one core since it began to run."""
    threads: int


def said(estimates: dict[str, Estimate] | Any) -> dict[str, Said]:
    """Estimates as plain numbers."""
    return {
        name: Said(_plain(one.value), _plain(one.std), one.unit, one.frame, one.status, one.time)
        for name, one in estimates.items()
    }


def _plain(value: Any) -> Any:
    return None if value is None else np.asarray(value).tolist()


class Lateness:
    """How late steps were, in a fixed number of numbers."""

    _BIN = 1e-4
    _BINS = 20_000

    def __init__(self) -> None:
        self._counts = np.zeros(self._BINS, np.int64)
        self._worst = 0.0

    def note(self, seconds: float) -> None:
        """One step."""
        self._counts[min(int(max(seconds, 0.0) / self._BIN), self._BINS - 1)] += 1
        self._worst = max(self._worst, seconds)

    @property
    def summary(self) -> tuple[float, float, float]:
        """Median, 99th percentile and largest, ms."""
        total = int(self._counts.sum())
        if total == 0:
            return 0.0, 0.0, 0.0
        reached = np.cumsum(self._counts)
        median, late = (float(np.searchsorted(reached, share * total) + 1) * self._BIN for share in (0.5, 0.99))
        return 1e3 * median, 1e3 * late, 1e3 * self._worst


def give_back() -> None:
    """Hands memory that a start has left behind back to the system, where its library can."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):  # not glibc
        return


class Usage:
    """Memory and processor time of this process."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """From now on."""
        self._wall, self._cpu = time.monotonic(), time.process_time()

    @property
    def processor(self) -> float:
        """Share of one core."""
        return (time.process_time() - self._cpu) / max(time.monotonic() - self._wall, 1e-3)

    @property
    def threads(self) -> int:
        """How many this process has; zero where the system does not tell."""
        try:
            return len(os.listdir("/proc/self/task"))
        except OSError:
            return 0

    @property
    def memory(self) -> float:
        """MB in use now; where the system does not tell, the most that ever was."""
        try:
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return most / 1e6 if sys.platform == "darwin" else most / 1e3
