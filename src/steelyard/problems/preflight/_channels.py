"""Single channels: values that are stuck, held or at a limit, and outliers."""

from collections.abc import Sequence

import numpy as np

from steelyard.logs import Log
from steelyard.problems.preflight._finding import PreflightFinding, changed
from steelyard.problems.preflight._tuning import TUNING

MEASURED = (
    "attitude",
    "position",
    "linear_velocity",
    "velocity",
    "rates",
    "twist/angular",
    "twist/linear",
    "specific_force",
    "wrench/torque",
    "wrench/force",
    "base/attitude",
    "base/rates",
    "base/linear_velocity",
    "foot_left/wrench",
    "foot_right/wrench",
    "rpm",
)
"""Signals of sensors; commands may be held."""
_INPUTS = ("force", "thrust")
_OF_ROTORS = ("rpm", "thrust")
_BETWEEN = ("wrench/torque", "wrench/force", "force", "thrust", "rates", "foot_left/wrench", "foot_right/wrench")
"""What acts on a body: single wild samples are replaced by the line between their neighbours, not left out."""


def channel_findings(log: Log, signals: Sequence[str] = (*MEASURED, *_INPUTS)) -> list[PreflightFinding]:
    """Of every robot, signal by signal."""
    found = []
    for robot in log.robots:
        for signal in signals:
            names = [name for name in log.columns if f"{name}/".startswith(f"{robot}/{signal}/")]
            if names and len(log) >= 50:
                values = np.stack([log.columns[name] for name in names], axis=1)
                single = _of(log, robot, signal, names, values)
                found += single or (_coarse(robot, values) if signal == "linear_velocity" else [])
        found += _dead_velocity(log, robot)
    return found


def _coarse(robot: str, values: np.ndarray) -> list[PreflightFinding]:
    """A velocity in steps that its noise does not blur: it stands still and jumps, and is wrong in between."""
    present = values[np.isfinite(values).all(axis=1)]
    if len(present) < 50:
        return []
    size, step = present.std(axis=0), resolution(present)
    same = np.mean(present[1:] == present[:-1], axis=0)
    moves = size > 0.0
    coarse = moves & (same > TUNING.coarse_repeats) & (step > TUNING.coarse_share * size)
    if coarse.sum() < min(2, moves.sum()) or not coarse.any():
        return []
    sentence = (
        f"{robot}/linear_velocity comes in steps of {step[coarse].max():.2g} m/s and repeats itself in "
        f"{100 * same[coarse].min():.0f} % of its rows: it was rounded more coarsely than its noise."
    )
    remedy = "Record it with more digits, or leave it out where a position was recorded."
    return [PreflightFinding("coarse", sentence, remedy, robot)]


def _dead_velocity(log: Log, robot: str) -> list[PreflightFinding]:
    """Axes of a velocity that stand at one value while the position moves along them."""
    found = []
    for axis in "xyz":
        velocity, position = (log.columns.get(f"{robot}/{name}/{axis}") for name in ("linear_velocity", "position"))
        if velocity is None or position is None:
            continue
        v, p = velocity[np.isfinite(velocity)], position[np.isfinite(position)]
        if len(v) >= 50 and np.ptp(v) == 0.0 and len(p) >= 50 and np.ptp(p) > TUNING.moved_distance:
            sentence = (
                f"{robot}/linear_velocity/{axis} is {v[0]:.3g} throughout, while the position moves by "
                f"{np.ptp(p):.2g} m along {axis}: it was not recorded."
            )
            remedy = "Leave the velocity out, so that the position tells it."
            found.append(PreflightFinding("stuck", sentence, remedy, robot))
    return found


