"""Two runners in turns: what else runs on the machine hits both alike."""

import math
import statistics
import time
from collections.abc import Callable, Sequence

from steelyard.bench._tuning import RACE
from steelyard.estimators import Belief

Lap = Callable[[], float]
"""Runs once; the result is the seconds a step of it took."""


def lap(run: Callable[[], object], steps: int) -> Lap:
    """A run of so many steps that needs no preparation."""

    def timed() -> float:
        begin = time.perf_counter()
        run()
        return (time.perf_counter() - begin) / steps

    return timed


def race(ours: Lap, peer: Lap, advance: Callable[[int], None]) -> tuple[float, float]:
    """Median microseconds a step of ours and of the peer; `advance` is called after each round."""
    mine, theirs = [], []
    for _ in range(RACE.rounds):
        mine.append(ours())
        theirs.append(peer())
        advance(1)
    return 1e6 * statistics.median(mine), 1e6 * statistics.median(theirs)


def sprint(ours: Lap, peers: Sequence[Lap], advance: Callable[[int], None]) -> tuple[float, float]:
    """Microseconds a step of ours and of the fastest peer, the best of many short rounds each.

    For steps of a microsecond, where a median is of what else runs on the machine.
    """
    best = [math.inf] * (1 + len(peers))
    for k in range(RACE.sprints):
        best = [min(so_far, lap()) for so_far, lap in zip(best, (ours, *peers), strict=True)]
        if k % (RACE.sprints // RACE.rounds) == 0:
            advance(1)
    return 1e6 * best[0], 1e6 * min(best[1:])


def keep_mass(belief: Belief):
    """What a replay keeps in a race: the mass and its standard deviation."""
    return belief.state.log_mass, belief.std[9]
