"""Packets of fixed layout, cut out of a buffer without a loop over them."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from steelyard.logs.formats._tuning import TUNING

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Field:
    """A number inside a packet."""

    path: str
    offset: int
    """From the packet's first byte."""
    kind: str
    """NumPy's name of the type, with byte order: "<f4"."""
    scale: float = 1.0
    """What the stored number is multiplied by."""


def cut(buffer: bytes, starts: Positions, size: int) -> NDArray:
    """The packets of `size` bytes that begin at `starts`, one memory copy each."""
    if size <= 0 or len(buffer) < size:
        return np.zeros(0, f"V{max(size, 1)}")
    # Every position of the buffer as a packet; no byte is touched before the packets are chosen.
    every = np.ndarray((len(buffer) - size + 1,), f"V{size}", buffer, 0, (1,))
    return every[starts]


def values(packets: NDArray, field: Field) -> NDArray:
    """One number of each packet, in its own type."""
    kind = np.dtype(field.kind)
    view = (
        np.ndarray(packets.shape, kind, packets, field.offset, packets.strides) if len(packets) else np.zeros(0, kind)
    )
    with np.errstate(invalid="ignore"):  # a damaged number may be a signalling NaN
        plain = view.astype(stored_kind(field) if kind.kind == "f" else kind.newbyteorder("="))
        return plain if field.scale == 1.0 else plain.astype(np.float64) * field.scale


def stored_kind(field: Field) -> np.dtype:
    """The smallest floating type that holds the field's numbers exactly, with NaN for a missing one."""
    kind = np.dtype(field.kind)
    small = kind.itemsize <= 2 or (kind.kind == "f" and kind.itemsize == 4)
    return np.dtype(np.float32) if small and field.scale == 1.0 else np.dtype(np.float64)


class Chain:
    """Follows records that each say how long they are, through a whole buffer.

    Records whose start and length were found by array operations (`starts`, `ends`, sorted by start) are followed in
    runs; only what is not among them needs a step in Python.
    """

    def __init__(self, starts: Positions, ends: Positions):
        self.starts, self.ends = starts, ends
        broken = np.flatnonzero(ends[:-1] != starts[1:]) if len(starts) else np.zeros(0, np.int64)
        self._last = np.append(broken, len(starts) - 1)

    def run(self, position: int, stop: int) -> tuple[int, int]:
        """First and one past the last of the records in a row that begin at `position` and end by `stop`."""
        first = int(np.searchsorted(self.starts, position))
        if first == len(self.starts) or self.starts[first] != position:
            return first, first
        last = int(self._last[np.searchsorted(self._last, first)])
        if self.ends[last] > stop:
            last = first - 1 + int(np.searchsorted(self.ends[first : last + 1], stop, side="right"))
        return first, last + 1

    def pair(self, position: int) -> int:
        """Where the next two records in a row begin; beyond everything where there are none."""
        k = int(np.searchsorted(self.starts, position))
        pair = self.ends[k:-1] == self.starts[k + 1 :]
        return int(self.starts[k + int(np.argmax(pair))]) if pair.any() else 1 << 62


@runtime_checkable
class Format(Protocol):
    """What `follow` must know of a format whose records come one after another."""

    def known(self) -> int:
        """A number that changes when more kinds of packets become known."""
        ...

    def find(self, buffer: bytes, begin: int) -> tuple[Chain, NDArray[np.int64]]:
        """Every place from `begin` on that looks like a known packet, and the packets' kinds."""
        ...

    def step(self, buffer: bytes, position: int) -> tuple[int, int]:
        """Where the record at `position` ends, and its kind, below 0 where it is no packet.

        The end is 0 where there is no record, and beyond the buffer where it is not whole.
        """
        ...

    def resume(self, buffer: bytes, position: int, chain: Chain) -> int:
        """Where to go on after damage."""
        ...


def follow(form: Format, buffer: bytes) -> tuple[int, int, dict[int, NDArray[np.uint32]]]:
    """Follows the records of a buffer: where the whole ones end, how many bytes are damaged, the packets' starts."""
    chain, kinds = Chain(np.zeros(0, np.int64), np.zeros(0, np.int64)), np.zeros(0, np.int64)
    taken, known, steps, damaged = np.zeros(0, bool), -1, TUNING.single_packets, 0
    single, single_kinds = array("q"), array("q")
    starts: list[NDArray] = []
    which: list[NDArray] = []
    position, stop = 0, len(buffer)
    while position < stop:
        first, after = chain.run(position, stop)
        if after > first:
            taken[first:after] = True
            position = int(chain.ends[after - 1])
            continue
        end, kind = form.step(buffer, position)
        if end == 0:
            ahead = min(form.resume(buffer, position + 1, chain), stop)
            damaged += ahead - position
            position = ahead
            continue
        if end > stop:
            break
        if kind >= 0:
            single.append(position)
            single_kinds.append(kind)
            steps += 1
            if steps > TUNING.single_packets and known != form.known():
                starts.append(chain.starts[taken])
                which.append(kinds[taken])
                chain, kinds = form.find(buffer, end)
                taken, known, steps = np.zeros(len(kinds), bool), form.known(), 0
        position = end
    starts += [chain.starts[taken], np.frombuffer(single, np.int64)]
    which += [kinds[taken], np.frombuffer(single_kinds, np.int64)]
    return position, damaged, _by_kind(np.concatenate(starts), np.concatenate(which).astype(np.uint16))


def _by_kind(starts: NDArray, kinds: NDArray[np.uint16]) -> dict[int, NDArray[np.uint32]]:
    """Starts of each kind in rising order."""
    if (starts[1:] < starts[:-1]).any():
        order = np.argsort(starts, kind="stable")
        starts, kinds = starts[order], kinds[order]
    order = np.argsort(kinds, kind="stable")  # of sixteen bits: no comparison needed
    starts, kinds = starts[order].astype(np.uint32), kinds[order]
    cuts = np.flatnonzero(np.diff(kinds, prepend=kinds[:1] + 1) != 0)
    return {int(kinds[k]): part for k, part in zip(cuts, np.split(starts, cuts[1:]), strict=True)} if len(kinds) else {}


def unique(names: Sequence[str]) -> list[str]:
    """The names, a repeated one with its number: "a", "a#2"."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found
