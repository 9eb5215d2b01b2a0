"""When a multirotor was in the air: on the ground, something else carries part of its weight."""

import numpy as np

from steelyard.errors import BadInput
from steelyard.logs._recording import Recording
from steelyard.logs.mapping._samples import samples
from steelyard.logs.mapping._source import Finding, SignalMapping
from steelyard.logs.mapping._tuning import TUNING


def airborne(recording: Recording, mapping: SignalMapping, robot: str) -> tuple[float, float] | None:
    """The longest span of flight, s; None where nothing shows it.

    The ground is where the machine is while its motors are off. A recording in which they never are is all flight.
    Without a position its way is the integral of the velocity.
    """
    command = next(
        (f"{robot}/{name}" for name in ("motor", "thrust", "rpm") if f"{robot}/{name}" in mapping.signals), None
    )
    signal = next((s for name in _WAYS if (s := f"{robot}/{name}") in mapping.signals), None)
    if command is None or signal is None:
        return None
    time, position = samples(recording, mapping, signal)
    when, values = samples(recording, mapping, command)
    if len(time) < 10 or len(when) < 10:
        return None
    level = np.nanmean(np.abs(values), axis=1)  # speeds may have the sign of the turn
    running = np.interp(time, when, (level > TUNING.off * np.nanmax(level)).astype(float)) > 0.5
    if not signal.endswith("/position"):
        position = _way(time, position, running & (np.interp(time, when, level) > TUNING.idle * np.nanmax(level)))
    usual = float(np.median(level[level > 0.3 * np.nanmax(level)])) if running.any() else 0.0
    running &= (np.interp(time, when, level) > TUNING.idle * usual) | ~_stands(time, position)
    if (~running).sum() < 5:
        return None
    up = running & (position[:, 2] - np.median(position[~running, 2]) > TUNING.flies_above)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], up, [False]]).astype(int)))
    spans = [(float(time[a]), float(time[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    start, end = max(spans, key=lambda span: span[1] - span[0], default=(float(time[0]), float(time[0])))
    return start + TUNING.take_off_margin * (start > time[0]), end - TUNING.take_off_margin * (end < time[-1])


_WAYS = ("position", "linear_velocity")


def _way(time: np.ndarray, velocity: np.ndarray, running: np.ndarray) -> np.ndarray:
    """The integral of a velocity, whose bias is what it reads while the motors are off or idle."""
    bias = np.median(velocity[~running], axis=0) if (~running).sum() > 5 else np.zeros(3)
    steps = 0.5 * (velocity[1:] + velocity[:-1] - 2 * bias) * np.diff(time)[:, None]
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def never_flies(recording: Recording, mapping: SignalMapping) -> list[Finding]:
    """One refusal for each robot with motors that hardly leaves the ground."""
    found = []
    for signal, one in mapping.signals.items():
        try:
            span = airborne(recording, mapping, one.robot) if one.name == "position" else None
        except BadInput:
            continue
        if span is None:
            continue
        length = max(span[1] - span[0], 0.0)
        time, position = samples(recording, mapping, signal)
        level = _level_time(time, position[:, 2], span)
        if length < TUNING.long_flight and level < TUNING.shortest_level:
            most = float(np.ptp(position[:, 2]))
            sentence = (
                f"flight: {one.streams[0]} rises by {most:.2f} m in all and is above {TUNING.flies_above:g} m for "
                f"{length:.1f} s "
                f"only, {level:.1f} s of them level: the ground carries the weight, or take-off and landing are all "
                "there is, and nothing can be weighed"
            )
            found.append(Finding(f"{one.robot}/flight", "refused", sentence))
    return found


def _stands(time: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Where the position changes by less than `TUNING.still` in the second around each sample."""
    ends = [np.stack([np.interp(time + s, time, c) for c in position.T], 1) for s in (-0.5, 0.0, 0.5)]
    return np.maximum(*(np.linalg.norm(one - ends[1], axis=1) for one in (ends[0], ends[2]))) < TUNING.still


def _level_time(time: np.ndarray, height: np.ndarray, span: tuple[float, float]) -> float:
    """s, within a span, of neither climbing nor sinking, over 0.2 s at a time."""
    if not 0.5 < span[1] - span[0] < 1e6:
        return 0.0
    grid = np.arange(span[0], span[1], 0.05)
    climb = np.interp(grid + 0.1, time, height) - np.interp(grid - 0.1, time, height)
    return 0.05 * float(np.sum(np.abs(climb) < 0.2 * TUNING.level_speed))
