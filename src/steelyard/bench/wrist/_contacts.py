"""Pushes on a load that are to be noticed, and motion without any."""

import dataclasses
from collections.abc import Callable
from typing import Any

from steelyard.bench.wrist._campaign import cases, config_of, log_of
from steelyard.problems import identify
from steelyard.worlds.wrist import wrist_truth


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
    noticed, false = 0, 0
    for scenario, seed in cases("gentle", logs, touch_force=1.0):
        scenario = dataclasses.replace(scenario, sensors="good")
        found = identify(log_of(scenario, wrist_truth(scenario, seed), seed), "rigid-body", config_of(scenario, False))
        begin, end = scenario.touch_time, scenario.touch_time + scenario.touch_length
        noticed += any(event.kind == "contact" and begin - 0.5 < event.time < end for event in found.events)
        progress(1)
    calm = max(1, round(seconds / 10.0))
    for scenario, seed in cases("gentle", calm):
        scenario = dataclasses.replace(scenario, sensors="good")
        seed += 50_000
        found = identify(log_of(scenario, wrist_truth(scenario, seed), seed), "rigid-body", config_of(scenario, False))
        false += sum(event.kind == "contact" for event in found.events)
        progress(1)
    return Contacts(logs, noticed, 10.0 * calm, false)
