"""`identify --as rigid-body`: mass, centre of mass and inertia of a load that one robot alone holds."""

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Knowledge
from steelyard.logs import Log
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Innovations
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems.rigid_body._events import Piece, pieces_of
from steelyard.problems.rigid_body._quantities import UNITS, sensor_errors_of
from steelyard.problems.rigid_body._reading import WristRecord, read_wrist_record
from steelyard.problems.rigid_body._recursive_answer import identify_recursively
from steelyard.problems.rigid_body._series import series_of
from steelyard.problems.rigid_body._tuning import TUNING
from steelyard.problems.rigid_body._verdict import events_of, trust_of, verdict_of

METHODS = ("likelihood", "recursive")
"""The first is the default; the second takes one step a sample, and gyro and accelerometer for calibrated."""
_CAVEAT = "If the logged force is 1 % too high throughout, so is the mass; if the torque is, the centre is 1 % too far."


def identify_rigid_body(
    log: Log, config: Config, method: str = "likelihood", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Weighs the load of each robot that holds one alone; `progress` receives how many rows are done."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}" for rigid-body; {nearest(method, list(METHODS))}')
    robots = robots_of(log, config)
    records = {robot: _record(log, robot, config) for robot in robots}
    if method == "recursive":
        found = identify_recursively(log, config, records, progress)
        silent = [event for record in records.values() for event in _silences(log, record)]
        events = sorted((*found.events, *silent), key=lambda event: event.time)
        return dataclasses.replace(found, events=events, verdict=f"{found.verdict} {_CAVEAT}")
    begin, pieces = time.perf_counter(), {}
    for robot, record in records.items():
        pieces[robot] = pieces_of(record)
        progress(len(log) // len(robots))
    seconds_a_row = (time.perf_counter() - begin) / (len(log) * len(robots))
    trusts = {robot: trust_of(pieces[robot]) for robot in robots}
    events = [event for robot in robots for event in (*events_of(pieces[robot]), *_silences(log, records[robot]))]
    return Identification(
        problem="rigid-body",
        method=method,
        origin=log.origin,
        robots={robot: estimates_of(pieces[robot][-1]) for robot in robots},
        events=sorted(events, key=lambda event: event.time),
        verdict=" ".join([*(verdict_of(pieces[robot][-1], trusts[robot]) for robot in robots), _CAVEAT]),
        notes=[note for record in records.values() for note in record.notes],
        series={robot: series_of(pieces[robot]) for robot in robots},
        innovations={robot: _innovations(pieces[robot]) for robot in robots},
        truth=truth_in(
            log, {"mass": "kg"} | {f"{r}/{q}": UNITS[q] for r in robots for q in ("mass", "com", "inertia")}
        ),
        settings=settings_of(log, config, {robot: record.noise for robot, record in records.items()}),
        trust=trusts,
        seconds_a_row=seconds_a_row,
    )


def _record(log: Log, robot: str, config: Config) -> WristRecord:
    record = read_wrist_record(log.without_truth(), robot, config)
    removed = {signal: float(log.metadata.get(f"delay/{robot}/{signal}", 0.0)) for signal in record.motion}
    return dataclasses.replace(record, removed_delays=removed)


def robots_of(log: Log, config: Config) -> tuple[str, ...]:
    """Those that the configuration names, each with a load of its own; else the only one that has a wrench."""
    if config.team.robots is not None:
        return config.team.robots
    pulling = tuple(robot for robot in log.robots if any(s.startswith("wrench/") for s in log.signals(robot)))
    if len(pulling) > 1:
        raise BadInput(
            f"{log.origin} has {len(pulling)} robots with a wrench ({', '.join(pulling[:8])}), and --as rigid-body "
            "takes one robot's wrench for all that the load feels; name the robots that hold a load of their own in "
            "[team] robots, or weigh the common load as a team."
        )
    return pulling or log.robots or ("r1",)


def estimates_of(piece: Piece) -> dict[str, Estimate]:
    """What is known at the end of a piece."""
    load, record = piece.load, piece.record
    short = record.end - record.start <= TUNING.long_enough
    unknown: Knowledge = "not-yet-known" if short else "not-identifiable"
    found = {}
    for quantity, unit in UNITS.items():
        frame = None if quantity == "mass" else record.robot
        value, std = load.of(quantity)
        found[quantity] = _estimate(value, std, unit, frame, record.end, load.known[quantity], unknown)
    for quantity, (value, std, unit, determined) in sensor_errors_of(piece.fit).items():
        frame = None if quantity.startswith("delay/") else record.robot
        found[quantity] = _estimate(value, std, unit, frame, record.end, determined, unknown)
    return found


def _estimate(value, std, unit, frame, end: float, known: bool, unknown: Knowledge) -> Estimate:
    finite = bool(np.all(np.isfinite(value)) and np.all(np.isfinite(std)))
    known = known and finite
    return Estimate.known(value, std, unit, frame, end) if known else Estimate.unknown(unknown, unit, frame, end)


def _silences(log: Log, record: WristRecord) -> list[Event]:
    events = []
    for signal in ("wrench/torque", "wrench/force", "twist/angular", "twist/linear", "specific_force"):
        if log.has(record.robot, signal, ("x", "y", "z")):
            values = log.require(record.robot, signal, ("x", "y", "z"))
            events += silences(np.asarray(log.time), values, record.robot, signal)
    return events


def _innovations(pieces: list[Piece]) -> Innovations:
    """Of the wrench: measured less expected."""
    std = np.concatenate([np.broadcast_to(p.fit.record.wrench.std, p.fit.residuals["wrench"].shape) for p in pieces])
    value = np.concatenate([-p.fit.residuals["wrench"] for p in pieces]) * std
    time_ = np.concatenate([p.fit.record.wrench.time for p in pieces])
    channels = tuple(f"wrench/{part}/{axis}" for part in ("torque", "force") for axis in "xyz")
    return Innovations(time_, channels, value, std)
