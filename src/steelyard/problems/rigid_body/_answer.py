"""`identify --as rigid-body`: mass, centre of mass and inertia of a load that one robot alone holds."""

import time
from collections.abc import Callable

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.logs import Log
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Innovations
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems.rigid_body._changes import Piece, pieces_of
from steelyard.problems.rigid_body._quantities import UNITS, estimates_of, series_of
from steelyard.problems.rigid_body._reading import WristRecord, read_wrist_record
from steelyard.problems.rigid_body._refinement import refined
from steelyard.problems.rigid_body._verdict import events_of, verdict_of

METHODS = ("likelihood",)
_CHANNELS = tuple(
    f"{signal}/{axis}" for signal in ("twist/angular", "twist/linear", "specific_force") for axis in "xyz"
)
_CAVEAT = (
    "The logged wrench is taken for all that the load feels beside gravity: whatever else touches the load, a cable or "
    "a second robot, would be weighed with it; and if its force is 1 % too high throughout, so is the mass."
)


def identify_rigid_body(
    log: Log, config: Config, method: str = "likelihood", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Weighs the load of each robot that holds one alone; `progress` is called with the number of rows done."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}" for rigid-body; {nearest(method, list(METHODS))}')
    robots = _robots(log, config)
    records = {robot: read_wrist_record(log.without_truth(), robot, config) for robot in robots}
    begin = time.perf_counter()
    pieces = {}
    for robot, record in records.items():
        pieces[robot] = [refined(piece) for piece in pieces_of(record, config.guess.mass)]
        progress(len(log) // len(robots))
    seconds_a_row = (time.perf_counter() - begin) / (len(log) * len(robots))
    events = [event for robot in robots for event in (*events_of(pieces[robot]), *_silences(records[robot]))]
    return Identification(
        problem="rigid-body",
        method=method,
        origin=log.origin,
        robots={robot: estimates_of(pieces[robot][-1]) for robot in robots},
        events=sorted(events, key=lambda event: event.time),
        verdict=" ".join([*(verdict_of(pieces[robot][-1]) for robot in robots), _CAVEAT]),
        notes=[note for record in records.values() for note in record.notes],
        series={robot: series_of(pieces[robot]) for robot in robots},
        innovations={robot: _innovations(pieces[robot]) for robot in robots},
        truth=truth_in(
            log, {"mass": "kg"} | {f"{r}/{q}": UNITS[q] for r in robots for q in ("mass", "com", "inertia")}
        ),
        settings=settings_of(log, config, {robot: record.noise for robot, record in records.items()}),
        seconds_a_row=seconds_a_row,
    )


def _robots(log: Log, config: Config) -> tuple[str, ...]:
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


def _silences(record: WristRecord) -> list[Event]:
    channels = {
        "twist/angular": record.reading[:, :3],
        "twist/linear": record.reading[:, 3:6],
        "specific_force": record.reading[:, 6:],
        "wrench/torque": record.wrench[:, :3],
        "wrench/force": record.wrench[:, 3:],
    }
    return [event for name, values in channels.items() for event in silences(record.time, values, record.robot, name)]


def _innovations(pieces: list[Piece]) -> Innovations:
    found = [piece.fit.innovations for piece in pieces]
    scale = np.concatenate([one.scale for one in found])
    value = np.concatenate([np.where(one.present, one.value, np.nan) for one in found])
    return Innovations(np.concatenate([piece.record.time for piece in pieces]), _CHANNELS, value * scale, scale)
