"""Simulated flights through `identify`: a campaign with gusts, ground effect, sag, loads and delays; perfect flights.

What can be identified in a disturbed flight is the mass over the thrust's scale: the part of the thrust that is off for
the whole flight (`truth/thrust_scale`: a mean wind, the ground below the cruise height, a battery) cannot be told from
the mass by any flight. Errors are of that ratio at the last row.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steelyard.bench._cover import HALF, clopper_pearson
from steelyard.bench._tuning import COVER
from steelyard.campaigns import all_of
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.worlds.multirotor import MultirotorScenario, draw_disturbances, fly_disturbed, simulate

AIMS = {
    "coverage": (0.93, 0.97),
    "false_changes": (0, 1),
    "missed": (0, 0),
    "median_delay": (0.0, 0.5),
    "rms_over_bound": (0.0, 1.3),
    "stated_over_bound": (0.9, 1.3),
}
"""Within which each figure of a summary should be."""


def disturbed_flight(duration: float, every: int, seed: int) -> dict[str, Any]:
    """One flight of the campaign; each `every`-th one has a change of 10 % of the mass."""
    changed = every > 0 and seed % every == 0
    flight = draw_disturbances(seed, changed, duration)
    columns = fly_disturbed(flight, duration, seed)
    log = _log({name: column for name, column in columns.items() if "/rpm/" not in name})
    found = _identified(log)
    true = float(columns["truth/mass"][-1] / columns["truth/thrust_scale"][-1])
    changes = [e for e in found.pop("events") if e[2] == "mass" or e[2].startswith("mass/")]
    delay = None
    for event in list(changes):
        begin, noticed, quantity, size = event
        right = changed and quantity == "mass" and size * flight.change > 0
        if right and delay is None and abs(begin - flight.change_time) < COVER.same_change:
            delay = noticed - flight.change_time
            changes.remove(event)
    smallest = found["smallest_change"]
    could_not_show = changed and (smallest is None or smallest > abs(flight.change))
    return found | {
        "seed": seed,
        "true": true,
        "changed": changed,
        "delay": delay,
        "could_not_show": could_not_show,
        "false_changes": len(changes),
    }


def perfect_flight(duration: float, seed: int) -> dict[str, Any]:
    """One flight of a constant mass with white noise only, and the bound that the thrust noise alone sets.

    The noise of velocities adds 0.01 % to it, for it counts at the ends only; drag acts across the weight.
    """
    scenario = MultirotorScenario(profile="constant", duration=duration)
    columns = simulate(scenario, seed)
    log = _log({name: column for name, column in columns.items() if "throttle" not in name})
    found = _identified(log)
    full_scale = 18.8  # N a rotor at full throttle on the world's bench
    throttle = 9.81 * scenario.mass / 4.0 / full_scale
    noise = scenario.motor_noise * 2.0 * np.sqrt(throttle) * full_scale / (9.81 * scenario.mass)  # of the thrust, a row
    changes = [e for e in found.pop("events") if e[2] == "mass" or e[2].startswith("mass/")]
    bound = float(noise / np.sqrt(len(log))) * scenario.mass
    return found | {"seed": seed, "true": scenario.mass, "bound": bound, "false_changes": len(changes)}


def _log(columns: dict[str, np.ndarray]) -> Log:
    columns = dict(columns)
    return Log(columns.pop("time"), columns, "trial")


def _identified(log: Log) -> dict[str, Any]:
    begin = time.process_time()
    found = identify(log, "multirotor")
    seconds = time.process_time() - begin
    mass, smallest = found["r1"].mass, found.robots["r1"].get("smallest_change")
    return {
        "smallest_change": None if smallest is None or smallest.value is None else float(smallest.value),
        "status": mass.status,
        "value": None if mass.value is None else float(mass.value),
        "std": None if mass.std is None else float(mass.std),
        "events": [
            [e.time, e.time if e.noticed is None else e.noticed, e.quantity, 0.0 if e.size is None else float(e.size)]
            for e in found.events
            if e.kind == "change"
        ],
        "seconds": seconds,
    }


@dataclasses.dataclass(frozen=True)
class DroneSummary:
    """Figures of one kind of flights."""

    kind: str
    flights: int
    known: int
    doubtful: int
    coverage: float
    """Share of 95 % intervals, of what is known, that hold the truth."""
    coverage_low: float
    coverage_high: float
    """Clopper and Pearson's 95 % interval of it."""
    nees: float
    """Mean square of error over stated deviation."""
    rms: float
    """Of the relative error."""
    false_changes: int
    changed: int
    """Flights with a change."""
    missed: int
    could_not_show: int
    """Those of the missed ones whose own `smallest_change` is larger than the change: the answer says so."""
    median_delay: float | None
    """s from a change to when it was noticed."""
    rms_over_bound: float | None
    stated_over_bound: float | None
    """Root mean square, as the errors', so that the two may be compared: a median hides the few wide ones."""
    seconds: float
    """Of processor time a flight."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return dataclasses.asdict(self)


def summary_of(kind: str, flights: Sequence[dict[str, Any]]) -> DroneSummary:
    """Of the outcomes of `disturbed_flight` or `perfect_flight`."""
    known = [one for one in flights if one["value"] is not None]
    error = np.array([one["value"] - one["true"] for one in known])
    std, true = (np.array([one[name] for one in known]) for name in ("std", "true"))
    inside = int(np.sum(np.abs(error) < HALF * std))
    low, high = clopper_pearson(inside, len(known)) if known else (0.0, 1.0)
    changed = [one for one in flights if one.get("changed")]
    delays = [one["delay"] for one in changed if one["delay"] is not None]
    bound = np.array([one["bound"] for one in known]) if known and "bound" in known[0] else None
    return DroneSummary(
        kind=kind,
        flights=len(flights),
        known=len(known),
        doubtful=sum(one["status"] == "doubtful" for one in flights),
        coverage=inside / max(len(known), 1),
        coverage_low=low,
        coverage_high=high,
        nees=float(np.mean((error / std) ** 2)) if known else float("nan"),
        rms=float(np.sqrt(np.mean((error / true) ** 2))) if known else float("nan"),
        false_changes=sum(one["false_changes"] for one in flights),
        changed=len(changed),
        missed=len(changed) - len(delays),
        could_not_show=sum(one["delay"] is None and one["could_not_show"] for one in changed),
        median_delay=float(np.median(delays)) if delays else None,
        rms_over_bound=None if bound is None else float(np.sqrt(np.mean((error / bound) ** 2))),
        stated_over_bound=None if bound is None else float(np.sqrt(np.mean((std / bound) ** 2))),
        seconds=float(np.mean([one["seconds"] for one in flights])),
    )


def run_campaign(
    flights: int, duration: float, every: int, seed: int, progress: Callable[[int], None]
) -> list[dict[str, Any]]:
    """The outcomes, in order; an interrupted run goes on where it stopped."""
    seeds = [seed + k for k in range(flights)]
    return all_of(functools.partial(disturbed_flight, duration, every), seeds, progress)


def run_perfect(flights: int, duration: float, seed: int, progress: Callable[[int], None]) -> list[dict[str, Any]]:
    """The same of perfect flights."""
    return all_of(functools.partial(perfect_flight, duration), [seed + k for k in range(flights)], progress)
