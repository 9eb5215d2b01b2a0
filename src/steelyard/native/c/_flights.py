"""The C loop of a campaign: many flights, row by row, arrays read and written where they lie."""

import dataclasses
from collections.abc import Iterator, Sequence

from steelyard.native.c._emit import Code
from steelyard.native.c._python_binding import PRELUDE
from steelyard.native.c._random import draw_lines, normals_source
from steelyard.native.trace._layout import Layout, Leaf

_TYPES = {"float64": "double", "float32": "float", "bool": "uint8_t"}

_FLY = """
/* Flights `begin` to `end`; `given` are the leaves of beliefs and samples, `made` those of beliefs and records. */
__attribute__((visibility("default")))
void fly(int64_t begin, int64_t end, int64_t rows, uint64_t seed, const void *const *given, void *const *made);
void fly(int64_t begin, int64_t end, int64_t rows, uint64_t seed, const void *const *given, void *const *made)
{{
    {real} now[{result_size}], sample[{sample_size}];
    (void)seed;
    (void)made;
    for (int64_t flight = begin; flight < end; ++flight) {{
{load_belief}
        for (int64_t row = 0; row < rows; ++row) {{
            const int64_t at = flight * rows + row;
            (void)at;
{load_sample}
            {name}(now, sample, now);
{store_recorded}
        }}
{store_belief}
    }}
}}
"""


@dataclasses.dataclass(frozen=True)
class FlightCode:
    """A step, and which of the numbers that it gives are the belief and which are recorded."""

    step: Code
    belief: Layout
    sample: Layout
    recorded: tuple[Leaf, ...]
    """Offsets are into the step's result."""
    drawn: bool = False
    """Samples are not given but standard normals, drawn by seed, flight and row; all flights start alike."""


def fly_source(code: FlightCode) -> str:
    """The source of a shared library with the loop alone; it needs nothing of Python's."""
    step, belief, sample = code.step, code.belief, code.sample
    skip = len(belief.leaves)
    start = "0" if code.drawn else "flight"
    if code.drawn:
        load_sample = draw_lines("sample", sample.size, " " * 12, "flight", "row")
    else:
        load_sample = list(_loads(sample.leaves, "sample", "at", skip, step.real, " " * 12))
    text = _FLY.format(
        real=step.real,
        name=step.name,
        result_size=max(step.result.size, 1),
        sample_size=max(sample.size, 1),
        load_belief="\n".join(_loads(belief.leaves, "now", start, 0, step.real, " " * 8)),
        load_sample="\n".join(load_sample),
        store_recorded="\n".join(_stores(code.recorded, "at", skip, " " * 12)),
        store_belief="\n".join(_stores(belief.leaves, "flight", 0, " " * 8)),
    )
    random = normals_source(step.single) if code.drawn else ""
    return "".join([PRELUDE, "\n", step.body.replace(step.signature, f"static {step.signature}"), "\n", random, text])


def _loads(leaves: Sequence[Leaf], into: str, at: str, first: int, real: str, indent: str) -> Iterator[str]:
    for k, leaf in enumerate(leaves):
        if leaf.size:
            source = f"((const {c_type(leaf)} *)given[{first + k}] + {at} * {leaf.size})[k]"
            yield f"{indent}for (int k = 0; k < {leaf.size}; ++k) {into}[{leaf.offset} + k] = ({real}){source};"


def _stores(leaves: Sequence[Leaf], at: str, first: int, indent: str) -> Iterator[str]:
    for k, leaf in enumerate(leaves):
        if leaf.size:
            target = f"(({c_type(leaf)} *)made[{first + k}] + {at} * {leaf.size})[k]"
            value = f"now[{leaf.offset} + k]"
            value = f"{value} != 0" if leaf.dtype.kind == "b" else f"({c_type(leaf)}){value}"
            yield f"{indent}for (int k = 0; k < {leaf.size}; ++k) {target} = {value};"


def c_type(leaf: Leaf) -> str:
    """The type of a leaf's numbers in an array."""
    return _TYPES.get(leaf.dtype.name, f"{leaf.dtype.name}_t")
