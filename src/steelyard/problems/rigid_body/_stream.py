"""A load at a wrist, sample by sample: what `identify` would say of the samples so far, every second."""

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Trust
from steelyard.logs import Log
from steelyard.problems._identification import Event
from steelyard.problems._streaming import Answered
from steelyard.problems.rigid_body._answer import METHODS, estimates_of
from steelyard.problems.rigid_body._online import Online, first_fit, next_fit
from steelyard.problems.rigid_body._quantities import not_yet_known
from steelyard.problems.rigid_body._reading import WristRecord, read_wrist_record
from steelyard.problems.rigid_body._recursive_stream import RecursiveWristStream
from steelyard.problems.rigid_body._tuning import TUNING
from steelyard.problems.rigid_body._verdict import events_of, no_solution, trust_of

_XYZ = ("x", "y", "z")


def wrist_stream(config: Config, method: str | None) -> "WristStream | RecursiveWristStream":
    """The stream of a method."""
    if method not in (None, *METHODS):
        raise BadInput(f'Unknown method "{method}" for rigid-body; {nearest(method, list(METHODS))}')
    return RecursiveWristStream(config) if method == "recursive" else WristStream(config)


@dataclasses.dataclass(frozen=True)
class _Memory:
    online: Online | None
    """None where the numbers allowed no answer."""
    reported: tuple[tuple[str, float], ...]
    """Kind and end (s) of the events that were reported."""


class WristStream:
    """See `StreamRefit`."""

    every = TUNING.answer_every

    def __init__(self, config: Config):
        self._config = config
        self.signals: Mapping[str, tuple[str, ...]] = MappingProxyType(
            {
                "wrench/torque": _XYZ,
                "wrench/force": _XYZ,
                "twist/angular": _XYZ,
                "twist/linear": _XYZ,
                "specific_force": _XYZ,
                "attitude": ("w", "x", "y", "z"),
            }
        )
        self.notes: tuple[str, ...] = (
            f"Between two answers lies {self.every:g} s; each is from the last {TUNING.window:g} s at most.",
        )

    def check(self, time: float, values: Mapping[str, np.ndarray]) -> None:
        """`BadInput` where a sample cannot be used."""
        attitude = values.get("attitude")
        if attitude is not None and np.isfinite(attitude).all() and abs(float(np.linalg.norm(attitude)) - 1.0) > 0.05:
            raise BadInput(f"attitude at {time:g} s is no unit quaternion (w, x, y, z); normalise it.")

    def unknown(self, robot: str, time: float) -> dict[str, Estimate]:
        """Before the first answer."""
        return not_yet_known(robot, time)

    def answer(self, log: Log, robot: str, before: Answered | None) -> Answered | None:
        """What the rows of `log` tell; None while they are too few."""
        try:
            record = read_wrist_record(log, robot, self._config)
        except BadInput:
            return before
        known: _Memory | None = None if before is None else before.memory
        reported = () if known is None else known.reported
        try:
            earlier = None if known is None else known.online
            online = (
                next_fit(earlier, record) if earlier is not None and _goes_on(earlier, record) else first_fit(record)
            )
            if known is not None and before is not None and online.unsettled:
                return dataclasses.replace(before, events=[], memory=_Memory(online, reported), soon=True)
            trust = trust_of(online.pieces)
            estimates = {name: one.judged(trust.of(name)) for name, one in estimates_of(online.piece).items()}
        except np.linalg.LinAlgError as error:  # begins anew with the next second
            begin = max(record.start, record.end - TUNING.window)
            return Answered(_without_answer(robot, record.end, error), [], begin, _Memory(None, reported))
        events, reported = _new_events(online, reported)
        piece = online.piece
        begin = max(piece.record.start, record.end - TUNING.window)
        recent = tuple(p for p in online.pieces[:-1] if p.record.end > record.end - TUNING.window)
        return Answered(
            estimates, events, begin, _Memory(dataclasses.replace(online, pieces=(*recent, piece)), reported)
        )


def _goes_on(earlier: Online, record: WristRecord) -> bool:
    """Whether the motion so far reaches into these samples, and every signal beyond it."""
    last = earlier.piece.record
    joined = last.end - TUNING.overlap
    return (
        set(record.motion) == set(last.motion)
        and record.start < joined
        and all(_without_hole(channel.time, joined) for channel in record.motion.values())
    )


def _without_hole(time: np.ndarray, since: float) -> bool:
    recent = time[time > since]
    return bool(len(recent)) and float(np.max(np.diff(recent, prepend=since))) < 0.9 * TUNING.overlap


def _without_answer(robot: str, time: float, error: Exception) -> dict[str, Estimate]:
    """Where the numbers allow none."""
    trust = Trust((no_solution(error),))
    return {name: one.judged(trust) for name, one in not_yet_known(robot, time).items()}


def _new_events(online: Online, reported: tuple[tuple[str, float], ...]) -> tuple[list[Event], tuple]:
    """Events that were not reported; a contact that goes on is the same one."""
    ends = {contact.start: contact.end for piece in online.pieces for contact in piece.contacts}
    fresh = []
    for event in events_of(online.pieces):
        end = ends.get(event.time, event.time)
        near = [
            k for k, (kind, at) in enumerate(reported) if kind == event.kind and event.time < at + TUNING.same_event
        ]
        if near:
            reported = tuple(
                (kind, max(at, end)) if k == near[-1] else (kind, at) for k, (kind, at) in enumerate(reported)
            )
        else:
            fresh.append(event)
            reported = (*reported, (event.kind, end))
    return fresh, reported
