"""Imports point down the list of rooms only, and the core stays small and quick to import."""

import ast
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"

ROOMS = (
    "geometry",
    "models",
    "estimators",
    "information",
    "native",
    "monitor",
    "team",
    "worlds",
    "logs",
    "problems",
    "planning",
    "report",
    "campaigns",
    "papers",
    "live",
    "bench",
    "cli",
)
SHARED = ("errors", "_files", "_jax", "_rotations", "_serialise", "config")  # importable by all, and import no room
ENTRANCES = ("__main__", "_face")  # may import every room: no room imports them, but cli calls the face
CORE = ("geometry", "models", "estimators", "information", "monitor")
CORE_PACKAGES = {"numpy", "jax", "jaxlib", "jaxlie", "equinox", "jaxtyping", "msgspec"}
DEFERRED = {("models", "idyntree")}  # in a core room, but only inside the function that uses it
LOOKED_UP = {("estimators", "native")}  # engines, by name and when one is asked for: decision 66
DEPENDENCIES = CORE_PACKAGES | {"rich", "tyro"}
SLOW = ("jax", "jaxlib", "numpy", "plotly", "mujoco", "pyarrow")


@dataclass(frozen=True)
class Import:
    line: int
    target: str  # absolute and dotted; the last part may be an attribute
    eager: bool  # runs when the module is imported


@dataclass(frozen=True)
class Module:
    name: str
    path: str
    source: str
    is_package: bool = False

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]


