"""Takes rows into a filter pass, block by block, and relinearises it; agents of a process share results by a cache."""

import dataclasses
from typing import NamedTuple

import numpy as np

from steelyard._rotations import exp_so3, skew
from steelyard.team._cache import Cache
from steelyard.team.spatial_load._compiled_filter import compiled_filter
from steelyard.team.spatial_load._excitation import Excitation
from steelyard.team.spatial_load._filter_pass import FilterPass, Segment, digest
from steelyard.team.spatial_load._filter_state import FilterResult, FilterState
from steelyard.team.spatial_load._linearisation_point import LOAD, LinearisationPoint
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state, predict_motion
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._motion_path import MotionPath
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._tuning import TUNING


class Advanced(NamedTuple):
    """A filter pass some rows later."""

    filter_pass: FilterPass | None
    """None where its point is so wrong that a covariance is singular or numbers overflow."""
    path: MotionPath
    """The motion that the pass predicted on its way; where none was known, rows are linearised along it next time."""
    correction: np.ndarray | None = None
    """From the pass's estimate to that of another pass over the same rows; None where there was no other."""


def advance(
    filter_pass: FilterPass, path: MotionPath, history: SampleHistory, end: int, memory: int, cache: Cache
) -> Advanced:
    """Filters the rows before `end`, linearised along `path`; segments are kept for `memory` rows."""
    while filter_pass.row < end:
        until = min(filter_pass.row + TUNING.block_rows, end)
        low = filter_pass.row if filter_pass.motion is None else filter_pass.row - 1
        along = path.between(low, until)
        key = digest(filter_pass.key, history.digest(until), along.tobytes(), f"{until} {memory}".encode())
        given = filter_pass, history, low, until, along, memory, key
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                found = cache.find(
                    "spatial filter block", key, lambda given=given: _block(*given), TUNING.cached_blocks
                )
        except np.linalg.LinAlgError:
            return Advanced(None, path)
        path = path.replaced(filter_pass.row, found.predicted)
        filter_pass = found.filter_pass
    with np.errstate(over="ignore", invalid="ignore"):
        sane = np.isfinite(filter_pass.cost) and bool(np.all(np.abs(filter_pass.information) < TUNING.overflow))
    return Advanced(filter_pass if sane else None, path)


def relinearised(
    filter_pass: FilterPass,
    path: MotionPath,
    history: SampleHistory,
    end: int,
    memory: int,
    cache: Cache,
    most: int,
    excitation: Excitation | None,
) -> Advanced:
    """Relinearises until that moves the point by less than its own uncertainty; never to a worse one.

    `excitation` is that of the same load before a gap.
    """
    given = history, end, memory, cache
    best, path, correction = _fitted(filter_pass, path, *given)
    damping = 0.0
    for _ in range(most):
        if best is None:
            break
        if best.newton_decrement < TUNING.enough_decrement:
            correction = best.step
            break
        fresh = FilterPass.at(best.damped_estimate(damping, history.compiled), best.prior, best.start, excitation)
        trial, path, _ = _fitted(fresh, path, *given)
        correction = difference(best, trial)
        if trial is not None and trial.cost < best.cost:
            best, damping = trial, 0.1 * damping
        else:
            damping = max(10.0 * damping, 0.1)
    return Advanced(best, path, correction)


def difference(found: FilterPass, other: FilterPass | None) -> np.ndarray | None:
    """Between the estimates of two passes over the same rows; None where one diverged."""
    return None if other is None else found.estimate.local(other.estimate)


def _fitted(
    filter_pass: FilterPass, path: MotionPath, history: SampleHistory, end: int, memory: int, cache: Cache
) -> Advanced:
    """The pass up to a row; where it does not fit, once more along the motion that it has predicted itself."""
    once = advance(filter_pass, path, history, end, memory, cache)
    if once.filter_pass is None or once.filter_pass.fits:
        return once
    return advance(filter_pass, once.path, history, end, memory, cache)


class _Block(NamedTuple):
    filter_pass: FilterPass
    predicted: np.ndarray
    """(time, 9): the motion, each row as the rows before it predict."""


