"""A folder of C99 that stands alone: the step, a program that checks it, and how to build it."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jax
import numpy as np

from steelyard._files import check_output_folder, draft_folder
from steelyard.errors import BadInput
from steelyard.native.c._emit import Code, emit
from steelyard.native.c._export_texts import build_file, check_program, header_file, readme, source_file, vector_file
from steelyard.native.c._python_binding import can_run
from steelyard.native.c._sizes import Size, measure
from steelyard.native.c._tuning import EXPORT
from steelyard.native.runtime._compiler import NoCompiler


@dataclasses.dataclass(frozen=True)
class Exported:
    """What was written."""

    folder: Path
    files: tuple[str, ...]
    code: Code
    sizes: tuple[Size, ...]
    """One a compiler that is here."""


def export(
    step: Callable[..., Any],
    example: Sequence[Any],
    folder: str | Path,
    name: str = "step",
    *,
    samples: Any = None,
    single: bool = False,
    symmetric: Sequence[str] = (),
    about: str = "",
    units: Mapping[str, str] = MappingProxyType({}),
) -> Exported:
    """Writes a pure step as C99 into a folder, which is made or must be empty.

    `example` has the step's arguments, whose shapes stay. Where the step takes a state and a sample and gives the next
    state, `samples`, with a leading axis of time, are what the check replays; else it repeats the example. With
    `single` all is in float32. Square arguments whose last name is in `symmetric` are so, which saves work. `units` has
    the units of numbers by their last name, for the header. A step that gives the next state has an initialiser, too:
    the example's state.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise BadInput(f"{place} is there already and not an empty folder; give a new one.")
    if not place.parent.is_dir():
        raise BadInput(f"{place}: the folder {place.parent} does not exist; create it or choose another output.")
    check_output_folder(place.parent)
    code = emit(step, example, f"{name}_step", single, symmetric)
    states, rows, expected = _recorded(step, example, samples, code)
    source = source_file(code, name, states)
    try:
        sizes = tuple(measure(header_file(code, name, None, about, units), source, name))
    except NoCompiler:
        sizes = ()
    texts = {
        f"{name}.h": header_file(code, name, sizes, about, units),
        f"{name}.c": source,
        f"{name}_vector.h": vector_file(code, name, states, rows, expected),
        "main.c": check_program(code, name),
        "CMakeLists.txt": build_file(name),
        "README.md": readme(code, name, sizes, about),
    }
    _write_all(place, texts)
    return Exported(place, tuple(texts), code, sizes)


def _recorded(
    step: Callable[..., Any], example: Sequence[Any], samples: Any, code: Code
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First argument, the other arguments row by row, and JAX's results: what the check replays."""
    compiled = jax.jit(lambda *arguments: step(*arguments))  # a method of a module has no hash
    repeats = can_run(code)
    count = (
        min(EXPORT.checked_calls, np.shape(jax.tree.leaves(samples)[0])[0])
        if samples is not None
        else (EXPORT.checked_calls if repeats else 1)
    )
    at, given, exported = list(example), [], []
    for k in range(count):
        if samples is not None:
            at[1] = jax.tree.map(lambda leaf, k=k: leaf[k], samples)
        given.append(_vector(at[1:]))
        result = compiled(*at)
        exported.append(_vector(result))
        if repeats:
            at[0] = result
    return _vector(example[0]), np.stack(given), np.stack(exported)


def _vector(tree: Any) -> np.ndarray:
    leaves = [np.ravel(np.asarray(leaf)).astype(float) for leaf in jax.tree.leaves(tree)]
    return np.concatenate(leaves) if leaves else np.zeros(0)


def _write_all(place: Path, texts: dict[str, str]) -> None:
    """All files or none: they are written beside and moved at once."""
    with draft_folder(place.parent, place.name) as parent:
        room = parent / "folder"
        room.mkdir()
        for file, text in texts.items():
            (room / file).write_text(text, encoding="utf-8")
        if place.exists():
            place.rmdir()  # it is empty
        os.replace(room, place)
