"""Checks of a stream's answers from its last second: doubt soon after a fault begins, belief once it is gone."""

import dataclasses
from collections.abc import Mapping

import numpy as np

from steelyard.estimators import Reason


@dataclasses.dataclass(frozen=True)
class StreamTrustTuning:
    """Limits of the checks; those of a whole log are `TrustTuning`'s."""

    span: float = 1.0
    """s of which innovations are averaged: a fault is told within two."""
    fewest: int = 20
    """Rows in it, at least."""
    clip: float = 5.0
    """Deviations beyond which an innovation counts as so many: a single outlier is no fault."""
    all_channels: float = 2.0
    """Mean normalised innovation squared over all channels; 1 expected, and 1.6 in the first second after a change."""
    one_channel: float = 4.0
    """The same of the worst channel: a hundred white ones stay below 1.6."""
    outlier_share: float = 0.1
    """Of the rows of a span with an outlier: at a tenth it is the sensor, not chance."""
    stuck: float = 0.3
    """s without any change of a measured signal; slow sensors repeat theirs for less."""
    restart_after: float = 1.0
    """s of innovations that are too large, after which a start anew is tried."""
    restart_span: float = 1.5
    """s of the last rows from which it starts: the first second gives its guess, the rest shows whether it is right."""
    restart_judged: float = 1.2
    """s at their end over which it must be consistent: a fault that ended within the span has spoilt its mass."""
    restart_again: float = 0.25
    """s between two tries."""
    restart_agrees: float = 6.0
    """Deviations within which the mass must be that from before the doubt: a fault that stays is consistent, too."""
    restart_share: float = 0.02
    """The same as a share, at least."""
    again: float = 0.1
    """s between two looks."""


TUNING = StreamTrustTuning()


def stream_reasons(z: np.ndarray, outliers: np.ndarray, stuck: Mapping[str, float]) -> tuple[Reason, ...]:
    """From normalised innovations (row, channel) and outlier flags (row,) of a span; `stuck`: s without change."""
    reasons = [
        Reason("stuck", f"{name} has not changed for {since:.2f} s: look at the sensor's connection.")
        for name, since in stuck.items()
        if since > TUNING.stuck
    ]
    if len(z) < TUNING.fewest:
        return tuple(reasons)
    squares = np.minimum(z**2, TUNING.clip**2)
    heard = np.isfinite(squares)
    counts = heard.sum(axis=0)
    by_channel = np.where(counts >= TUNING.fewest, np.nansum(squares, axis=0) / np.maximum(counts, 1), 0.0)
    overall = float(np.nansum(squares) / max(heard.sum(), 1))
    worst = float(by_channel.max(initial=0.0))
    if overall > TUNING.all_channels or worst > TUNING.one_channel:
        off = float(np.sqrt(max(overall, worst)))
        sentence = f"The last {TUNING.span:g} s of readings are {off:.2g} times as far off as their noise allows."
        reasons.append(Reason("misfit", sentence))
    share = float(np.mean(outliers))
    if share > TUNING.outlier_share:
        reasons.append(Reason("outliers", f"{100 * share:.0f} % of the last readings are outliers."))
    return tuple(reasons)
