"""Time and rows: the unit of time, rows that are written twice."""

import numpy as np

from steelyard.logs import Log
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._tuning import TUNING


def row_findings(log: Log) -> list[PreflightFinding]:
    """What is wrong with the rows of a log."""
    if len(log) < 20:
        return []
    step = float(np.median(np.diff(log.time)))
    if step > TUNING.slowest_step:
        unit, factor = ("us", 1e-6) if step > 500.0 else ("ms", 1e-3)
        return [
            PreflightFinding(
                "time-unit",
                f"Rows are {step:.3g} s apart, if time is in s: it is probably in {unit}.",
                f'State time = {{source = "time", unit = "{unit}"}} in a mapping (--map).',
                mend=lambda log: _scaled(log, factor),
            )
        ]
    return _doubled(log)


def _scaled(log: Log, factor: float) -> Log:
    return Log(factor * log.time, dict(log.columns), log.origin, log.metadata)


def _doubled(log: Log) -> list[PreflightFinding]:
    """Rows that are the row before once more."""
    columns = [column for name, column in log.columns.items() if not name.startswith("truth/")]
    if not columns:
        return []
    values = np.stack(columns, axis=1)
    again = np.concatenate([[False], np.all((values[1:] == values[:-1]) | np.isnan(values[1:]), axis=1)])
    again &= np.isfinite(values).any(axis=1)  # an empty row repeats nothing
    if again[1:].all() or again.mean() < TUNING.lost_share:
        return []

    def mend(log: Log) -> Log:
        columns = {name: column[~again] for name, column in log.columns.items()}
        return Log(log.time[~again], columns, log.origin, log.metadata)

    share = f"{100 * again.mean():.2g} % of the rows repeat the row before in every column"
    return [
        PreflightFinding(
            "doubled-rows",
            f"{share}: they were written twice, or all signals are held.",
            "Leave them out (identify --mend does).",
            mend=mend,
        )
    ]
