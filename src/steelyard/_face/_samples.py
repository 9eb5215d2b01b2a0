"""From a dictionary of signals to the values of one robot, every mistake named."""

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.errors import BadInput, nearest, shown
from steelyard.problems import LARGEST

_NOT_ROBOTS = ("truth", "load")


@dataclasses.dataclass(frozen=True)
class Reading:
    """A sample that can be used."""

    time: float
    robot: str
    values: dict[str, np.ndarray]
    """By signal."""
    places: dict[str, tuple[str, int | None] | None]


class SampleReader:
    """Reads samples of one robot: `{"time": 0.01, "r1/thrust": 9.8, "r1/attitude": [1, 0, 0, 0], "r1/rates/x": 0.1}`.

    The robot's name may be left out. A channel that is absent, None or NaN is missing. What the problem does not read
    is ignored; a name that is probably a mistake becomes a note.
    """

    def __init__(self, signals: Mapping[str, tuple[str, ...]], robot: str | None):
        self.robot = robot
        self.notes: list[str] = []
        self._signals = signals
        self._places: dict[str, tuple[str, int | None] | None] = {}

    def read(self, sample: Any) -> Reading:
        """The sample; `BadInput` where it cannot be used. Changes nothing."""
        if not isinstance(sample, Mapping):
            raise BadInput(f"A sample is a dictionary of signals, not {type(sample).__name__}; give one with a time.")
        try:
            sample = dict(sample)
        except Exception:
            raise BadInput("The sample is a dictionary that cannot be read; give one of plain values.") from None
        time = _time(sample)
        robot = self.robot or _robot_of(sample, self._signals)
        found: dict[str, np.ndarray] = {}
        places = {name: self._place(name, robot) for name in sample if name != "time"}
        for name, place in places.items():
            if place is None:
                continue
            signal, axis = place
            value = _numbers(name, sample[name], time)
            if axis is None:
                found[signal] = self._whole(name, signal, value, time)
                continue
            if value.shape not in ((), (1,)):
                raise BadInput(f"{name} at {time:g} s has the shape {value.shape}; give one number.")
            size = len(self._signals[signal]) if self._signals[signal] != ("1…",) else self._throttles(places, signal)
            found.setdefault(signal, np.full(size, np.nan))[axis] = value.reshape(())
        return Reading(time, robot, found, places)

    def accept(self, reading: Reading) -> None:
        """Remembers whose samples these are, and how the names are read."""
        self.robot = reading.robot
        for name in reading.places.keys() - self._places.keys():
            self._places[name] = reading.places[name]
            if reading.places[name] is None:
                self._remark(name, reading.robot)

    def _whole(self, name: str, signal: str, value: np.ndarray, time: float) -> np.ndarray:
        axes = self._signals[signal]
        expected = value.size if axes == ("1…",) else len(axes)
        if value.ndim == 0 and (expected == 1 or np.isnan(value)):
            return np.full(expected, value)
        if value.shape != (expected,):
            wanted = "one number" if axes == ("",) else f"{expected} numbers: {', '.join(axes)}"
            raise BadInput(f"{name} at {time:g} s has the shape {value.shape}; give {wanted}.")
        return value

    def _place(self, name: Any, robot: str) -> tuple[str, int | None] | None:
        """The signal, and the number of its axis where it is a single column; None where it is not read."""
        if name in self._places:
            return self._places[name]
        if not isinstance(name, str):
            raise BadInput(f"A sample's keys are names of signals, not {shown(name)}; use names like {robot}/thrust.")
        who, _, rest = name.partition("/")
        if who in _NOT_ROBOTS:
            return None
        if who == robot and rest:
            name = rest
        elif rest and self._match(rest) is not None:
            raise BadInput(
                f'A stream is of one robot, here "{robot}", but a sample has {name}; make one for each robot.'
            )
        return self._match(name)

    def _match(self, name: str) -> tuple[str, int | None] | None:
        if name in self._signals:
            return name, None
        signal, _, axis = name.rpartition("/")
        axes = self._signals.get(signal, ())
        if axes == ("1…",) and re.fullmatch(r"[1-9]\d?", axis, re.ASCII):
            return signal, int(axis) - 1
        return (signal, axes.index(axis)) if axis in axes else None

    @staticmethod
    def _throttles(places: Mapping[str, tuple[str, int | None] | None], signal: str) -> int:
        return 1 + max(place[1] or 0 for place in places.values() if place is not None and place[0] == signal)

    def _remark(self, name: str, robot: str) -> None:
        from steelyard.logs import describe

        who = name.partition("/")[0]
        full = name if who in (robot, *_NOT_ROBOTS) else f"{robot}/{name}"
        if who in _NOT_ROBOTS or describe(full).known:
            return
        self.notes.append(f'"{name}" is not read; {nearest(name.removeprefix(f"{robot}/"), list(self._signals))}')


def _time(sample: Mapping[Any, Any]) -> float:
    if "time" not in sample:
        raise BadInput('The sample has no time; add "time", in seconds.')
    time = sample["time"]
    if isinstance(time, bool | str | bytes):
        raise BadInput(f"The sample's time is {shown(time)}; give a number of seconds.")
    try:
        seconds = float(time)
    except Exception:  # whatever its own conversion raises
        raise BadInput(f"The sample's time is {shown(time)}; give a number of seconds.") from None
    if not math.isfinite(seconds):
        raise BadInput(f"The sample's time is {seconds}; give a finite number of seconds.")
    return seconds


def _robot_of(sample: Mapping[Any, Any], signals: Mapping[str, tuple[str, ...]]) -> str:
    """The robot that the keys name; `r1` where they name none."""
    for name in sample:
        who, _, rest = str(name).partition("/")
        if rest and who not in _NOT_ROBOTS and (rest in signals or rest.rpartition("/")[0] in signals):
            return who
    return "r1"


def _numbers(name: str, value: Any, time: float) -> np.ndarray:
    if value is None:
        return np.array(np.nan)
    try:
        if np.asarray(value).dtype.kind not in "fiuO":  # text, dates and truth values would pass for numbers
            raise TypeError
        array = np.array(value, dtype=float)
    except Exception:  # whatever its own conversion raises
        raise BadInput(f"{name} at {time:g} s is {shown(value)}; give numbers, or None where it is missing.") from None
    if (np.abs(array) > LARGEST).any():
        what = "infinite" if np.isinf(array).any() else "more than any sensor reads"
        raise BadInput(f"{name} at {time:g} s is {what}; give None or NaN where a sample is missing.")
    return array
