"""ROS bags as recordings: one stream a topic, by the definitions in the file."""

import functools
from collections.abc import Container, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput
from steelyard.logs._recording import LazyFields, Limits, Recording, Stream
from steelyard.logs._vocabulary import describe
from steelyard.logs.formats._chunks import Bag
from steelyard.logs.formats._lazy import TIME, Cache, Columns
from steelyard.logs.formats._mcap_bag import MAGIC as MCAP
from steelyard.logs.formats._mcap_bag import McapBag
from steelyard.logs.formats._packets import stored_kind
from steelyard.logs.formats._ros1_bag import MAGIC as ROS1
from steelyard.logs.formats._ros1_bag import Ros1Bag
from steelyard.logs.formats._ros_layout import NoLayout, RosLayout, layout_of
from steelyard.logs.formats._ros_topic import Decoded, Topic, TopicDecoder
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._sqlite_bag import MAGIC as SQLITE
from steelyard.logs.formats._sqlite_bag import SqliteBag

ENDINGS = (".mcap", ".db3", ".bag")


def bag_of(source: Source) -> Bag | None:
    """The bag in a file; None where it is none."""
    head = source.read(0, 16)
    if head.startswith(MCAP):
        return McapBag(source)
    if head.startswith(ROS1):
        return Ros1Bag(source)
    return SqliteBag(source) if head.startswith(SQLITE) else None


def read_bag(source: Source, bag: Bag) -> Recording:
    """Reads a bag: at once where it is small, topic by topic where it is large."""
    topics = {number: topic for number, topic in bag.topics.items() if topic.count}
    if not topics:
        raise source.bad("this bag holds no message that can be read")
    _check_rows(source, topics.values())
    first = _first_layouts(bag, topics)
    sizes = {
        number: topic.count * (17 + sum(stored_kind(one).itemsize for one in first[number].fields))
        for number, topic in topics.items()
    }
    if sum(sizes.values()) <= source.limits.memory // 3:
        decoded = decode(source, bag, topics)
        streams = [_stream(source, topics[number], one) for number, one in decoded.items()]
        texts = {key: text for number, one in decoded.items() for key, text in _frames(topics[number], one.texts)}
    else:
        streams = _lazy_streams(source, bag, topics, first, sizes)
        texts = {key: text for number, one in first.items() for key, text in _frames(topics[number], one.texts)}
    ours = [_is_ours(topic) for topic in topics.values()]
    ros1 = all(topic.ros1 for topic in topics.values())
    system = "steelyard" if 2 * sum(ours) > len(ours) else "ros1" if ros1 else "ros2"
    return Recording((source.path,), system, tuple(_unique(streams)), {}, {**bag.texts, **texts}, tuple(bag.notes))


def read_folder(path: Path, limits: Limits) -> Recording:
    """Reads all bags in a folder and the folders in it; the parts of a topic become one stream."""
    files = sorted(file for file in path.rglob("*") if file.name.lower().removesuffix(".zstd").endswith(ENDINGS))
    if not files:
        raise BadInput(f"{path} is a folder without bags (.mcap, .db3, .bag); give the name of a log file or of a bag.")
    parts = []
    for file in files:
        source = Source(file, limits)
        bag = bag_of(source)
        if bag is None:
            raise source.bad("it is no bag", "delete or rename it")
        parts.append(read_bag(source, bag))
    together: dict[tuple[str, str, str], list[Stream]] = {}
    for part in parts:
        for stream in part.streams:
            together.setdefault((stream.name, stream.kind, stream.clock), []).append(stream)
    streams = [_concatenated(str(path), several) for several in together.values()]
    texts = {key: text for part in parts for key, text in part.texts.items()}
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Recording((str(path),), parts[0].system, tuple(_unique(streams)), {}, texts, notes)


def decode(
    source: Source, bag: Bag, topics: dict[int, Topic], only: Container[str] | None = None, every: bool = False
) -> dict[int, Decoded]:
    """Decodes these topics in one pass over the bag; see `TopicDecoder`."""
    limits = source.limits
    too_large = functools.partial(limits.too_large, source.path)
    makers = {
        number: TopicDecoder(topic, limits.memory, too_large, limits.columns, only) for number, topic in topics.items()
    }
    for batch in range(len(bag)):
        buffer, found = bag.load(batch, makers)
        for number, (starts, sizes, received) in found.items():
            if len(starts):
                makers[number].add(buffer, starts, sizes, received)
    return {number: makers.pop(number).finish(every) for number in topics}


def _check_rows(source: Source, topics: Iterable[Topic]) -> None:
    for topic in topics:
        if topic.count > source.limits.rows:
            raise source.bad(f"topic {topic.name[:60]} has more than {source.limits.rows} messages", "split it")
        if topic.count * 9 > source.limits.memory:
            raise source.limits.too_large(source.path, f"topic {topic.name[:60]}")


