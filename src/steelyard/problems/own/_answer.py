"""`identify --as FILE.py`: the quantities of a robot of one's own from a log."""

import time
from collections.abc import Callable

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Reason, Trust
from steelyard.logs import Log
from steelyard.problems._checked import checked
from steelyard.problems._identification import Identification, Innovations, Series
from steelyard.problems._provenance import truth_in
from steelyard.problems.own._lost_rows import FilledLog, with_lost_rows
from steelyard.problems.own._method import METHODS, Track, run_estimator
from steelyard.problems.own._robot import OwnRobot, check_robot
from steelyard.problems.own._step_length import step_warning
from steelyard.problems.own._tuning import TUNING
from steelyard.problems.own._verdict import jump_events, late_jumps, own_verdict
from steelyard.problems.preflight import OWN


def identify_own(
    log: Log,
    robot: OwnRobot,
    method: str = "adaptive",
    progress: Callable[[int], None] = lambda rows: None,
    mend: bool = False,
) -> Identification:
    """Runs a method over a log; each quantity with its interval, its trust, its jumps and a verdict."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}"; {nearest(method, list(METHODS))}')
    check_robot(robot, log)
    return checked(log, OWN, Config(), mend, lambda log: _answer(log, robot, method, progress))


def _answer(log: Log, robot: OwnRobot, method: str, progress: Callable[[int], None]) -> Identification:
    begin = time.perf_counter()
    rows, filled = len(log), with_lost_rows(log)
    track, prior, reasons, wild = run_estimator(filled, robot, method, progress)
    seconds_a_row = (time.perf_counter() - begin) / rows
    log = filled.log
    warning = step_warning(robot, robot.samples(log.without_truth()))
    known = track.std < TUNING.known_below * prior
    events = jump_events(robot, log, track)
    reasons = (*reasons, *late_jumps(events, float(log.time[-1])), *_out_of_range(robot, track, prior))
    return Identification(
        problem=robot.name,
        method=method,
        origin=log.origin,
        robots={robot.name: _estimates(robot, log, track, known)},
        events=events,
        verdict=own_verdict(robot, track, known, jumped=bool(events)),
        notes=[*_lost_rows(filled), *_wild_inputs(wild), *([] if warning is None else [warning])],
        series={robot.name: _series(robot, log, track, known)},
        innovations={robot.name: _innovations(log, track)},
        truth=truth_in(log, {name: quantity.unit for name, quantity in robot.quantities.items()}),
        trust={robot.name: Trust(reasons)},
        settings={"log": log.origin, "rows": f"{rows}, from {log.time[0]:g} to {log.time[-1]:g} s"},
        seconds_a_row=seconds_a_row,
    )


def _out_of_range(robot: OwnRobot, track: Track, prior: np.ndarray) -> list[Reason]:
    """Quantities that ended where no robot is: a filter that was led astray states small intervals there, too."""
    size = np.abs(track.value[-1]) / prior
    out = (size > TUNING.largest_ratio) | ((size > 0.0) & (size < 1.0 / TUNING.largest_ratio))
    return [
        Reason(
            "prior",
            f"{name} would be {float(track.value[-1, k]):.2g} {quantity.unit}, which is far from any guess: look for a "
            "reading or an input of the wrong sign or unit.",
            "contradicted",
        )
        for k, (name, quantity) in enumerate(robot.quantities.items())
        if out[k]
    ]


def _lost_rows(filled: FilledLog) -> list[str]:
    lost, unknown = int(filled.lost.sum()), bool(filled.unknown.any())
    if not lost and not unknown:
        return []
    gaps = "; through gaps they are unknown" if unknown else ""
    return [f"{lost} rows are missing: inputs are on the line between the rows beside them{gaps}."]


def _wild_inputs(rows: int) -> list[str]:
    return [f"{rows} outlying samples of an input are left out."] if rows else []


def _estimates(robot: OwnRobot, log: Log, track: Track, known: np.ndarray) -> dict[str, Estimate]:
    end = float(log.time[-1])
    return {
        name: Estimate.known(track.value[-1, k], track.std[-1, k], quantity.unit, None, end)
        if known[-1, k]
        else Estimate.unknown("not-identifiable", quantity.unit, None, end)
        for k, (name, quantity) in enumerate(robot.quantities.items())
    }


def _series(robot: OwnRobot, log: Log, track: Track, known: np.ndarray) -> dict[str, Series]:
    return {
        name: Series(
            np.asarray(log.time),
            np.where(known[:, k], track.value[:, k], np.nan),
            np.where(known[:, k], track.std[:, k], np.nan),
            quantity.unit,
        )
        for k, (name, quantity) in enumerate(robot.quantities.items())
    }


def _innovations(log: Log, track: Track) -> Innovations:
    channels = tuple(f"channel {k + 1}" for k in range(track.innovation.value.shape[1]))
    return Innovations(np.asarray(log.time), channels, track.innovation.value, np.sqrt(track.innovation.variance))
