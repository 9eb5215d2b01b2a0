"""What the README tells people to type is what exists."""

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from commands import typed
from earnest import in_earnest

ROOT = Path(__file__).parents[2]
SHELLS = {"", "sh", "bash", "shell", "console"}
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def read(name: str) -> str:
    path = ROOT / name
    assert path.is_file(), f"{name} does not exist yet"
    return path.read_text(encoding="utf-8")


def shell_blocks(markdown: str) -> list[list[str]]:
    """The commands of every fenced shell block: no comments, no prompts, continued lines joined."""
    return [commands(body) for language, body in FENCE.findall(markdown) if language in SHELLS]


def commands(script: str) -> list[str]:
    joined = re.sub(r"\\\n\s*", "", script)
    lines = (re.sub(r"^\$ |\s+#.*$", "", line.strip()) for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def ci_commands(script: str) -> list[str]:
    """What `.ci/run` does, less the shell's own preparations."""
    lines = (line.removeprefix("exec ") for line in commands(script))
    return [line for line in lines if not re.match(r"(set|cd|export)\b", line)]


def contains(block: list[str], wanted: list[str]) -> bool:
    return any(block[start : start + len(wanted)] == wanted for start in range(len(block) - len(wanted) + 1))


def make_targets_named(markdown: str) -> set[str]:
    """The words after `make` in fenced blocks and code spans; prose may make sense as it likes."""
    code = [line for block in shell_blocks(markdown) for line in block]
    code += CODE_SPAN.findall(FENCE.sub("", markdown))
    found = set()
    for line in code:
        if match := re.match(r"make((?:\s+[a-z][\w-]*)+)\s*$", line):
            found |= set(match[1].split())
    return found


def make_targets(makefile: str) -> set[str]:
    rules = re.findall(r"^([A-Za-z][\w .-]*?)\s*:(?!=)", makefile, re.MULTILINE)
    return {target for rule in rules for target in rule.split()}


def subcommands_named(markdown: str) -> set[str]:
    found = set()
    for line in (line for block in shell_blocks(markdown) for line in block):
        for part in re.split(r"\|\|?|&&|;", line):
            words = _words(part)
            while words and (re.match(r"\w+=", words[0]) or words[0] in ("uv", "run", "time")):
                words = words[1:]
            if words[1:3] == ["-m", "steelyard"]:
                words = words[2:]
            if len(words) > 1 and Path(words[0]).name == "steelyard" and re.fullmatch(r"[a-z][\w-]*", words[1]):
                found.add(words[1])
    return found


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # an unfinished quotation is prose, not a command
        return line.split()


def subcommands_in_help(text: str) -> set[str]:
    """The names in `{demo,simulate,…}`, and the first word of each entry of a list of subcommands."""
    plain = re.sub(r"\x1b\[[0-9;]*m|[│╭╮╰╯─|]", " ", text)
    names = {name for group in re.findall(r"\{([^{}]+)\}", plain) for name in re.split(r"[\s,]+", group) if name}
    return names | set(re.findall(r"^\s+([a-z][\w-]*)(?:\s{2,}.*)?$", plain, re.MULTILINE))


@cache
def cli_help() -> str:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "--help"], capture_output=True, text=True, timeout=60, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_shows_the_test_command_that_ci_runs():
    wanted = ci_commands(read(".ci/run"))
    assert wanted, ".ci/run executes nothing"
    blocks = shell_blocks(read("README.md"))
    assert any(contains(block, wanted) for block in blocks), (
        f".ci/run executes {wanted}; no fenced block of the README shows exactly that, one command a line."
    )


def test_ci_run_is_executable():
    read(".ci/run")
    assert os.access(ROOT / ".ci" / "run", os.X_OK), ".ci/run is not executable; chmod +x it"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_named_exists(name: str):
    named = make_targets_named(read(name))
    if named:
        missing = named - make_targets(read("Makefile"))
        assert not missing, f"{name} names make {', '.join(sorted(missing))}; the Makefile has no such target"


def test_every_subcommand_shown_exists():
    named = subcommands_named(read("README.md"))
    assert named, "the README shows no steelyard command in a fenced block"
    missing = named - subcommands_in_help(cli_help())
    assert not missing, f"the README shows steelyard {', '.join(sorted(missing))}; steelyard --help does not"


def test_the_readme_fits_a_screen_or_three():
    lines = read("README.md").splitlines()
    assert len(lines) <= 120
    assert [line for line in lines if len(line) > 120] == []


def test_the_checker_reads_markdown():
    markdown = """Make sense with `make docs`, or make tea.

```sh
$ make lint test   # both
PYTHONPATH=src python -m steelyard demo --seed 1 | head
pip install steelyard
steelyard identify log.csv \\
    --as multirotor && .venv/bin/steelyard plan x
```

```python
steelyard = simulate
```
"""
    assert shell_blocks(markdown)[0][0] == "make lint test"
    assert make_targets_named(markdown) == {"docs", "lint", "test"}
    assert subcommands_named(markdown) == {"demo", "identify", "plan"}


def test_the_checker_reads_scripts_makefiles_and_help():
    assert ci_commands("#!/bin/sh\n# why\nset -eu\ncd x\nexec make test\n") == ["make test"]
    assert make_targets("A := 1\n.PHONY: test\ntest lint: venv\n\tpytest: no\n") == {"test", "lint"}
    shown = "usage: steelyard [-h] {demo,identify,\nplan}\n│   bench       Speed against peers  │\n"
    assert subcommands_in_help(shown) >= {"demo", "identify", "plan", "bench"}
    assert not contains(["make test"], ["make lint"])


TYPED_AND_SHOWN = re.findall(r"```console\n([^`]*)```\n```text\n(.*?)```", read("README.md"), re.DOTALL)
"""Commands of the README with the output that it shows below them."""
VALUE = re.compile(r"(-?[\d.]+) ± ([\d.]+)")


@pytest.mark.parametrize(("commands_typed", "shown"), TYPED_AND_SHOWN, ids=["drone", "wrist", "team"])
def test_the_readme_shows_todays_answers(commands_typed: str, shown: str, tmp_path: Path):
    """The first sentence in the same words, its value within the interval shown, and the interval within a third."""
    out = ""
    for line in commands(commands_typed):
        words = shlex.split(line)[1:]
        if words[0] in ("simulate", "identify"):
            done = in_earnest(typed, tmp_path, *words)
            assert done.returncode == 0, done.stderr
            out = done.stdout
    promised, printed = shown.splitlines()[0], out.splitlines()[0]
    assert VALUE.sub("", promised) == VALUE.sub("", printed)
    (value, half), (today, half_today) = (map(float, VALUE.search(one).groups()) for one in (promised, printed))
    assert abs(value - today) <= half
    assert abs(half - half_today) <= half / 3