def _first_layouts(bag: Bag, topics: dict[int, Topic]) -> dict[int, RosLayout]:
    """The layout of each topic's first message that can be read."""
    layouts: dict[int, RosLayout] = {}
    seen: set[int] = set()
    for number in topics:
        if number in layouts:
            continue
        batch = bag.first_batch(number) if len(bag) > 1 else 0
        batches = range(len(bag)) if batch is None else (batch,)
        for k in batches:
            if number in layouts or k in seen:
                continue
            seen.add(k)
            buffer, found = bag.load(k, topics)
            for other, (starts, sizes, _) in found.items():
                if other not in layouts and len(starts):
                    data = buffer[int(starts[0]) : int(starts[0] + sizes[0])]
                    layouts[other] = _layout(topics[other], data)
    return {number: layouts.get(number) or RosLayout(0) for number in topics}


def _layout(topic: Topic, data: bytes) -> RosLayout:
    try:
        return layout_of(topic.definitions, topic.kind, data, topic.ros1)
    except NoLayout:
        return RosLayout(len(data))


def _lazy_streams(
    source: Source, bag: Bag, topics: dict[int, Topic], first: dict[int, RosLayout], sizes: dict[int, int]
) -> list[Stream]:
    def columns(numbers: list[int], times: bool) -> dict[int, Columns]:
        wanted = {number: topics[number] for number in numbers}
        found = decode(source, bag, wanted, ("timestamp",) if times else None, every=True)
        if times:
            return {number: {TIME: clock_of(topics[number], found.pop(number))[1]} for number in numbers}
        return {number: _complete(one, names[number]) for number, one in found.items()}

    names = {
        number: tuple(one.path for one in first[number].fields if not _is_boot(topic, one.path))
        for number, topic in topics.items()
    }
    cache = Cache(columns, {number: 8 * topic.count for number, topic in topics.items()}, sizes, source.limits.memory)
    streams = []
    for number, topic in topics.items():
        fewer = len(names[number]) < len(first[number].fields)
        clock = "boot" if fewer else "header" if first[number].stamp else "received"
        time = functools.partial(cache.time, number)
        fields = LazyFields(names[number], functools.partial(cache.fields, number))
        streams.append(Stream(topic.name, source.path, topic.kind, time, clock, fields, rows=topic.count))
    return streams


def _complete(one: Decoded, names: tuple[str, ...]) -> Columns:
    """The columns that were promised, NaN where later messages do not have them."""
    missing = np.full(len(one.time), np.nan, np.float32)
    return {name: one.columns.get(name, missing) for name in names}


def _stream(source: Source, topic: Topic, one: Decoded) -> Stream:
    clock, time = clock_of(topic, one)
    names = tuple(name for name in one.columns if not _is_boot(topic, name))
    fields = LazyFields(names, lambda: one.columns)
    return Stream(topic.name, source.path, topic.kind, time, clock, fields, notes=one.notes)


def clock_of(topic: Topic, one: Decoded) -> tuple[str, NDArray[np.float64]]:
    """The clock of a topic and its times: stamps, where messages have them, else when they were received."""
    if _is_boot(topic, "timestamp") and "timestamp" in one.columns:
        return "boot", np.asarray(one.columns["timestamp"], np.float64) * 1e-6
    return "header" if one.stamped * 2 > len(one.time) else "received", one.time / 1e9


def _is_boot(topic: Topic, name: str) -> bool:
    """PX4's own messages have the autopilot's time in µs where others have a header."""
    return name == "timestamp" and topic.kind.startswith("px4_msgs/")


def _frames(topic: Topic, texts: dict[str, str]) -> list[tuple[str, str]]:
    found = []
    for path, text in texts.items():
        name = path.rpartition(".")[2]
        if name in ("frame_id", "child_frame_id") and text:
            found.append((f"{name} {topic.name}", text))
    return found


def _is_ours(topic: Topic) -> bool:
    """Whether a topic is a column's name without its axis, of our vocabulary, or one that a robot of ours records."""
    stem = topic.name.strip("/")
    return stem.split("/")[1:2] in (["sent"], ["received"], ["estimate"]) or any(
        describe(name).known for name in (stem, f"{stem}/x", f"{stem}/angular/x", f"{stem}/torque/x", f"{stem}/w")
    )


def _unique(streams: list[Stream]) -> list[Stream]:
    taken: dict[str, int] = {}
    found = []
    for stream in streams:
        taken[stream.name] = taken.get(stream.name, -1) + 1
        again = taken[stream.name]
        found.append(stream.renamed(f"{stream.name}#{again}") if again else stream)
    return found


def _concatenated(path: str, several: list[Stream]) -> Stream:
    if len(several) == 1:
        return several[0]
    first = several[0]
    names = tuple(dict.fromkeys(name for one in several for name in one.fields))

    def values() -> Columns:
        return {name: np.concatenate([_column(one, name) for one in several]) for name in names}

    def time() -> NDArray[np.float64]:
        return np.concatenate([one.time for one in several if one.time is not None])

    rows = sum(one.rows for one in several)
    return Stream(
        first.name, path, first.kind, time, first.clock, LazyFields(names, values), first.units, first.notes, rows
    )


def _column(stream: Stream, name: str) -> NDArray[np.float64]:
    return stream.fields[name] if name in stream.fields else np.full(stream.rows, np.nan)