def _block(
    filter_pass: FilterPass,
    history: SampleHistory,
    low: int,
    until: int,
    along: np.ndarray,
    memory: int,
    key: bytes,
) -> _Block:
    noise = np.repeat(history.noise[3:], 3)
    point, first = filter_pass.point, filter_pass.motion is None
    rows = history.rows(low, until)
    motion = initial_filter_state(point, rows, noise) if filter_pass.motion is None else filter_pass.motion
    compiled = compiled_filter(history.robots) if history.compiled else None
    run = filter_rows if compiled is None else compiled.filter_rows
    poor = _poorly_predicted(rows)
    # The compiled filter may linearise new rows where it predicts them: that saves time, but needs a good point.
    new = not np.isfinite(along).all() and (compiled is None or first or poor.any() or not filter_pass.converged)
    rough = _rough_path(point, rows, motion, first) if new or poor.any() else along
    if new:
        if compiled is None:
            predicted = predict_motion(point, motion, rough, rows, noise, first)
        else:
            predicted = compiled.filter_rows(point, motion, rough, rows, noise, first)[1].predicted
        along = predicted if first else np.concatenate([rough[:1], predicted])
        along[poor, :6] = rough[poor, :6]
    motion, result = run(point, motion, along, rows, noise, first)
    advanced = _added(filter_pass, motion, result, until, memory, history.rate)
    taken = slice(len(rows.dt) - len(result.predicted), None)
    predicted = np.where(poor[taken, None] & (np.arange(9) < 6), rough[taken], result.predicted)
    return _Block(dataclasses.replace(advanced, key=key), predicted)


def _poorly_predicted(rows: MeasuredRows) -> np.ndarray:
    """(time,): which rows are better linearised at their own twists: the wrench before them is not known."""
    unknown = rows.noise_inflation > 1.0
    poor = unknown.copy()
    poor[1:] |= unknown[:-1]
    return poor & (rows.weight[:, :, :6] > 0.0).any(axis=(1, 2))


def _added(
    filter_pass: FilterPass, motion: FilterState, result: FilterResult, until: int, memory: int, rate: float
) -> FilterPass:
    """The pass with what the rows of a block add to it."""
    group, segments = max(round(TUNING.segment * rate), 1), list(filter_pass.segments)
    if segments and until - filter_pass.row > memory:
        segments.clear()
    for k in range(0, until - filter_pass.row, group):
        part = slice(k, k + group)
        load_score, load_information = result.score[part, LOAD].sum(axis=0), result.load_information[part].sum(axis=0)
        before = dataclasses.replace(filter_pass, segments=()) if k == 0 else None
        excess = float(np.sum(result.nis[part] - result.count[part]))
        segments.append(Segment(filter_pass.row + k, load_score, load_information, excess, before))
    share = 1.0 - np.exp(-len(result.count) / (TUNING.channel_memory * rate))
    latest = np.mean(result.residual**2, axis=0)
    return dataclasses.replace(
        filter_pass,
        row=until,
        motion=motion,
        information=filter_pass.information + result.information,
        score=filter_pass.score + result.score.sum(axis=0),
        spurious=filter_pass.spurious + result.spurious,
        nis=filter_pass.nis + float(result.nis.sum()),
        count=filter_pass.count + int(result.count.sum()),
        excitation=filter_pass.excitation + result.excitation,
        by_channel=(1.0 - share) * filter_pass.by_channel + share * latest,
        segments=tuple(segment for segment in segments if segment.row >= until - memory),
    )


def _rough_path(point: LinearisationPoint, rows: MeasuredRows, motion: FilterState, first: bool) -> np.ndarray:
    """(time, 9): every row's twist by least squares of its own readings; gravity turns with it."""
    R_t = np.swapaxes(point.R, 1, 2)
    H = np.zeros((point.robots, 6, 6))
    H[:, :3, :3] = H[:, 3:, 3:] = R_t
    H[:, 3:, :3] = -R_t @ skew(point.t)
    w = rows.weight[:, :, :6]
    scale = float(w.max()) if w.size else 1.0
    mean = motion.mean if first else motion.mean + motion.columns[:9, 0]
    slack = 1e-3 * max(scale, 1e-300) * np.eye(6)
    A = np.einsum("jab,tja,jac->tbc", H, w, H) + slack
    b = np.einsum("jab,tja,tja->tb", H, w, rows.reading[:, :, :6]) + slack @ mean[:6]
    path = np.empty((len(w), 9))
    path[:, :6] = np.linalg.solve(A, b[:, :, None])[:, :, 0]
    path[0] = mean
    turns = exp_so3(-0.5 * rows.dt[1:, None] * (path[1:, :3] + path[:-1, :3]))
    for k in range(1, len(path)):
        path[k, 6:] = turns[k - 1] @ path[k - 1, 6:]
    return path
