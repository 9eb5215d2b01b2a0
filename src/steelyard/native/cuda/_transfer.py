"""Arrays between the host and the GPU, through pinned memory that several threads fill.

A copy from pageable memory goes through one buffer of the driver, filled by one thread: 6 GB/s where the bus has 50.
Here every thread has a pinned buffer and a stream of its own, so that one fills while another is sent. Numbers change
their type on the way, on the host, so that float32 is half as much to send.
"""

import concurrent.futures
import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from steelyard.native.runtime._tuning import TUNING


class _Piece(NamedTuple):
    """Consecutive numbers of an array on the host and of its counterpart on the GPU, both flat."""

    host: np.ndarray
    device: Any


def upload(cupy: Any, arrays: Sequence[np.ndarray], dtype: np.dtype) -> list[Any]:
    """Copies on the GPU, in another type."""
    cupy.cuda.get_current_stream().synchronize()  # new arrays may lie where this stream still works
    whole = [np.ascontiguousarray(array) for array in arrays]
    made = [cupy.empty(array.shape, dtype) for array in whole]

    def send(pieces: Iterator[_Piece]) -> None:
        stream, buffer = cupy.cuda.Stream(non_blocking=True), _pinned(cupy, dtype)
        for host, device in pieces:
            stream.synchronize()  # the buffer is free again
            filled = buffer[: host.size]
            np.copyto(filled, host, casting="same_kind")
            device.data.copy_from_host_async(filled.ctypes.data, filled.nbytes, stream)
        stream.synchronize()

    _in_threads(cupy, send, whole, made, dtype)
    return made


def download(cupy: Any, arrays: Sequence[Any]) -> list[np.ndarray]:
    """Copies on the host."""
    cupy.cuda.get_current_stream().synchronize()  # other streams may read what this one made
    made = [np.empty(array.shape, array.dtype) for array in arrays]

    def fetch(pieces: Iterator[_Piece]) -> None:
        stream, memory = cupy.cuda.Stream(non_blocking=True), _pinned(cupy, np.dtype(np.uint8))
        for host, device in pieces:
            buffer = memory.view(host.dtype)[: host.size]
            device.data.copy_to_host_async(buffer.ctypes.data, buffer.nbytes, stream)
            stream.synchronize()
            host[:] = buffer

    _in_threads(cupy, fetch, made, [cupy.ascontiguousarray(array) for array in arrays], None)
    return made


def _in_threads(cupy: Any, work: Any, hosts: Sequence[np.ndarray], devices: Sequence[Any], dtype: Any) -> None:
    pieces = [piece for host, device in zip(hosts, devices, strict=True) for piece in _pieces(host, device, dtype)]
    threads = max(1, min(TUNING.transfer_threads, os.cpu_count() or 1, len(pieces)))
    device = cupy.cuda.Device()

    def one(first: int) -> None:
        with device:
            work(itertools.islice(pieces, first, None, threads))

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, range(threads)))


def _pieces(host: np.ndarray, device: Any, dtype: Any) -> Iterator[_Piece]:
    """Parts that fit into a buffer."""
    length = TUNING.transfer_bytes // np.dtype(dtype or host.dtype).itemsize
    flat, there = host.reshape(-1), device.reshape(-1)
    for begin in range(0, flat.size, length):
        yield _Piece(flat[begin : begin + length], there[begin : begin + length])


def _pinned(cupy: Any, dtype: np.dtype) -> np.ndarray:
    memory = cupy.cuda.alloc_pinned_memory(TUNING.transfer_bytes)
    return np.frombuffer(memory, np.dtype(dtype), TUNING.transfer_bytes // np.dtype(dtype).itemsize)
