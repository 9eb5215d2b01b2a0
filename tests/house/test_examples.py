"""Every example runs to the end, and says at its top what it shows and how to run it."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT, script
from earnest import in_earnest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
NOTEBOOKS = sorted(FOLDER.glob("notebooks/*.ipynb"))
LIMIT_S = 120


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


@pytest.mark.parametrize("example", EXAMPLES[:-1], ids=lambda path: path.name)
def test_example_runs_to_the_end(example: Path, tmp_path: Path):
    run_script(example, tmp_path)


def run_script(path: Path, folder: Path) -> str:
    """Runs a script in a folder of its own; its standard output."""
    done = in_earnest(script, folder, path)
    assert done.returncode == 0, f"{path.name} ended with {done.returncode}:\n{done.stderr[-3000:]}"
    return done.stdout


def test_an_example_runs_in_a_process_of_its_own(tmp_path: Path):
    """As people run it; the others share a process, and with it what is imported and compiled."""
    env = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(EXAMPLES[-1])]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0, done.stderr[-3000:]


def cells_of(notebook: Path) -> list[dict]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


def script_of(notebook: Path) -> str:
    """The code cells in their order; the value that ends a cell is shown as a notebook shows it."""
    lines = [
        "def show(value):",
        "    html = getattr(value, '_repr_html_', None)",
        "    print(html() if html else value)",
    ]
    for cell in cells_of(notebook):
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            last = ast.parse(source).body[-1]
            if isinstance(last, ast.Expr) and not source.rstrip().endswith(";"):
                head = source.splitlines()[: last.lineno - 1]
                lines += [*head, f"show({ast.unparse(last.value)})"]
            else:
                lines.append(source)
    return "\n".join(lines)


def test_there_are_ten_examples_and_a_notebook():
    assert len(EXAMPLES) >= 10
    assert NOTEBOOKS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs_to_the_end(notebook: Path, tmp_path: Path):
    cells = tmp_path / "cells.py"
    cells.write_text(script_of(notebook), encoding="utf-8")
    assert "mass" in run_script(cells, tmp_path)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_opens_with_a_title_and_keeps_no_output(notebook: Path):
    cells = cells_of(notebook)
    assert "".join(cells[0]["source"]).startswith("# ")
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if "outputs" in cell)
    assert len({cell["id"] for cell in cells}) == len(cells)


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
