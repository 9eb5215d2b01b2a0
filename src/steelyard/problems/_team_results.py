"""What the team problems make of their robots' estimates: series, changes of the load, and the traffic."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems._identification import Event, Series

Estimates = Mapping[str, Estimate]
"""A robot's estimates at one time, by quantity."""


def series_of_estimates(history: Sequence[Estimates]) -> dict[str, Series]:
    """Every quantity over the times at which the robot estimated it; NaN while it was not known."""
    found = {}
    for quantity in dict.fromkeys(name for estimates in history for name in estimates):
        track = [estimates[quantity] for estimates in history if quantity in estimates]
        value = next((one.value for one in track if one.value is not None), np.array(np.nan))
        std = next((one.std for one in track if one.std is not None), np.array(np.nan))
        found[quantity] = Series(
            np.array([one.time for one in track]),
            np.array([np.full(value.shape, np.nan) if one.value is None else one.value for one in track]),
            np.array([np.full(std.shape, np.nan) if one.std is None else one.std for one in track]),
            track[0].unit,
        )
    return found


def change_event(
    robot: str, event: Event, noticed: float, history: Sequence[Estimates], changes: Sequence[float]
) -> Event:
    """The change that a robot noticed (s), its size and message from the robot's own estimates where there are some.

    The size is from the last known value before the change to the last one before the robot's next change, or at the
    end; `changes` are the times (s) of all its changes.
    """
    until = min((time for time in changes if time > event.time + 1e-6), default=float("inf"))
    known = [one[event.quantity] for one in history if one[event.quantity].value is not None]
    before = [float(one.value) for one in known if one.value is not None and one.time <= event.time]
    after = [float(one.value) for one in known if one.value is not None and noticed < one.time < until]
    message, size = event.message, event.size
    if before and after:
        size, unit = after[-1] - before[-1], known[-1].unit
        way = "up" if size > 0 else "down"
        message = f"The load's {event.quantity} jumped {way} by {abs(size):.3g} {unit}, to {after[-1]:.4g} {unit}."
    return Event(event.time, "change", robot, event.quantity, message, size, noticed)


def traffic_notes(bytes_a_second: Mapping[str, float]) -> tuple[str, ...]:
    """A note on the robot that sends most, from what each sends to all of its neighbours; none where nobody sent."""
    name = max(bytes_a_second, key=lambda robot: bytes_a_second[robot], default=None)
    if name is None or bytes_a_second[name] == 0.0:
        return ()
    rate = bytes_a_second[name] / 1e3
    return (f"The robots talk to their neighbours only; the busiest, {name}, sends {rate:.1f} kB a second.",)
