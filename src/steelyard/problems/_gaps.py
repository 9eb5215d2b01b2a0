"""Channels that fall silent, and come back."""

import numpy as np

from steelyard.problems._identification import Event
from steelyard.problems._tuning import TUNING


def silences(time: np.ndarray, values: np.ndarray, robot: str, signal: str) -> list[Event]:
    """A `fault` where a channel (n, k) is silent for `TUNING.silent_for` or longer, a `recovered` where it returns."""
    silent = np.isnan(values.reshape(len(time), -1)).any(axis=1)
    if silent.all() or not silent.any():
        return []
    edges = np.diff(np.concatenate([[False], silent, [False]]).astype(int))
    events = []
    for begin, end in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        until = time[min(end, len(time) - 1)]
        if until - time[begin] < TUNING.silent_for:
            continue
        length = f"for {until - time[begin]:.2f} s" if end < len(time) else "to the end"
        events.append(Event(float(time[begin]), "fault", robot, signal, f"{signal} fell silent {length}."))
        if end < len(time):
            events.append(Event(float(until), "recovered", robot, signal, f"{signal} is back."))
    return events
