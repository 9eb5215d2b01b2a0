"""When a multirotor was in the air: on the ground, something else carries part of its weight."""

import numpy as np

from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._samples import samples
from steelyard.logs.mapping._source import SignalMapping

_HEIGHT = 0.25
"""m above the lowest place from which on it flies: beyond ground effect of small machines."""
_SHORTEST = 4.0
"""s of flight, below which nothing is weighed."""
_MARGIN = 0.5
"""s left out after take-off and before landing."""


def airborne(recording, mapping: SignalMapping, robot: str) -> tuple[float, float] | None:
    """The longest span of flight, s, by height; None where the height is not known."""
    signal = f"{robot}/position"
    if signal not in mapping.signals:
        return None
    time, position = samples(recording, mapping, signal)
    if len(time) < 10:
        return None
    height = position[:, 2] - np.percentile(position[:, 2], 0.5)
    up = height > _HEIGHT
    edges = np.flatnonzero(np.diff(np.concatenate([[False], up, [False]]).astype(int)))
    spans = [(float(time[a]), float(time[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    start, end = max(spans, key=lambda span: span[1] - span[0], default=(0.0, 0.0))
    if start <= time[0] and end >= time[-1]:
        return start, end
    return start + _MARGIN * (start > time[0]), end - _MARGIN * (end < time[-1])


def stays_level(recording, mapping: SignalMapping, robot: str) -> bool:
    """Whether the whole recording is at one height while it moves far: a flight that begins and ends in the air."""
    _, position = samples(recording, mapping, f"{robot}/position")
    return bool(
        np.ptp(position[:, :2], axis=0).max() > 4 * np.ptp(position[:, 2]) and np.ptp(position[:, 2]) < _HEIGHT * 2
    )


def report_flight(exam: Examination, robot: str) -> None:
    """Refuses a recording that never flies."""
    if not any(f"{robot}/{name}" in exam.sources for name in ("thrust", "motor")):
        return
    mapping = SignalMapping(exam.sources, exam.times)
    try:
        span = airborne(exam.recording, mapping, robot)
        level = span is not None and stays_level(exam.recording, mapping, robot)
    except Exception:
        return
    if span is None or level:
        return
    length = max(span[1] - span[0], 0.0)
    if length < _SHORTEST:
        _, position = samples(exam.recording, mapping, f"{robot}/position")
        most = float(np.ptp(position[:, 2]))
        sentence = (
            f"flight: {exam.sources[f'{robot}/position'].streams[0]} rises by {most:.2f} m in all and is above "
            f"{_HEIGHT:g} m for {length:.1f} s only, so the ground carries the weight and nothing can be weighed"
        )
        exam.report(f"{robot}/flight", "refused", sentence)
