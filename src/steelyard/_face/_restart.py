"""When a stream's filter is lost: whether one that starts from the last rows is consistent, and agrees with before."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.estimators import Estimate, Status, Trust
from steelyard.problems import StreamFilter, stream_reasons
from steelyard.problems._stream_trust import TUNING


class Restart:
    """What was known before the doubt, and since when it lasts."""

    def __init__(self) -> None:
        self._since = self._tried = float("inf")
        self._before: Mapping[str, Estimate] = {}

    def is_due(self, time: float, trust: Trust, estimates: Mapping[str, Estimate]) -> bool:
        """Whether a start is to be tried now; the last estimates that nothing speaks against are remembered."""
        if not any(reason.code in ("misfit", "outliers") for reason in trust.reasons):
            self._since = float("inf")
            if not trust.reasons and any(one.value is not None for one in estimates.values()):
                self._before = estimates
            return False
        self._since = min(self._since, time)
        if time - self._since < TUNING.restart_after or 0.0 <= time - self._tried < TUNING.restart_again:
            return False
        self._tried = time
        return bool(self._before)

    def tried(self, filter: StreamFilter, rows: Sequence[Any]) -> list[Any] | None:
        """The states after each row of a filter that starts with them; None where it is no better, or disagrees."""
        rows = list(rows)
        state = filter.start(rows) if rows and filter.usable(rows[0]) else None
        if state is None:
            return None
        states, last = [], rows[0]
        for row in rows:
            state, last = filter.step(state, last, row), row
            states.append(state)
        later = [
            one for one, row in zip(states, rows, strict=True) if row.time > rows[-1].time - 0.4 * TUNING.restart_span
        ]
        z = np.stack([filter.innovation(one) for one in later])
        outliers = np.array([bool(filter.flags(one) & int(Status.OUTLIER)) for one in later])
        if len(z) < TUNING.fewest or stream_reasons(z, outliers, {}):
            return None
        fresh = filter.estimates(state, rows[-1].robot, float(rows[-1].time), float(rows[0].time))
        return states if self._agrees(fresh.get("mass")) else None

    def _agrees(self, fresh: Estimate | None) -> bool:
        before = self._before.get("mass")
        if fresh is None or before is None or fresh.value is None or before.value is None:
            return False
        allowed = TUNING.restart_agrees * float(np.hypot(fresh.std or 0.0, before.std or 0.0))
        return abs(float(fresh.value) - float(before.value)) < max(allowed, TUNING.restart_share * float(before.value))
