"""Pushes on a load that are to be noticed, and motion without any."""

import dataclasses
from collections.abc import Callable
from typing import Any

from steelyard.bench.wrist._campaign import cases, config_of, log_of
from steelyard.campaigns import all_of
from steelyard.problems import identify
from steelyard.worlds.wrist import WristScenario, wrist_truth


@dataclasses.dataclass(frozen=True)
class Contacts:
    """How often a push was noticed, and how often one that never was."""

    logs: int
    noticed: int
    seconds: float
    """s, of motion without contact."""
    false: int

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return dataclasses.asdict(self)


def try_contacts(logs: int, seconds: float, progress: Callable[[int], None] = lambda done: None) -> Contacts:
    """Pushes with 1 N for 0.8 s in gentle motions of 10 s, good sensors; and as much time without."""
    calm = max(1, round(seconds / 10.0))
    pushed = all_of(_contacts, [_good(*case) for case in cases("gentle", logs, touch_force=1.0)], progress)
    free = all_of(_contacts, [_good(scenario, seed + 50_000) for scenario, seed in cases("gentle", calm)], progress)
    begin, length = WristScenario.touch_time, WristScenario.touch_length
    noticed = sum(any(begin - 0.5 < time < begin + length for time in times) for times in pushed)
    return Contacts(logs, noticed, 10.0 * calm, sum(len(times) for times in free))


def _good(scenario: WristScenario, seed: int) -> tuple[WristScenario, int]:
    return dataclasses.replace(scenario, sensors="good"), seed


def _contacts(case: tuple[WristScenario, int]) -> list[float]:
    """When contacts were noticed in a log, s."""
    scenario, seed = case
    found = identify(log_of(scenario, wrist_truth(scenario, seed), seed), "rigid-body", config_of(scenario, False))
    return [event.time for event in found.events if event.kind == "contact"]
