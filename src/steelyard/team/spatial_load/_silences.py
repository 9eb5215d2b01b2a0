"""Who was not heard in rows of samples, for how long, and before which rows a grip opened or closed."""

from typing import TYPE_CHECKING

import numpy as np

from steelyard.team.spatial_load._tuning import TUNING

if TYPE_CHECKING:
    from steelyard.team.spatial_load._sample_history import SampleHistory


def long_gap(raw: np.ndarray, rate: float) -> bool:
    """Whether somebody's wrench was silent for so long that nobody can say what acted."""
    rows = rows_of_gap(rate)
    return len(raw) >= rows and bool(silent(raw[-rows:]).all(axis=0).any())


def runs(found: np.ndarray) -> np.ndarray:
    """(run, 2): first row and the row after the last of each stretch where (time,) is true."""
    return np.flatnonzero(np.diff(found, prepend=False, append=False)).reshape(-1, 2)


def middle_of_gap(history: "SampleHistory", row: int) -> int:
    """The middle of a gap in somebody's wrench that ends at a row or just before it; without one, the row itself.

    What happened to the load at any time of a gap shows at its end.
    """
    unknown = np.asarray(silent(history.raw(history.first, row + 1)).any(axis=1))
    soon = rows_of_gap(history.rate, TUNING.shows_after_gap)
    for begin, end in runs(unknown)[::-1].tolist():
        if end - begin >= rows_of_gap(history.rate) and history.first + end >= row - soon:
            return history.first + (begin + end) // 2
    return row


def grip_moves(wrench: np.ndarray) -> np.ndarray:
    """(time, robot): before which rows a grip opened or closed, by wrenches (time, robot, 6) in standard deviations.

    The wrench is a step there, at some moment between two rows, and a straight line is wrong by half of it.
    """
    with np.errstate(invalid="ignore"):
        idle = np.abs(wrench).max(axis=2) < TUNING.idle_wrench
        jump = np.abs(np.diff(wrench, axis=0)).max(axis=2) > TUNING.grip_jump
    found = np.zeros(idle.shape, bool)
    found[1:] = jump & (idle[1:] != idle[:-1])
    return found


def motion_lost(raw: np.ndarray, rate: float) -> bool:
    """Whether nobody's gyro was heard for so long that the motion is lost."""
    rows = rows_of_gap(rate)
    return len(raw) >= rows and not np.isfinite(raw[-rows:, :, :3]).any()


def silent(raw: np.ndarray) -> np.ndarray:
    """(time, robot): whose wrench was not heard, of rows (time, robot, 15)."""
    return np.asarray(np.isnan(raw[:, :, 9:]).any(axis=2))


def received(raw: np.ndarray, share: float) -> frozenset[int]:
    """Robots, by number, whose motion was received in more than a share of rows (time, robot, 15)."""
    found = np.isfinite(raw[:, :, :9]).any(axis=2).mean(axis=0) if len(raw) else np.zeros(raw.shape[1])
    return frozenset(np.flatnonzero(found > share).tolist())


def rows_of_gap(rate: float, seconds: float = TUNING.longest_gap) -> int:
    """As many as make a gap of so many seconds."""
    return max(round(seconds * rate), 2)
