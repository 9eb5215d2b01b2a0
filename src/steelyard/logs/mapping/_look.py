"""What is in these files, which problems they can answer, and what is missing for the others."""

import dataclasses
from typing import Any

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._examine import examine
from steelyard.logs.mapping._requirements import REQUIREMENTS, Assessment, assess
from steelyard.logs.mapping._samples import seconds
from steelyard.logs.mapping._source import SignalMapping, TimeSource


@dataclasses.dataclass(frozen=True)
class StreamSummary:
    """One stream in a line."""

    name: str
    file: str
    rate: float | None
    """Hz; None without times."""
    rows: int
    start: float | None
    end: float | None
    """s, of the stream's own clock."""
    fields: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Look:
    """What `steelyard look` shows."""

    recording: Recording
    mapping: SignalMapping
    streams: tuple[StreamSummary, ...]
    problems: tuple[Assessment, ...]

    def __getitem__(self, problem: str) -> Assessment:
        return next(one for one in self.problems if one.problem == problem)

    def as_json(self) -> dict[str, Any]:
        """The object that `look --json` prints."""
        return {
            "files": list(self.recording.files),
            "system": self.recording.system,
            "streams": [dataclasses.asdict(one) for one in self.streams],
            "clocks": clocks(self),
            "problems": [
                {
                    "problem": one.problem,
                    "possible": one.possible,
                    "missing": list(one.missing),
                    "configuration": list(one.configuration),
                    "mapping": {signal: source.as_json() for signal, source in one.mapping.items()},
                }
                for one in self.problems
            ],
            "findings": [dataclasses.asdict(one) for one in self.mapping.findings],
            "questions": list(self.mapping.questions),
            "notes": list(self.recording.notes),
        }


def look(recording: Recording, mapping: SignalMapping | None = None) -> Look:
    """Examines a recording, or takes a mapping that somebody states."""
    mapping = examine(recording) if mapping is None else mapping
    streams = tuple(_summary(stream, mapping.times.get(stream.name)) for stream in recording.streams)
    problems = tuple(assess(recording, mapping, problem) for problem in REQUIREMENTS)
    return Look(recording, mapping, streams, problems)


def _summary(stream: Stream, how: TimeSource | None) -> StreamSummary:
    rate = start = end = None
    if stream.time is not None and stream.rows and (how is None or how.known):
        time = seconds(stream, how)
        start, end = float(time[0]), float(time[-1])
        steps = np.diff(time)
        steps = steps[steps > 0]
        rate = float(1 / np.median(steps)) if steps.size else None
    elif how is not None and how.rate is not None:
        rate, start, end = how.rate, 0.0, (stream.rows - 1) / how.rate
    return StreamSummary(stream.name, stream.file, rate, stream.rows, start, end, tuple(stream.fields))


def clocks(one: Look) -> list[dict[str, Any]]:
    """Every clock of the files, how it becomes seconds, and which streams have it."""
    found: dict[tuple, dict[str, Any]] = {}
    for stream in one.recording.streams:
        how = one.mapping.times.get(stream.name)
        unit = None if how is None or (not how.known and how.rate is None) else how.unit
        table = one.recording.system == "table"
        key = (stream.file, stream.clock, unit) if table else (stream.file, stream.clock)
        entry = found.setdefault(
            key,
            {
                "clock": stream.clock,
                "file": stream.file,
                "unit": unit,
                "why": "" if how is None else how.why,
                "streams": [],
            },
        )
        entry["streams"].append(stream.name)
    return list(found.values())
