"""Portions of a campaign that go to the GPU and come back, several at a time.

A copy from pageable memory goes through one buffer of the driver, filled by one thread: 6 GB/s where the bus has 50.
Here every thread has a stream of its own and two pinned buffers: it fills one while the other is sent. A thread sends a
portion, has it computed and fetches the results, all on its stream; meanwhile others do the same, so that both
directions of the bus and the GPU are busy. Numbers change their type on the way, on the host: float32 is half as much
to send. What bounds it is the host's own copying (34 GB/s with eight threads or more on the machine with an H200);
arrays in pinned memory (`cupyx.empty_pinned`) of the arithmetic's type go without it, at the bus's 55 GB/s.
"""

import concurrent.futures
import functools
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steelyard.native.runtime._tuning import TUNING

_BUSY = threading.Lock()


class Lane:
    """A thread's stream and its two pinned buffers.

    Copies go by address: CuPy's views cost as much as a megabyte's copy, and only one thread at a time makes them.
    """

    def __init__(self, cupy: Any):
        self._cupy, self.stream = cupy, cupy.cuda.Stream(non_blocking=True)
        memory = [cupy.cuda.alloc_pinned_memory(TUNING.transfer_bytes) for _ in range(2)]
        self._buffers = [np.frombuffer(one, np.uint8, TUNING.transfer_bytes) for one in memory]
        self._addresses = [one.ptr for one in memory]
        self._events = [cupy.cuda.Event(disable_timing=True) for _ in range(2)]

    def send(self, host: np.ndarray, dtype: np.dtype) -> Any:
        """A copy on the GPU, in another type."""
        flat = np.ascontiguousarray(host).reshape(-1)
        made = self._cupy.empty(host.shape, dtype)
        copy, to_device = self._cupy.cuda.runtime.memcpyAsync, self._cupy.cuda.runtime.memcpyHostToDevice
        if flat.dtype == made.dtype and self._is_pinned(flat):
            copy(made.data.ptr, flat.ctypes.data, flat.nbytes, to_device, self.stream.ptr)
            return made
        buffers = [buffer.view(dtype) for buffer in self._buffers]
        address, size = made.data.ptr, made.itemsize
        for k, begin in enumerate(range(0, flat.size, len(buffers[0]))):
            buffer, event, part = buffers[k % 2], self._events[k % 2], flat[begin : begin + len(buffers[0])]
            event.synchronize()  # the buffer is free again
            np.copyto(buffer[: part.size], part, casting="same_kind")
            copy(address + begin * size, self._addresses[k % 2], part.size * size, to_device, self.stream.ptr)
            event.record(self.stream)
        return made

    def _is_pinned(self, host: np.ndarray) -> bool:
        """Whether the bus can take an array from where it is; it is read until the stream is synchronised."""
        runtime = self._cupy.cuda.runtime
        return bool(host.size) and runtime.pointerGetAttributes(host.ctypes.data).type == runtime.memoryTypeHost

    def fetch(self, device: Any, host: np.ndarray) -> None:
        """Copies a contiguous array of the GPU into one of the host."""
        copy, to_host = self._cupy.cuda.runtime.memcpyAsync, self._cupy.cuda.runtime.memcpyDeviceToHost
        flat, address, size = host.reshape(-1), device.data.ptr, host.itemsize
        buffers = [buffer.view(host.dtype) for buffer in self._buffers]
        parts = [flat[begin : begin + len(buffers[0])] for begin in range(0, flat.size, len(buffers[0]))]
        for k in range(len(parts) + 1):
            if k < len(parts):
                self._events[k % 2].synchronize()  # what was sent from the buffer is sent
                begin = k * len(buffers[0]) * size
                copy(self._addresses[k % 2], address + begin, parts[k].nbytes, to_host, self.stream.ptr)
                self._events[k % 2].record(self.stream)
            if k > 0:
                self._events[(k - 1) % 2].synchronize()
                parts[k - 1][:] = buffers[(k - 1) % 2][: parts[k - 1].size]


def in_lanes(cupy: Any, work: Callable[[Lane, int, int], None], portions: Sequence[tuple[int, int]]) -> None:
    """Does `work(lane, begin, end)` for every portion, each on the current stream of the lane that is free first."""
    device, left, lock = cupy.cuda.Device(), iter(portions), threading.Lock()

    def run(lane: Lane) -> None:
        with device, lane.stream:
            while True:
                with lock:
                    portion = next(left, None)
                if portion is None:
                    break
                work(lane, *portion)
            lane.stream.synchronize()

    with _BUSY, concurrent.futures.ThreadPoolExecutor(lanes()) as pool:
        list(pool.map(run, itertools.islice(_lanes(cupy, device.id), len(portions))))


def lanes() -> int:
    """How many there are."""
    return max(1, min(TUNING.transfer_threads, os.cpu_count() or 1))


@functools.cache
def _lanes(cupy: Any, device: int) -> list[Lane]:
    """Made once: pinned memory is slow to take, and CuPy keeps freed memory by stream."""
    return [Lane(cupy) for _ in range(lanes())]
