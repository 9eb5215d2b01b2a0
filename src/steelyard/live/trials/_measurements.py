"""How a run of a team compares with the same load estimated in one process, and what it cost."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._outcome import TeamOutcome
from steelyard.logs import Log

_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


def measure(plan: TeamPlan, outcome: TeamOutcome) -> dict[str, Any]:
    """Values at the worst robot; faulty members are left out of the errors.

    The other run is of the same world without faults, all robots in one process.
    """
    from steelyard.problems import identify  # robots, which never need it, start sooner without

    robots = {name: robot for name, robot in outcome.robots.items() if robot is not None}
    faulty = {event["about"] for event in outcome.events if event["kind"] == "liar"}
    sound = [name for name in robots if name not in faulty]
    log, undisturbed = _undisturbed(plan)
    inside = identify(log, plan.config.live.problem, plan.config)
    quantities = {}
    for quantity in ("mass", "com", "inertia"):
        ours = {name: robots[name]["known"].get(quantity, {}).get("value") for name in sound}
        theirs = {name: inside.robots[name][quantity].value for name in sound}
        live, other = _worst(ours, outcome.truth, quantity), _worst(theirs, undisturbed, quantity)
        ratio = None if live is None or not other else live / other
        quantities[quantity] = {"live": live, "in_process": other, "ratio": ratio}
        ours = [robots[name]["known"].get(quantity, {}).get("std") for name in sound]
        theirs = [inside.robots[name][quantity].std for name in sound]
        mine, other = _size(ours), _size(theirs)
        quantities[quantity]["std_ratio"] = None if mine is None or not other else mine / other
    starts = {one.robot: one.start for one in plan.config.faults.lie}
    named = {
        event["robot"]: event["time"] - starts.get(event["about"], 0.0)
        for event in outcome.events
        if event["kind"] == "liar"
    }
    return {
        "errors": quantities,
        "late_p99_ms": max(robot["late"][1] for robot in robots.values()),
        "memory_mb": max(robot["memory"] for robot in robots.values()),
        "processor": max(robot["processor"] for robot in robots.values()),
        "seconds_to_start": outcome.seconds_to_start,
        "memory_growth": max((_growth(usage) for usage in outcome.usage.values()), default=None),
        "fuzzed": outcome.fuzzed,
        "fuzzed_dropped": sum(outcome.dropped.values()) if outcome.fuzzed else 0,
        "liars": sorted(faulty),
        "seconds_to_name": max(named.values(), default=None),
        "seconds_to_catch_up": _catching_up(plan, outcome),
        "unaccounted": sum(abs(link.unaccounted) for link in outcome.links),
    }


def _catching_up(plan: TeamPlan, outcome: TeamOutcome) -> float | None:
    """From the start of a killed robot's new process until it knew the load as of less than a second before, s.

    None where one never did, too.
    """
    waits = [
        outcome.caught_up.get(one.robot, math.inf) - one.end for one in plan.config.faults.kill if one.end is not None
    ]
    longest = max(waits, default=math.inf)
    return longest if math.isfinite(longest) else None


def _growth(usage: list[tuple[float, float, int]]) -> float:
    """Of a robot's memory after the first minute, as a share, along a straight line; zero for shorter runs.

    From sample to sample memory goes up and down by two per cent.
    """
    later = np.array([(time, memory) for time, memory, _ in usage if time >= 60.0])
    if len(later) < 3:
        return 0.0
    time, memory = later.T
    gradient = float(np.polyfit(time, memory, 1)[0])
    return gradient * float(time[-1] - time[0]) / float(memory.mean())


def _undisturbed(plan: TeamPlan) -> tuple[Log, Mapping[str, float]]:
    """All rows of the world as they would be if nothing went wrong, and its truth."""
    player = plan.task.play(plan.graph, plan.rate)
    names = dict(zip(player.robots, plan.graph.names, strict=True))
    times, table = [], []
    while (row := player.next(frozenset(player.robots))) is not None:
        times.append(row.time)
        table.append([row.readings[one][column] for one in player.robots for column in plan.task.columns])
    columns = [f"{names[one]}/{column}" for one in player.robots for column in plan.task.columns]
    values = np.array(table)
    log = Log(np.array(times), {name: values[:, k] for k, name in enumerate(columns)}, "the same world, undisturbed")
    truth = {"/".join(names.get(part, part) for part in name.split("/")): one for name, one in player.truth().items()}
    return log, truth


def _worst(values: Mapping[str, Any], truth: Mapping[str, float], quantity: str) -> float | None:
    """The largest error of any robot, in the quantity's unit; None where one does not know."""
    errors = []
    for name, value in values.items():
        true = true_value(truth, name, quantity)
        if value is None or true is None:
            return None
        error = np.asarray(value) - true
        errors.append(float(np.max(np.abs(error)) if np.ndim(true) == 2 else np.linalg.norm(error)))
    return max(errors, default=None)


def _size(stds: list[Any]) -> float | None:
    """Of the standard deviations of the robot that is least sure; None where one does not know."""
    if any(std is None for std in stds):
        return None
    return max((float(np.linalg.norm(std)) for std in stds), default=None)


def true_value(truth: Mapping[str, float], robot: str, quantity: str) -> np.ndarray | None:
    """A quantity as a robot should know it, from the columns of a world's truth."""
    for stem in (f"truth/{robot}/{quantity}", f"truth/{quantity}"):
        if stem in truth:
            return np.asarray(truth[stem])
        if f"{stem}/x" in truth:
            return np.array([truth[f"{stem}/{axis}"] for axis in "xyz" if f"{stem}/{axis}" in truth])
        if f"{stem}/xx" in truth:
            xx, yy, zz, xy, xz, yz = (truth[f"{stem}/{axis}"] for axis in _ENTRIES)
            return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return None