def _of(log: Log, robot: str, signal: str, names: list[str], values: np.ndarray) -> list[PreflightFinding]:
    who, found = f"{robot}/{signal}", []
    present = np.isfinite(values).all(axis=1)
    if present.sum() < 50:
        return []
    blank = blanks(values, command=signal in _INPUTS)
    if blank.any():
        found.append(
            PreflightFinding(
                "zeros",
                f"{100 * blank.mean():.2g} % of the samples of {who} are exactly zero in all axes, far from those "
                "around them: zeros were written where a sample was missing.",
                "Leave them out (identify --mend does), or leave the cells empty when recording.",
                robot,
                lambda log: _without(log, names, blank, signal in _BETWEEN),
                "certain" if blank.mean() > TUNING.most_left_out else "repaired",
            )
        )
        return found
    same = np.concatenate([[False], np.all(values[1:] == values[:-1], axis=1)])
    rest = np.all(values == 0.0, axis=1) & (signal in _OF_ROTORS)  # on the ground
    same &= ~rest
    same = _moving(np.asarray(log.time), values, same)
    step = float(np.median(np.diff(log.time)))
    if not np.any(values[present] != values[present][0]):
        return []  # constant throughout: at rest, or not connected; the motion tells
    if signal not in _INPUTS and same.mean() > TUNING.held_share:
        rate = (1.0 - same.mean()) / step
        found.append(
            PreflightFinding(
                "held",
                f"{100 * same.mean():.0f} % of the samples of {who} repeat the one before: it comes at about "
                f"{rate:.3g} Hz and is held in between.",
                "Leave the repeated ones out (identify --mend does), so that they do not count several times.",
                robot,
                lambda log: changed(log, {name: np.where(same, np.nan, log.columns[name]) for name in names}),
                "certain" if signal in _BETWEEN else "repaired",
            )
        )
    elif spans := _stuck(np.asarray(log.time), same, signal):
        begin, end = max(spans, key=lambda span: span[1] - span[0])
        inside = np.any([(log.time > a) & (log.time <= b) for a, b in spans], axis=0) & same
        found.append(
            PreflightFinding(
                "stuck",
                f"{who} is stuck at one value from {begin:.2f} to {end:.2f} s"
                f"{f', and {len(spans) - 1} more times' if len(spans) > 1 else ''}.",
                "Leave those samples out (identify --mend does), and look at the sensor's connection.",
                robot,
                lambda log: changed(log, {name: np.where(inside, np.nan, log.columns[name]) for name in names}),
                "certain" if signal in _BETWEEN or inside.mean() > TUNING.most_left_out else "repaired",
            )
        )
    limit = limited(values) & ~rest
    if limit.any() and not found:
        size = float(np.max(np.abs(values[limit])))
        found.append(
            PreflightFinding(
                "limit",
                f"{who} is at a limit of about {size:.3g} in {100 * limit.mean():.2g} % of its samples: what is beyond "
                "was not recorded.",
                "Use a sensor with a wider range, or move more gently.",
                robot,
                lambda log: changed(log, {name: np.where(limit, np.nan, log.columns[name]) for name in names}),
                "hint"
                if signal == "thrust"  # a command may be at its limit
                else "certain"
                if signal in _BETWEEN or limit.mean() > TUNING.most_left_out
                else "repaired",
            )
        )
    wild = outliers(np.asarray(log.time), values) if not found else np.zeros(1)
    if wild.mean() > TUNING.outlier_share:
        found.append(
            PreflightFinding(
                "outliers",
                f"{100 * wild.mean():.2g} % of the samples of {who} are outliers, far from both neighbours.",
                "Leave them out (identify --mend does), and look for a loose contact or interference.",
                robot,
                lambda log: _without(log, names, wild, signal in _BETWEEN),
                "repaired" if wild.mean() < TUNING.outliers_repaired else "certain",
            )
        )
    return found


def _stuck(time: np.ndarray, same: np.ndarray, signal: str) -> list[tuple[float, float]]:
    """Spans in which a signal is stuck; a command may be held, so it must be long, and never held otherwise."""
    spans = stuck_spans(time, same)
    if signal != "thrust" or not spans:
        return spans
    spans = [(a, b) for a, b in spans if b - a > TUNING.stuck_input_seconds]
    outside = np.all([(time < a) | (time > b) for a, b in spans], axis=0) if spans else np.zeros(1, bool)
    return spans if outside.any() and same[outside].mean() < TUNING.lost_share else []


def _moving(time: np.ndarray, values: np.ndarray, same: np.ndarray) -> np.ndarray:
    """`same` less the long runs in which a sensor rests: it comes and goes by two of its smallest steps at the most."""
    heard = np.flatnonzero(np.isfinite(values).all(axis=1))
    quantum, same, v, t = resolution(values), same.copy(), values[heard], time[heard]
    for a, b in runs(same[heard]):
        sides = [v[k] - v[k - 1] for k in (a - 1, b) if 0 < k < len(v)]
        small = [bool(np.all(np.abs(side) <= 2.5 * quantum)) for side in sides]
        if t[b - 1] - t[a - 1] > TUNING.stuck_seconds and small and all(small):
            same[heard[a:b]] = False
    return same


def resolution(values: np.ndarray) -> np.ndarray:
    """Smallest change of each column from row to row: of a coarse sensor one unit of its last digit; 0 without any."""
    change = np.abs(np.diff(values, axis=0))
    least = np.min(change, axis=0, where=change > 0.0, initial=np.inf)
    return np.where(np.isfinite(least), least, 0.0)


def stuck_spans(time: np.ndarray, same: np.ndarray) -> list[tuple[float, float]]:
    """Begin and end (s) of long runs of repeated samples; `same` says of each row whether it repeats the one before."""
    spans = [(float(time[max(a - 1, 0)]), float(time[b - 1])) for a, b in runs(same)]
    return [(a, b) for a, b in spans if b - a > TUNING.stuck_seconds]


