"""How much stack, flash and memory a step takes, as compilers report."""

import dataclasses
import re
import shutil
from collections.abc import Sequence

from steelyard._files import draft_folder
from steelyard._jax import private_folder
from steelyard.native.runtime._compiler import FLAGS, NoCompiler, run_compiler

TARGETS = {
    "this machine": ("cc", ()),
    "Cortex-M7": ("arm-none-eabi-gcc", ("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16")),
}
"""Compiler and options, by name; one that is not installed is left out."""
_SMALL = ("-Os", "-ffunction-sections", "-fdata-sections")


@dataclasses.dataclass(frozen=True)
class Size:
    """Of one compilation of the step, bytes."""

    target: str
    compiler: str
    flash: int
    """Code and constants."""
    ram: int
    """Variables that stay, beside the caller's vectors; a step has none."""
    stack: int
    """At most, in the step itself; the functions of <math.h> come on top."""


def measure(header: str, source: str, name: str) -> list[Size]:
    """For every target whose compiler is here."""
    found = []
    for target, (compiler, options) in TARGETS.items():
        path = shutil.which(compiler)
        if path is not None:
            found.append(_measure(target, path, options, header, source, name))
    return found


def not_measured(sizes: Sequence[Size]) -> list[str]:
    """A sentence for each target without a size: which compiler is missing."""
    known = {size.target for size in sizes}
    return [
        f"{target}: not measured, because {compiler} {'is not installed' if not shutil.which(compiler) else 'failed'}."
        for target, (compiler, _) in TARGETS.items()
        if target not in known
    ]


def _measure(target: str, compiler: str, options: tuple[str, ...], header: str, source: str, name: str) -> Size:
    with draft_folder(private_folder("native"), "sizes") as room:
        (room / f"{name}.h").write_text(header, encoding="utf-8")
        (room / f"{name}.c").write_text(source, encoding="utf-8")
        # For a small machine small code; for this one what is loaded here.
        flags = [*FLAGS, *(_SMALL if options else ()), *options, "-fstack-usage"]
        run_compiler([compiler, *flags, "-c", f"{name}.c", "-o", f"{name}.o"], room)
        stacks = [int(line.split("\t")[1]) for line in (room / f"{name}.su").read_text().splitlines()]
        sizer = shutil.which(re.sub(r"(gcc|cc|clang)$", "size", compiler)) or shutil.which("size")
        if sizer is None:
            raise NoCompiler(f"{compiler} is here without its `size`")
        text, data, bss = map(int, run_compiler([sizer, f"{name}.o"], room).splitlines()[1].split()[:3])
        version = run_compiler([compiler, "--version"], room).splitlines()[0]
    return Size(target, version, text + data, data + bss, sum(stacks))
