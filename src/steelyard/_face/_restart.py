"""When a stream's filter is lost: whether one that starts from the last rows is consistent, and agrees with before."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.estimators import Estimate, Status, Trust
from steelyard.problems import StreamFilter, stream_reasons
from steelyard.problems._stream_trust import TUNING


class Restart:
    """What was known a while before the doubt, for a fault spoils the estimate before it is noticed; and since when."""

    def __init__(self) -> None:
        self._since = self._tried = float("inf")
        self._believed: list[Estimate] = []

    def is_due(self, time: float, trust: Trust, estimates: Mapping[str, Estimate]) -> bool:
        """Whether a start is to be tried now; the last estimates that nothing speaks against are remembered."""
        if not any(reason.code in ("misfit", "outliers") for reason in trust.reasons):
            self._since = float("inf")
            mass = estimates.get("mass")
            if not trust.reasons and mass is not None and mass.value is not None:
                last = self._believed[-1].time if self._believed else -float("inf")
                if mass.time - last >= 0.5 * TUNING.restart_after:
                    self._believed = [*self._believed[-5:], mass]
            return False
        self._since = min(self._since, time)
        if time - self._since < TUNING.restart_after or 0.0 <= time - self._tried < TUNING.restart_again:
            return False
        self._tried = time
        return bool(self._believed)

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
        since = rows[-1].time - TUNING.restart_judged
        later = [one for one, row in zip(states, rows, strict=True) if row.time > since]
        z = np.stack([filter.innovation(one) for one in later])
        outliers = np.array([bool(filter.flags(one) & int(Status.OUTLIER)) for one in later])
        if len(z) < TUNING.fewest or stream_reasons(z, outliers, {}):
            return None
        fresh = filter.estimates(state, rows[-1].robot, float(rows[-1].time), float(rows[0].time))
        return states if self._agrees(fresh.get("mass")) else None

    def _agrees(self, fresh: Estimate | None) -> bool:
        if fresh is None or fresh.value is None:
            return False
        early = [one for one in self._believed if one.time < self._since - TUNING.restart_after]
        before = [self._believed[0], *early][-1]
        assert before.value is not None
        allowed = TUNING.restart_agrees * float(np.hypot(fresh.std or 0.0, before.std or 0.0))
        return abs(float(fresh.value) - float(before.value)) < max(allowed, TUNING.restart_share * float(before.value))
