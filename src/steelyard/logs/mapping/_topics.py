"""Tables that a tool made of an autopilot's log: files named after topics or messages, columns after variables."""

import dataclasses
import re

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._ardupilot import MESSAGES, ardupilot_sources
from steelyard.logs.mapping._crazyflie import crazyflie_sources
from steelyard.logs.mapping._px4 import TOPICS, px4_sources
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tables import table_sources

_FIRMWARE = re.compile(r"(stateEstimate|stabilizer|motor\.m[1-4]|pwm\.m[1-4]_pwm|kalman\.q[0-3]|pm\.vbat)")


def all_table_sources(recording: Recording) -> list[SignalSource]:
    """By the conventions of the system that logged it where names show one, by their words otherwise."""
    px4 = {s.name: topic for s in recording.streams if (topic := uorb_topic(s)) is not None}
    ardupilot = {s.name: s.name.upper() for s in recording.streams if s.name.upper() in MESSAGES and s.time is not None}
    streams = {s.name: s for s in recording.streams}
    found: list[SignalSource] = []
    if len(px4) > 1:
        part = Recording(recording.files, "px4", tuple(streams.pop(name) for name in px4))
        found += px4_sources(part, topic=lambda stream: px4[stream.name])
    elif len(ardupilot) > 1:
        part = tuple(_named(streams.pop(name), kind) for name, kind in ardupilot.items())
        found += ardupilot_sources(Recording(recording.files, "ardupilot", part))
    for name, stream in list(streams.items()):
        if known := ardupilot_sources(Recording(recording.files, "ardupilot", _messages_of(stream))):
            del streams[name]
            for one in known:
                source = tuple(f"{name}:{path.rpartition(':')[0]}.{path.rpartition(':')[2]}" for path in one.source)
                found.append(dataclasses.replace(one, source=source))
            continue
        if sum(_FIRMWARE.match(field) is not None for field in stream.fields) > 2:
            del streams[name]
            found += crazyflie_sources(Recording(recording.files, "crazyflie", (stream,)))
    return [*found, *table_sources(tuple(streams.values()))]


def _messages_of(stream: Stream) -> tuple[Stream, ...]:
    """The messages in one table whose columns are `ATT.Roll` and `IMU.GyrX`, as `mavlogdump` writes several types."""
    fields: dict[str, dict[str, np.ndarray]] = {}
    for field in stream.fields:
        kind, _, short = field.partition(".")
        if kind in MESSAGES and short:
            fields.setdefault(kind, {})[short] = stream.fields[field]
    if len(fields) < 2:
        return ()
    return tuple(Stream(kind, stream.file, kind, stream.time, stream.clock, f) for kind, f in fields.items())


def uorb_topic(stream: Stream) -> str | None:
    """The topic that `ulog2csv` wrote to this file: `flight_vehicle_attitude_0`; None where it is no such file.

    Further instances are spare sensors, and are no topic of ours.
    """
    found = re.fullmatch(r"(?:.*_)?(" + "|".join(TOPICS) + r"(?:_groundtruth)?)_0", stream.name)
    return None if found is None else found[1]


def _named(stream: Stream, kind: str) -> Stream:
    return Stream(stream.name, stream.file, kind, stream.time, stream.clock, stream.fields, stream.units)