def modules() -> Iterator[Module]:
    for file in sorted((SRC / "steelyard").rglob("*.py")):
        parts = file.relative_to(SRC).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        yield Module(name, str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"), is_package)


def imports(module: Module) -> list[Import]:
    return list(_walk(ast.parse(module.source), module.package, eager=True))


def _walk(node: ast.AST, package: str, *, eager: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        yield from (Import(child.lineno, target, eager) for target in _targets(child, package))
        deferred = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _for_types_only(child)
        yield from _walk(child, package, eager=eager and not deferred)


def _targets(node: ast.AST, package: str) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=base, names=names, level=level):
            start = _absolute(base or "", package, level)
            return [f"{start}.{alias.name}" for alias in names]
        case ast.Call(func=ast.Name(id="__import__" | "import_module"), args=[ast.Constant(value=str(name)), *_]):
            return [name]
        case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
            return [name]
    return []


def _absolute(base: str, package: str, level: int) -> str:
    if level == 0:
        return base
    parents = package.split(".")
    return ".".join([*parents[: len(parents) - level + 1], *([base] if base else [])])


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def room_of(dotted: str) -> str | None:
    """The second part of `steelyard.x.y`; None for `steelyard` itself and for what is not ours."""
    first, *rest = dotted.split(".")
    return rest[0] if first == "steelyard" and rest else None


def violations(module: Module) -> list[str]:
    """One line a broken rule: file, line, rule."""
    here = room_of(module.name)
    found = []
    if here is not None and here not in (*ROOMS, *SHARED, *ENTRANCES):
        found.append(f'{module.path}:1: "{here}" is neither a room nor a known root module; put it into a room.')
    for item in imports(module):
        for problem in (_breaks_order(here, item.target, item.eager), _breaks_core(here, item.target, item.eager)):
            if problem:
                found.append(f"{module.path}:{item.line}: imports {item.target}: {problem}")
    return found


def _breaks_order(here: str | None, target: str, eager: bool) -> str | None:
    there = room_of(target)
    if there == "_face" and here not in (None, "_face", "cli"):
        return f"{here} comes before the face, which joins the rooms; only the package root and cli may import it."
    if here is None and not eager:
        return None  # the root is the face's list of names: it imports each when it is first used, and none before
    if there not in ROOMS or here == there or here in ENTRANCES:
        return None
    if here not in ROOMS:
        return f"{here or 'the package root'} is shared by every room, so it may import no room."
    if not eager and (here, there) in LOOKED_UP:
        return None
    if ROOMS.index(there) > ROOMS.index(here):
        return f"{here} comes before {there}, and imports point down the list of rooms only."
    return None


def _breaks_core(here: str | None, target: str, eager: bool) -> str | None:
    package = target.split(".")[0]
    if (here, package) in DEFERRED and not eager:
        return None
    if here not in CORE or not _is_third_party(package) or package in CORE_PACKAGES:
        return None
    return f"{here} is a core room: its only third-party packages are {', '.join(sorted(CORE_PACKAGES))}."


def _is_third_party(package: str) -> bool:
    return package not in sys.stdlib_module_names and package != "steelyard"


def loaded_by(start: str, known: dict[str, Module]) -> set[str]:
    """Every module of ours that runs when `start` is imported, parents included."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        parts = todo.pop().split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if name in known and name not in seen:
                seen.add(name)
                todo += [item.target for item in imports(known[name]) if item.eager]
    return seen


def heavy_imports(start: str, known: dict[str, Module]) -> list[str]:
    found = []
    for name in sorted(loaded_by(start, known)):
        for item in imports(known[name]):
            package = item.target.split(".")[0]
            if item.eager and _is_third_party(package) and package not in DEPENDENCIES:
                found.append(
                    f"{known[name].path}:{item.line}: imports {package}, an extra, whenever {start} is imported; "
                    "import it inside the function that uses it."
                )
    return found


@pytest.mark.parametrize(
    ("path", "begin", "end", "pattern"),
    [
        ("CONTRIBUTING.md", "| room |", "\n\n", r"^\| `(\w+)/` \|"),
        ("src/steelyard/__init__.py", "The rooms, each", "\n\n", r"`(\w+)`(?=[,.])"),
        ("docs/DECISIONS.md", "the order is", ".", r"\b([a-z]+)\b(?=,|$)"),
    ],
)
def test_the_documents_list_the_same_rooms_in_the_same_order(path: str, begin: str, end: str, pattern: str):
    text = (ROOT / path).read_text(encoding="utf-8").split(begin, 1)[1].split(end, 1)[0]
    assert tuple(re.findall(pattern, text, re.MULTILINE)) == ROOMS


def test_every_room_is_a_folder_and_every_folder_a_room():
    folders = {folder.parent.name for folder in (SRC / "steelyard").glob("*/__init__.py")}
    assert folders - {*SHARED, *ENTRANCES} == set(ROOMS)


@functools.cache
def public_names(package: str) -> set[str]:
    """What a package's `__init__` hands out."""
    path = SRC / Path(*package.split(".")) / "__init__.py"
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module([], [])
    return {
        name.asname or name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names
    }


def test_tests_import_public_names_where_there_are_any():
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.module.split(".") if isinstance(node, ast.ImportFrom) and node.module else []
            private = next((k for k, part in enumerate(parts) if part.startswith("_")), None)
            for name in node.names if private and parts[0] == "steelyard" else ():
                homes = [home for k in range(1, private + 1) if name.name in public_names(home := ".".join(parts[:k]))]
                found += [f"{path.name}:{node.lineno}: import {name.name} from {home}" for home in homes[:1]]
    assert not found, "\n" + "\n".join(found)


INSIDE = {"steelyard.live.robot": "steelyard.live.trials"}
"""Inside a room: what must not import what. Production knows nothing of trials."""


def test_production_imports_nothing_of_trials():
    found = [
        f"{module.path}:{item.line}: imports {item.target}"
        for module in modules()
        for here, there in INSIDE.items()
        if f"{module.name}.".startswith(f"{here}.")
        for item in imports(module)
        if f"{item.target}.".startswith(f"{there}.")
    ]
    assert not found, "\n" + "\n".join(found)


def test_imports_point_down_the_rooms():
    found = [line for module in modules() for line in violations(module)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("start", ["steelyard", "steelyard.cli"])
def test_no_extra_is_needed_to_import(start: str):
    found = heavy_imports(start, {module.name: module for module in modules()})
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("start", ["steelyard", "steelyard.cli"])
def test_importing_loads_nothing_slow(start: str):
    code = f"import sys, {start}; print(*(name for name in {SLOW!r} if name in sys.modules))"
    path = os.pathsep.join([str(SRC), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), f"import {start} loads {done.stdout.strip()}; import these where they are used"


@pytest.mark.parametrize(
    ("name", "source", "rule"),
    [
        ("steelyard.geometry.x", "import steelyard.models", "geometry comes before models"),
        ("steelyard.geometry.x", "from steelyard import models", "geometry comes before models"),
        ("steelyard.geometry.x", "from ..models.planar import Load", "geometry comes before models"),
        ("steelyard.geometry.x", "def f():\n    from .. import cli", "geometry comes before cli"),
        ("steelyard.worlds.x", "import importlib\nimportlib.import_module('steelyard.report')", "worlds comes before"),
        ("steelyard.worlds.x", "if TYPE_CHECKING:\n    from steelyard.logs import Log", "worlds comes before logs"),
        ("steelyard.errors", "from steelyard import geometry", "may import no room"),
        ("steelyard", "from .geometry import skew", "may import no room"),
        ("steelyard.monitor.x", "def f():\n    import scipy.stats", "monitor is a core room"),
        ("steelyard.models.x", "from idyntree import swig", "models is a core room"),
        ("steelyard.report.x", "from steelyard._face._identify import identify", "report comes before the face"),
        ("steelyard.helpers", "", "neither a room nor a known root module"),
    ],
)
def test_the_checker_catches(name: str, source: str, rule: str):
    found = violations(Module(name, "made-up.py", source, is_package=name == "steelyard"))
    assert len(found) == 1, found
    assert found[0].startswith(f"made-up.py:{max(1, len(source.splitlines()))}: ")
    assert rule in found[0]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (
            "steelyard.models.x",
            "import math, jax\nfrom ..geometry import skew\nfrom . import y\nfrom .. import _jax",
        ),
        ("steelyard.worlds.x", "def f():\n    import mujoco"),
        ("steelyard.cli", "from steelyard import papers, report, errors\nimport tyro"),
        ("steelyard.__main__", "from steelyard.cli import main"),
        ("steelyard.errors", "import difflib"),
        ("steelyard", "if TYPE_CHECKING:\n    from steelyard.logs import Log"),
        ("steelyard.cli.x", "from steelyard._face._identify import identify"),
        ("steelyard._face.x", "from steelyard import problems, report"),
    ],
)
def test_the_checker_lets_pass(name: str, source: str):
    assert violations(Module(name, "made-up.py", source)) == []


def test_the_checker_follows_eager_imports_only():
    known = {
        module.name: module
        for module in (
            Module("steelyard", "a.py", "", is_package=True),
            Module("steelyard.cli", "b.py", "from .report import table\ndef f():\n    import steelyard.worlds"),
            Module("steelyard.report", "c.py", "from .plots import plot", is_package=True),
            Module("steelyard.report.plots", "d.py", "import rich\nimport plotly.io\ndef g():\n    import pyarrow"),
            Module("steelyard.worlds", "e.py", "import mujoco", is_package=True),
        )
    }
    found = heavy_imports("steelyard.cli", known)
    assert len(found) == 1
    assert found[0].startswith("d.py:2: imports plotly")
    assert heavy_imports("steelyard", known) == []


def test_importing_the_rooms_leaves_jax_asleep():
    """Programs set JAX up before its first array; an array made at import time would come before them."""
    rooms = ", ".join(f"steelyard.{room}" for room in ROOMS if (SRC / "steelyard" / room).is_dir())
    code = f"import {rooms}\nfrom jax._src import xla_bridge\nassert not xla_bridge._backends, xla_bridge._backends"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
