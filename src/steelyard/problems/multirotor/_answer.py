"""The mass of a multirotor, at every moment of its flight."""

import dataclasses
import time
from collections.abc import Callable

import jax
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Trust
from steelyard.logs import Log
from steelyard.problems._identification import Identification, Innovations, Series
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems.multirotor._causal import causal
from steelyard.problems.multirotor._events import events_of, silent_channels
from steelyard.problems.multirotor._method import METHODS, Track, noise_levels_of
from steelyard.problems.multirotor._noise import NoiseLevels
from steelyard.problems.multirotor._quantities import UNITS, estimates_of, quantities_of
from steelyard.problems.multirotor._reading import FlightRecord, read_flight_record, unheard_reasons
from steelyard.problems.multirotor._smoothed import Smoothed, flows, smoothed
from steelyard.problems.multirotor._smoothed_answer import (
    hover_throttle,
    smoothed_estimates,
    smoothed_events,
    smoothed_innovations,
    smoothed_reasons,
    smoothed_replay,
    smoothed_series,
    smoothed_verdict,
)
from steelyard.problems.multirotor._tuning import TUNING
from steelyard.problems.multirotor._vehicle import VEHICLE, identify_vehicle, is_for_vehicle
from steelyard.problems.multirotor._verdict import SCALE_CAVEAT, verdict_of

DEFAULT = "smoothed"
"""The method for a log; a stream's is `adaptive`."""
CAUSAL = "causal"
"""The same with the series that a robot would have known then."""
_CAUSAL_NOTE = "Each row's mass is from the rows before it; the sizes of what is random are those of the whole flight."


@dataclasses.dataclass(frozen=True)
class _Result:
    """One robot's run."""

    record: FlightRecord
    levels: NoiseLevels
    channels: tuple[str, ...]
    track: Track
    notes: tuple[str, ...]
    seconds_a_row: float


def identify_multirotor(
    log: Log, config: Config, method: str | None = None, progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Identifies every multirotor of a log; `progress` is called with the number of rows that are done.

    Without a method: `vehicle` where the log has commands and no attitude; `smoothed`, which reads a flight as a whole;
    `adaptive` for a short flight in which mass flows, because the end of a ramp and a model error look alike there.
    """
    robots = robots_of(log, config)
    if method is None and is_for_vehicle(log, robots):
        method = VEHICLE
    if method == VEHICLE:
        return identify_vehicle(log, config, robots)
    if method in (None, DEFAULT, CAUSAL):
        begin = time.perf_counter()
        records = [read_flight_record(log.without_truth(), robot, config) for robot in robots]
        found = [smoothed(record, config, progress) for record in records]
        long_enough = log.time[-1] - log.time[0] >= TUNING.shortest_ramp
        if method is not None or long_enough or not any(flows(one) for one in found):
            if method == CAUSAL:
                found = [causal(record, one) for record, one in zip(records, found, strict=True)]
            both = list(zip(records, found, strict=True))
            return _whole(log, config, both, method or DEFAULT, time.perf_counter() - begin)
        method = "adaptive"
    if method not in METHODS:
        known = [DEFAULT, CAUSAL, VEHICLE, *METHODS]
        raise BadInput(f'Unknown method "{method}" for multirotor; {nearest(method, known)}')
    results = {robot: _run(log.without_truth(), robot, config, method, progress) for robot in robots_of(log, config)}
    return Identification(
        problem="multirotor",
        method=method,
        origin=log.origin,
        robots={robot: _estimates(one) for robot, one in results.items()},
        events=sorted(
            (event for one in results.values() for event in events_of(one.record, one.track)),
            key=lambda event: event.time,
        ),
        verdict=" ".join([*(verdict_of(one.record, one.track) for one in results.values()), SCALE_CAVEAT]),
        notes=[note for one in results.values() for note in one.notes],
        series={robot: _series(one) for robot, one in results.items()},
        innovations={robot: _innovations(one) for robot, one in results.items()},
        truth=truth_in(log, {"mass": "kg"}),
        settings=settings_of(log, config, {robot: dataclasses.asdict(one.levels) for robot, one in results.items()}),
        trust={robot: Trust((*one.record.reasons, *unheard_reasons(one.record))) for robot, one in results.items()},
        seconds_a_row=max(one.seconds_a_row for one in results.values()),
    )


def _whole(
    log: Log, config: Config, both: list[tuple[FlightRecord, Smoothed]], method: str, seconds: float
) -> Identification:
    """Every multirotor of a log by the method that reads its flight as a whole."""
    return Identification(
        problem="multirotor",
        method=method,
        origin=log.origin,
        robots={
            record.robot: smoothed_estimates(record, one) | hover_throttle(log, record, one) for record, one in both
        },
        events=sorted(
            (event for record, one in both for event in [*smoothed_events(record, one), *silent_channels(record)]),
            key=lambda event: event.time,
        ),
        verdict=" ".join([*(smoothed_verdict(record, one, config) for record, one in both), SCALE_CAVEAT]),
        notes=[note for record, _ in both for note in record.notes] + ([_CAUSAL_NOTE] if method == CAUSAL else []),
        series={record.robot: smoothed_series(record, one) for record, one in both},
        innovations={record.robot: smoothed_innovations(one) for record, one in both},
        truth=truth_in(log, {"mass": "kg"}),
        settings=settings_of(log, config, {record.robot: dataclasses.asdict(one.fit.error) for record, one in both}),
        trust={record.robot: Trust((*record.reasons, *smoothed_reasons(one))) for record, one in both},
        seconds_a_row=seconds / len(log),
        replays={robot: replay for record, one in both for robot, replay in smoothed_replay(record, one).items()},
    )


def robots_of(log: Log, config: Config) -> tuple[str, ...]:
    """The robots named in the configuration; else those with a thrust, throttles or rotor speeds; else all there are.

    The last will not do, and the error of the first one's reading names what it lacks.
    """
    if config.team.robots is not None:
        return config.team.robots
    driven = tuple(robot for robot in log.robots if {"thrust", "throttle", "rpm"} & set(log.signals(robot)))
    return driven or log.robots or ("r1",)


def _run(log: Log, robot: str, config: Config, method: str, progress: Callable[[int], None]) -> _Result:
    """Read, choose the noise levels, replay."""
    record = read_flight_record(log, robot, config)
    levels, notes = noise_levels_of(record, config, method)
    run = METHODS[method](record, levels, config)
    begin = time.perf_counter()
    track = run.track(progress)
    seconds_a_row = (time.perf_counter() - begin) / len(record.time)
    return _Result(record, levels, run.channels, track, (*record.notes, *notes), seconds_a_row)


def _estimates(one: _Result) -> dict[str, Estimate]:
    """What is known at the end of the log."""
    last = jax.tree.map(lambda leaf: leaf[-1], one.track)
    return estimates_of(last, one.record.robot, float(one.record.time[-1]), float(one.record.time[0]))


def _series(one: _Result) -> dict[str, Series]:
    return {name: Series(one.record.time, value, std, UNITS[name]) for name, value, std in quantities_of(one.track)}


def _innovations(one: _Result) -> Innovations:
    innovation = one.track.innovation
    return Innovations(one.record.time, one.channels, innovation.value, np.sqrt(innovation.variance))
