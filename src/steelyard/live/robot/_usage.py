"""What a robot's process costs: how late its steps are, memory, processor time, threads."""

import ctypes
import os
import resource
import sys
import time

import numpy as np


class Lateness:
    """How late steps were, in a fixed number of numbers."""

    _BIN = 1e-4
    _BINS = 20_000

    def __init__(self) -> None:
        self._counts = np.zeros(self._BINS, np.int64)
        self._worst = 0.0

    def add(self, seconds: float) -> None:
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
        """How many this process has; zero where the system does not say."""
        try:
            return len(os.listdir("/proc/self/task"))
        except OSError:
            return 0

    @property
    def memory(self) -> float:
        """MB in use now; where the system does not say, the most that ever was."""
        try:
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return most / 1e6 if sys.platform == "darwin" else most / 1e3
