"""Pages that mkdocs makes from the code, so that they cannot drift: the commands' help and the public names."""

import os
import re
import subprocess
import sys

from mkdocs.structure.files import File

import steelyard

COMMANDS = """# Commands

`steelyard COMMAND --help`, as this version prints it. Exit codes: 0 well; 1 failed or interrupted; 2 bad usage or bad
input, one sentence on standard error; 3 it ran and nothing that was asked for is known.
"""
NAMES = "# Python names\n\n`import steelyard as sy`: these names are stable.\n"


def on_files(files, config):
    """Adds the generated pages before mkdocs reads any."""
    for path, text in (("reference/commands.md", commands()), ("reference/names.md", names())):
        files.append(File.generated(config, path, content=text))
    return files


def commands() -> str:
    """Every command's help."""
    every = re.findall(r"^  ([a-z]+)  ", _help(), re.MULTILINE)
    return COMMANDS + "".join(f"\n## {name}\n\n```text\n{_help(name)}```\n" for name in every)


def names() -> str:
    """Where mkdocstrings puts each public name."""
    return NAMES + "".join(f"\n::: steelyard.{name}\n" for name in sorted(steelyard.__all__) if name[0] != "_")


def _help(*words: str) -> str:
    environment = os.environ | {"COLUMNS": "110", "NO_COLOR": "1"}
    line = [sys.executable, "-m", "steelyard", *words, "--help"]
    return subprocess.run(line, capture_output=True, text=True, check=True, env=environment).stdout
