"""Turns arrays around on the GPU: flights first for callers, flights last for threads that read side by side."""

import functools
from typing import Any

import numpy as np

from steelyard.native.cuda._source import PRELUDE
from steelyard.native.cuda._tuning import CUDA

_NAMES = {"float64": "double", "float32": "float", "bool": "bool"}

_TRANSPOSE = """
extern "C" __global__ void transpose(const {given} *__restrict__ from, {made} *__restrict__ to, int64_t rows, int64_t columns)
{{
    __shared__ {made} tile[32][33];
    const int64_t blocks = (columns + 31) / 32;
    const int64_t r0 = blockIdx.x / blocks * 32, c0 = blockIdx.x % blocks * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y)
        if (r0 + k < rows && c0 + threadIdx.x < columns)
            tile[k][threadIdx.x] = ({made})from[(r0 + k) * columns + c0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += blockDim.y)
        if (c0 + k < columns && r0 + threadIdx.x < rows)
            to[(c0 + k) * rows + r0 + threadIdx.x] = tile[threadIdx.x][k];
}}
"""  # noqa: E501  the kernel's head


def transposed(cupy: Any, matrix: Any, dtype: np.dtype) -> Any:
    """A matrix turned around, in another type, by tiles in shared memory: both sides are used in order."""
    rows, columns = matrix.shape
    made = cupy.empty((columns, rows), dtype)
    if made.size:
        blocks = -(-rows // CUDA.tile) * -(-columns // CUDA.tile)
        arguments = (cupy.ascontiguousarray(matrix), made, np.int64(rows), np.int64(columns))
        _kernel(cupy, matrix.dtype.name, np.dtype(dtype).name)((blocks,), (CUDA.tile, 8), arguments)
    return made


@functools.cache
def _kernel(cupy: Any, given: str, made: str) -> Any:
    text = _TRANSPOSE.format(given=_c_name(given), made=_c_name(made))
    return cupy.RawModule(code=PRELUDE + text, backend="nvrtc", options=("--std=c++14",)).get_function("transpose")


def _c_name(dtype: str) -> str:
    return _NAMES.get(dtype, f"{dtype}_t")
