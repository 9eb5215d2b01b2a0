"""When a stream's filter is lost: whether one that starts from the last rows is consistent, and agrees with before."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.estimators import Estimate, Status, Trust
from steelyard.problems import StreamFilter, stream_reasons
from steelyard.problems._stream_trust import TUNING


class Restart:
    """What was known a while before the doubt, for a fault spoils the estimate before it is noticed; and since when.

    A filter whose innovations are small again may have settled on another mass: it counts again if its mass is the one
    from before the doubt, or that of a filter which starts from the last rows.
    """

    def __init__(self) -> None:
        self._since = self._tried = float("inf")
        self._believed: list[Estimate] = []
        self._settled: Estimate | None = None

    @property
    def unconfirmed(self) -> bool:
        """Whether the filter was lost, and nothing has shown since that its mass is right."""
        return self._since < float("inf")

    def is_due(self, time: float, trust: Trust, estimates: Mapping[str, Estimate]) -> bool:
        """Whether a start is to be tried now; the last estimates that nothing speaks against are remembered."""
        lost = any(reason.code in ("misfit", "outliers") for reason in trust.reasons)
        mass = estimates.get("mass")
        self._settled = None if lost or trust.reasons or mass is None or mass.value is None else mass
        if lost:
            self._since = min(self._since, time)
        elif mass is None:
            self._since = float("inf")
        elif self._settled is not None:
            if self.unconfirmed and self._agrees(self._settled):
                self._since = float("inf")
            if not self.unconfirmed:
                self._remember(self._settled)
        if not self.unconfirmed:
            return False
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
        fresh = filter.estimates(state, rows[-1].robot, float(rows[-1].time), float(rows[0].time)).get("mass")
        if fresh is None or fresh.value is None:
            return None
        if self._agrees(fresh):
            self._since = float("inf")
            return states
        if self._settled is not None and _same(fresh, self._settled):  # the load changed while it was lost
            self._since, self._believed = float("inf"), [self._settled]
        return None

    def _remember(self, mass: Estimate) -> None:
        last = self._believed[-1].time if self._believed else -float("inf")
        if mass.time - last >= 0.5 * TUNING.restart_after:
            self._believed = [*self._believed[-5:], mass]

    def _agrees(self, mass: Estimate) -> bool:
        """With what was believed before the doubt; so does everything where nothing was."""
        if not self._believed:
            return True
        early = [one for one in self._believed if one.time < self._since - TUNING.restart_after]
        return _same(mass, [self._believed[0], *early][-1])


def _same(one: Estimate, other: Estimate) -> bool:
    assert one.value is not None
    assert other.value is not None
    allowed = TUNING.restart_agrees * float(np.hypot(one.std or 0.0, other.std or 0.0))
    return abs(float(one.value) - float(other.value)) < max(allowed, TUNING.restart_share * float(other.value))