def blanks(values: np.ndarray, command: bool = False) -> np.ndarray:
    """(n,): short runs of rows that are exactly zero in all of several axes, between two like readings far from zero.

    A sensor at rest is near zero. A `command` whose values mostly repeat may be switched off and on.
    """
    blank = np.zeros(len(values), bool)
    zero = np.all(values == 0.0, axis=1)
    rest = values[np.isfinite(values).all(axis=1) & ~zero]
    if values.shape[1] < 2 or not zero.any() or len(rest) < 50:
        return blank
    usual = float(np.median(np.linalg.norm(np.diff(rest, axis=0), axis=1)))
    if command and usual == 0.0:
        return blank
    for begin, end in runs(zero):
        if begin > 0 and end < len(values) and end - begin <= TUNING.blank_rows:
            before, after = values[begin - 1], values[end]
            near = min(float(np.linalg.norm(before)), float(np.linalg.norm(after)))
            jump = float(np.linalg.norm(after - before))
            blank[begin:end] = near > max(TUNING.blank_jump * usual, 2.0 * jump)  # false where one side is missing
    return blank


def runs(rows: np.ndarray) -> list[tuple[int, int]]:
    """First row, and the one after the last, of each run of rows that hold."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rows, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def limited(values: np.ndarray) -> np.ndarray:
    """(n,): rows in which an axis stands at an extreme that it reaches again and again."""
    rows = np.zeros(len(values), bool)
    for column in values.T:
        present = column[np.isfinite(column)]
        if present.size < 50 or len(np.unique(present)) < 0.3 * present.size:
            continue
        for extreme in (present.max(), present.min()):
            at = column == extreme
            if max(TUNING.limit_rows, TUNING.limit_share * present.size) <= at.sum() < 0.9 * present.size:
                rows |= at
    return rows


def outliers(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(n,): rows with a sample that is far from the straight line through its neighbours, they being near each other.

    Compared with the median of such distances, which outliers of a few percent do not move. Where most of them are
    none, because a command stands still or readings are rounded coarsely, it must also be some usual steps away.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = ((time[1:-1] - time[:-2]) / (time[2:] - time[:-2]))[:, None]
        off = np.abs(values[1:-1] - (values[:-2] + share * (values[2:] - values[:-2])))
        if not np.isfinite(off).any(axis=0).all():  # no sample has both neighbours
            return np.zeros(len(values), bool)
        size = np.abs(values)
        rounding = 1e-12 * (1.0 + np.maximum(size[1:-1], np.maximum(size[:-2], size[2:])))
        # A sample exactly on a sloped line was filled in, where a sensor is slower than the rows: it says nothing of
        # noise. One that repeats the sample before does: a command stands still.
        filled = (off <= 1e3 * rounding) & (values[1:-1] != values[:-2])
        read = [column[~some] for column, some in zip(off.T, filled.T, strict=True)]
        read = [column[np.isfinite(column)] for column in read]
        typical = np.array([np.median(column) if len(column) else 0.0 for column in read])
        still = typical == 0.0
        typical += 1e-12 * (1.0 + np.nanmedian(size, axis=0))
        far = np.nan_to_num(off / (1.4826 * typical), nan=0.0) > TUNING.outlier_factor
        far &= off > 2.5 * resolution(values)  # a coarse sensor that rests goes one unit up and back
        far &= np.abs(values[2:] - values[:-2]) < 0.5 * off  # a step is none: both neighbours are on one side
        # The neighbours of an outlier are far off, too; the outlier itself is the farthest of the three.
        padded = np.pad(np.nan_to_num(off), ((1, 1), (0, 0)))
        far &= (off >= padded[:-2]) & (off >= padded[2:])
        for k in np.flatnonzero(still & far.any(axis=0)):
            far[:, k] &= off[:, k] > TUNING.outlier_steps * _usual_step(values[:, k], far[:, k])
    return np.concatenate([[False], far.any(axis=1), [False]])


def _usual_step(column: np.ndarray, far: np.ndarray) -> float:
    """The median step between unlike samples, none of which is `far` (n - 2,); 0 where there is none."""
    wild = np.concatenate([[False], far, [False]])
    steps = np.abs(np.diff(column))[~(wild[1:] | wild[:-1])]
    steps = steps[steps > 0.0]
    return float(np.median(steps)) if len(steps) else 0.0


def _without(log: Log, names: list[str], wild: np.ndarray, between: bool) -> Log:
    columns = {}
    for name in names:
        column = log.columns[name]
        good = ~wild & np.isfinite(column)
        columns[name] = np.where(wild, np.interp(log.time, log.time[good], column[good]) if between else np.nan, column)
    return changed(log, columns)
