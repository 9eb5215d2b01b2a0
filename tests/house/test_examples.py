"""Every example runs to the end, and says at its top what it shows and how to run it."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard._jax import private_folder

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
LIMIT_S = 120
CACHED = {
    "JAX_COMPILATION_CACHE_DIR": str(private_folder("xla")),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
"""JAX's own settings, as a user may have them: an example compiles the same programs every time."""


def opening_problem(source: str) -> str | None:
    """What the opening docstring lacks of title, prose and usage, or None."""
    doc = ast.get_docstring(ast.parse(source))
    if not doc:
        return "no module docstring"
    title, *paragraphs = re.split(r"\n\s*\n", doc)
    if "\n" in title:
        return "the docstring's first paragraph is not a one-line title"
    usage = [text for text in paragraphs if re.match(r"usage\b", text, re.IGNORECASE)]
    if not usage:
        return 'no paragraph that begins with "Usage"'
    if len(paragraphs) < 2 or paragraphs[0] in usage:
        return "no prose between the title and the usage"
    return None


def test_there_is_an_example():
    assert EXAMPLES, "examples/ has no example; write examples/01_….py"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_is_numbered_and_opens_with_title_prose_and_usage(example: Path):
    assert re.fullmatch(r"\d\d_[a-z][a-z0-9_]*\.py", example.name), "name it NN_topic.py"
    problem = opening_problem(example.read_text(encoding="utf-8"))
    assert problem is None, f"{example.name}: {problem}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs_to_the_end(example: Path, tmp_path: Path):
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, **CACHED}
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LIMIT_S
    )
    assert done.returncode == 0, f"{example.name} ended with {done.returncode}:\n{done.stderr[-3000:]}"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('"""Title.\n\nProse.\n\nUsage:\n    python x.py\n"""', None),
        ("x = 1", "no module docstring"),
        ('"""Title.\n\nProse."""', "Usage"),
        ('"""Title.\n\nUsage: python x.py"""', "no prose"),
        ('"""Title that\nwraps.\n\nProse.\n\nUsage: x"""', "one-line title"),
    ],
)
def test_the_checker_reads_openings(source: str, problem: str | None):
    found = opening_problem(source)
    assert (found is None) if problem is None else (problem in (found or ""))
