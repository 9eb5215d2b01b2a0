"""All checks of a problem, and the log that its method gets."""

import dataclasses
import re
from collections.abc import Mapping

import numpy as np

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.preflight._base import base_findings
from steelyard.problems.preflight._channels import channel_findings
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._flight import flight_findings
from steelyard.problems.preflight._planar import planar_findings
from steelyard.problems.preflight._rows import row_findings
from steelyard.problems.preflight._tuning import OWN, TUNING
from steelyard.problems.preflight._wrist import wrist_findings


@dataclasses.dataclass(frozen=True)
class Preflight:
    """What was found, and the log to go on with."""

    log: Log
    findings: tuple[PreflightFinding, ...]
    """What is still wrong with that log."""
    mended: tuple[str, ...]
    """Sentences on what was mended."""
    rough: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    """By robot, the mass at the end by plain least squares and its standard deviation (kg), where that is to be had."""


_NUMBERS = re.compile(r"(?<![\w/])\d[\d.e-]*")  # not those in names of robots and channels


def preflight(log: Log, problem: str, config: Config, mend: bool = False) -> Preflight:
    """Checks a log for a problem; with `mend`, certain findings are mended one after the other, and checked again."""
    mended: dict[str, str] = {}
    """By the sentence without its numbers: what a second look finds after the first repair is said once."""
    for _ in range(TUNING.most_repairs):
        findings, rough = _findings(log, problem, config)
        ready = [f for f in findings if f.mend is not None and (f.kind == "repaired" or (mend and f.kind == "certain"))]
        if not ready:
            break
        first = [f for f in ready if f.kind == "repaired"] or ready[:1]
        for one in first:
            assert one.mend is not None
            log = one.mend(log)
            mended.setdefault(_NUMBERS.sub("", one.sentence), f"Mended: {one.sentence}")
    else:
        findings, rough = _findings(log, problem, config)
    return Preflight(log, tuple(f for f in findings if f.kind != "repaired"), tuple(mended.values()), rough)


def _findings(log: Log, problem: str, config: Config) -> tuple[list[PreflightFinding], dict[str, tuple[float, float]]]:
    rows = row_findings(log)
    if any(one.code == "time-unit" for one in rows):
        return rows, {}  # nothing can be compared before that is mended
    read = log
    if problem == "multirotor" and not any("/attitude/" in name for name in log.columns):  # the method `vehicle`
        unread = ("position", "linear_velocity", "thrust")
        columns = {name: one for name, one in log.columns.items() if name.split("/")[1] not in unread}
        read = dataclasses.replace(log, columns=columns)
    if problem == OWN:  # a held input is none of our business, and a sample left out may be one its reader cannot miss
        signals = tuple(dict.fromkeys(signal for robot in log.robots for signal in log.signals(robot)))
        return [*rows, *(dataclasses.replace(one, kind="hint") for one in channel_findings(log, signals))], {}
    found = [*rows, *channel_findings(read)]
    if problem == "spatial-load":  # its method leaves such samples out by itself, and reports them as events
        found = [dataclasses.replace(one, kind="hint") if one.code in ("stuck", "limit") else one for one in found]
    rough: dict[str, tuple[float, float]] = {}
    if problem == "multirotor":
        for robot in config.team.robots or log.robots:
            fresh, mass = flight_findings(log, robot, config.guess.mass)
            found += fresh
            if mass is not None and config.multirotor.throttle_map is None:
                rough[robot] = mass
    if problem == "jets":
        for robot in config.team.robots or log.robots:
            found += base_findings(log, robot)
    if problem == "planar-load":
        found += planar_findings(log, config.team.robots or log.robots, config.load.friction)
    if problem in ("rigid-body", "spatial-load"):
        gravity = float(np.linalg.norm(config.gravity))
        robots = config.team.robots or log.robots
        groups = [(robot,) for robot in robots] if problem == "rigid-body" else [robots]
        for group in groups:
            found += wrist_findings(log, group, gravity)
    return found, rough
