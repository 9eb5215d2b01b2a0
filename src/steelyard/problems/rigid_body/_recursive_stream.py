"""A load at a wrist, sample by sample, by the method `recursive`: the numbers of `identify`, four times a second."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from steelyard.config import Config
from steelyard.estimators import Estimate, Reason
from steelyard.problems._identification import Event
from steelyard.problems.rigid_body._quantities import not_yet_known
from steelyard.problems.rigid_body._recursive_answer import (
    SIGNALS,
    RecursiveRun,
    WindowAnswer,
    check_recursive,
    estimator_of,
)
from steelyard.problems.rigid_body._tool import known_tool
from steelyard.problems.rigid_body._tuning import RECURSIVE, TUNING

_ENDS = np.cumsum([0, *SIGNALS.values()])
_PLACES = {signal: slice(int(a), int(b)) for signal, a, b in zip(SIGNALS, _ENDS, _ENDS[1:], strict=False)}
_UNITS = {"twist/angular": "rad/s", "specific_force": "m/s²", "wrench/torque": "N m", "wrench/force": "N"}


@dataclasses.dataclass(frozen=True, eq=False)
class WristRow:
    """One sample."""

    robot: str
    time: float
    values: np.ndarray
    """(12,), NaN where missing; in the order of `SIGNALS`."""


@dataclasses.dataclass(frozen=True, eq=False)
class _State:
    packed: np.ndarray
    answer: WindowAnswer | None
    """Of the last window that ended."""
    ended: bool
    """Whether that was with this row."""


class RecursiveWristStream:
    """See `StreamFilter`. Compiles when it is made, not beside the robot."""

    recovers = True
    silent, confirmed = math.inf, 0.0

    def __init__(self, config: Config):
        check_recursive(config)
        stated = {signal: getattr(config.noise, signal.replace("/", "_")) for signal in SIGNALS}
        levels = {signal: level or TUNING.noise_floor[signal] for signal, level in stated.items()}
        tool = np.zeros(10) if config.wrist.known is None else known_tool(config.wrist.known)
        self._run = RecursiveRun(estimator_of(levels, config.wrist.tared), tool, None not in stated.values())
        self._stated = None not in stated.values()
        self.signals: Mapping[str, tuple[str, ...]] = MappingProxyType(dict.fromkeys(SIGNALS, ("x", "y", "z")))
        notes = [f"What is known changes every {RECURSIVE.hop:g} s, and is from samples up to 0.75 s ago."]
        unstated = [f"{name} {levels[name]:g} {_UNITS[name]}" for name, level in stated.items() if level is None]
        if unstated:
            notes.append(f"Noise by default, because [noise] does not state it: {', '.join(unstated)}.")
        self.notes = tuple(notes)

    def read(self, robot: str, time: float, values: Mapping[str, np.ndarray]) -> WristRow:
        """One row."""
        row = np.full(12, np.nan)
        for signal, place in _PLACES.items():
            if signal in values:
                row[place] = values[signal]
        return WristRow(robot, time, row)

    def merge(self, row: WristRow, other: WristRow) -> WristRow | None:
        """Numbers that were missing and now are there; a first reading stays."""
        lacks = np.isnan(row.values) & np.isfinite(other.values)
        return dataclasses.replace(row, values=np.where(lacks, other.values, row.values)) if lacks.any() else None

    def missing(self, row: WristRow) -> dict[str, bool]:
        """By signal."""
        return {signal: bool(np.isnan(row.values[place]).any()) for signal, place in _PLACES.items()}

    def usable(self, row: WristRow) -> bool:
        """Every row."""
        return True

    def tells(self, row: WristRow) -> tuple[bool, ...]:
        """Its own reasons say what is missing."""
        return ()

    def start(self, rows: Sequence[WristRow]) -> _State | None:
        """At once: nothing has to be guessed."""
        return _State(self._run.start, None, False)

    def step(self, state: _State, before: WristRow, row: WristRow) -> _State:
        """One step of the compiled estimator."""
        packed = self._run.after(state.packed, np.concatenate([[row.time - before.time], row.values]))
        answer = self._run.answer(state.packed, packed)
        return _State(packed, state.answer if answer is None else answer, answer is not None)

    def summary(self, state: _State) -> _State:
        """Without the packed vector."""
        return dataclasses.replace(state, packed=np.zeros(0))

    def measured(self, row: WristRow) -> dict[str, np.ndarray]:
        """All signals."""
        return {signal: row.values[place] for signal, place in _PLACES.items()}

    def innovation(self, state: _State) -> np.ndarray:
        """(6,): root mean square over the modes of the last window, by axis of the wrench."""
        if state.answer is None:
            return np.full(6, np.nan)
        size = np.sqrt(np.mean(state.answer.belief.innovation**2, axis=0))
        misfit = float(state.answer.belief.misfit)
        return size if self._stated or not misfit > 1.0 else size / np.sqrt(misfit)

    def flags(self, state: _State) -> int:
        """None: a reading that is missing leaves the others as they are."""
        return 0

    def estimates(self, state: _State | None, robot: str, time: float, begin: float) -> dict[str, Estimate]:
        """As `identify` at the end of a log that ends here."""
        if state is None or state.answer is None:
            return not_yet_known(robot, time)
        return state.answer.estimates(robot, time, begin)

    def reasons(self, state: _State) -> Sequence[Reason]:
        """Misfit, a contact, a load that cannot be."""
        return () if state.answer is None else state.answer.trust.reasons

    def onset(self, state: _State, time: float) -> float | None:
        """When a contact began that has ended, or a change that is clear by now."""
        if not state.ended or state.answer is None or not state.answer.has_event:
            return None
        return state.answer.onset(time)

    def change(self, robot: str, onset: float, before: _State, time: float, now: _State) -> Event:
        """Its event."""
        assert now.answer is not None
        event = now.answer.event(before.answer, robot, time)
        assert event is not None
        return event
