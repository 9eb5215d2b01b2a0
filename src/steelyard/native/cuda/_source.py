"""A campaign as CUDA: the step's C unchanged, one thread a flight.

The loop keeps the belief in local variables. Every index into them is a constant once loops are unrolled, so that they
become registers; the half of a symmetric covariance that the step does not read is never kept. An array has the flight
as its last axis: threads that run side by side read side by side.
"""

import re
from collections.abc import Iterator, Sequence

from steelyard.native.c._flights import FlightCode
from steelyard.native.c._random import draw_lines, normals_source
from steelyard.native.cuda._tuning import CUDA
from steelyard.native.trace._layout import Leaf

PRELUDE = """
#ifdef __CUDACC_RTC__
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#undef NAN
#undef INFINITY
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#else
#include <math.h>
#include <stdint.h>
#endif
"""

_KERNEL = """
extern "C" __global__ void __launch_bounds__({block}) fly({parameters})
{{
    const int64_t flight = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (flight >= flights) return;
    {real} now[{result_size}], sample[{sample_size}];
{load_belief}
    for (int64_t row = 0; row < rows; ++row) {{
{load_sample}
        {name}(now, sample, now);
{store_recorded}
    }}
{store_belief}
}}
"""


def kernel_source(code: FlightCode) -> str:
    """The text for NVRTC or nvcc; `fly(flights, rows, seed, first, arrays…)` is its kernel.

    Arrays are, in this order, the leaves of beliefs and samples, and those of beliefs and records that are made.
    """
    step, real = code.step, code.step.real
    sample = () if code.drawn else code.sample.leaves
    given, made = (*code.belief.leaves, *sample), (*code.belief.leaves, *code.recorded)
    parameters = ["int64_t flights", "int64_t rows", "uint64_t seed", "int64_t first"]
    parameters += [f"const {real} *__restrict__ given{k}" for k in range(len(given))]
    parameters += [f"{real} *__restrict__ made{k}" for k in range(len(made))]
    skip = len(code.belief.leaves)
    if code.drawn:
        load_sample = draw_lines("sample", code.sample.size, " " * 8, "(first + flight)", "row")
    else:
        load_sample = list(_loads(sample, "sample", skip, "row"))
    kernel = _KERNEL.format(
        block=CUDA.block,
        parameters=", ".join(parameters),
        real=real,
        name=step.name,
        result_size=max(step.result.size, 1),
        sample_size=max(code.sample.size, 1),
        load_belief="\n".join(_loads(code.belief.leaves, "now", 0, None, shared=code.drawn)),
        load_sample="\n".join(load_sample),
        store_recorded="\n".join(_stores(code.recorded, skip, "row")),
        store_belief="\n".join(_stores(code.belief.leaves, 0, None)),
    )
    body = step.body.replace(step.signature, f"static __device__ __forceinline__ {step.signature}")
    body = re.sub(r"^static const ", "static __device__ const ", body, flags=re.MULTILINE)
    random = normals_source(step.single, "static __device__ __forceinline__") if code.drawn else ""
    return "".join([PRELUDE, body, "\n", random, kernel])


def _loads(leaves: Sequence[Leaf], into: str, first: int, row: str | None, shared: bool = False) -> Iterator[str]:
    for k, leaf in enumerate(leaves):
        for n in range(leaf.size):
            where = str(n) if shared else _where(leaf, n, row)
            yield f"    {into}[{leaf.offset + n}] = given{first + k}[{where}];"


def _stores(leaves: Sequence[Leaf], first: int, row: str | None) -> Iterator[str]:
    for k, leaf in enumerate(leaves):
        for n in range(leaf.size):
            yield f"    made{first + k}[{_where(leaf, n, row)}] = now[{leaf.offset + n}];"


def _where(leaf: Leaf, n: int, row: str | None) -> str:
    return f"{n} * flights + flight" if row is None else f"({row} * {leaf.size} + {n}) * flights + flight"
