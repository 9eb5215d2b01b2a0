"""Rows that a regular log lacks: what acted between the rows that are left is not what the last of them says."""

import dataclasses

import jax
import numpy as np

from steelyard.estimators import Sample
from steelyard.logs import Log
from steelyard.problems.own._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class FilledLog:
    """A log with its lost rows put back, on the straight line between their neighbours."""

    log: Log
    lost: np.ndarray
    """(n,): rows that were put back; what they read counts as missing."""
    unknown: np.ndarray
    """(n,): rows so far from others that what acted until then is unknown."""

    @property
    def input_spread(self) -> float:
        """By how much an input's noise counts more where lost rows are on the line between those that are left.

        One recorded value then acts for half of the steps to either side of it: of n steps in all, the noise of their
        sum has the variance of the squares of those shares, not n.
        """
        if not self.lost.any():
            return 1.0
        there = np.flatnonzero(~self.lost)
        steps = np.diff(there)
        steps = steps[np.diff(np.cumsum(self.unknown)[there]) == 0]
        shares = 0.5 * (steps[1:] + steps[:-1])
        return float(np.sqrt(np.sum(shares**2) / np.sum(shares))) if shares.size else 1.0

    def masked(self, samples: Sample) -> Sample:
        """The samples of the log, with what is not known of them missing."""
        return Sample(
            samples.dt,
            jax.tree.map(lambda leaf: _without(leaf, self.unknown), samples.control),
            jax.tree.map(lambda leaf: _without(leaf, self.lost), samples.measurement),
        )


def with_lost_rows(log: Log) -> FilledLog:
    """The log with rows at every step; as it is where its steps are not multiples of one."""
    time = np.asarray(log.time)
    steps = np.diff(time)
    nothing = np.zeros(len(time), bool)
    if len(steps) < 20:
        return FilledLog(log, nothing, nothing)
    step = float(np.quantile(steps, 0.1))
    count = np.rint(steps / step).astype(int)
    far = steps > max(TUNING.gap_seconds, TUNING.gap_steps * step)
    regular = np.mean(np.abs(steps / step - count)[~far] < 0.1) > 0.95 if (~far).any() else False
    if not regular or count.max() < 2:
        late = np.concatenate([[False], far])
        return FilledLog(log, nothing, late)
    begin, number = np.repeat(time[:-1], count), np.repeat(steps / np.maximum(count, 1), count)
    place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    full = np.append(begin + place * number, time[-1])
    lost = np.append(place > 0, False)
    inside = np.append(np.repeat(far, count) & (place > 0), False)
    after = np.concatenate([[False], inside[:-1]])
    columns = {
        name: np.where(lost, _line(full, time, column), _at(column, lost)) for name, column in log.columns.items()
    }
    return FilledLog(Log(full, columns, log.origin, log.metadata), lost, inside | after | np.roll(after, 1))


def _line(full: np.ndarray, time: np.ndarray, column: np.ndarray) -> np.ndarray:
    good = np.isfinite(column)
    return np.interp(full, time[good], column[good]) if good.any() else np.full(len(full), np.nan)


def _at(column: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """The column's own values at the rows that were there."""
    found = np.full(len(lost), np.nan)
    found[~lost] = column
    return found


def _without(leaf, rows: np.ndarray) -> np.ndarray:
    values = np.asarray(leaf, float)
    return np.where(rows.reshape(-1, *[1] * (values.ndim - 1)), np.nan, values) if rows.any() else values
