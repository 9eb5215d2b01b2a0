"""The command line as a user starts it, and team files for real processes on free ports."""

import contextlib
import io
import os
import runpy
import subprocess
import sys
import traceback
from pathlib import Path

from teams import free_ports

ENVIRONMENT = {**os.environ, "XLA_FLAGS": ""}  # the tests' own flags make programs slow
NOISE = "\n".join(
    f"{signal} = 0.1" for signal in ("twist_angular", "twist_linear", "specific_force", "wrench_torque", "wrench_force")
)
TEAM = """
[team]
robots = {robots}
links = {links}
[noise]
{noise}
[live]
problem = "spatial-load"
rate = {rate}
port = {port}
local_port = {local}
{more}
"""


def write_team(folder: Path, links: list[list[str]], rate: float, live: str = "", rest: str = "") -> Path:
    """A team of robots in space; `live` are more lines of `[live]`, `rest` more tables."""
    robots = sorted({name for link in links for name in link})
    port = free_ports(2 * len(robots))
    text = TEAM.format(
        robots=str(robots).replace("'", '"'),
        links=str(links).replace("'", '"'),
        noise=NOISE,
        rate=rate,
        port=port,
        local=port + len(robots),
        more=live,
    )
    path = folder / "team.toml"
    path.write_text(text + rest, encoding="utf-8")
    return path


def command(*arguments: object) -> list[str]:
    """What runs steelyard with these arguments."""
    return [sys.executable, "-m", "steelyard", *map(str, arguments)]


def steelyard(*arguments: object, timeout: float = 240.0) -> subprocess.CompletedProcess:
    """Runs it to its end."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT)


def typed(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """How a command that is typed in a folder ends; importable, to be run in earnest."""
    from steelyard.cli._main import run

    said, complained = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            code = run(list(words))
        except SystemExit as end:
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, said.getvalue(), complained.getvalue())


def script(folder: Path, path: Path) -> subprocess.CompletedProcess:
    """How a Python script that is run in a folder ends; importable, to be run in earnest."""
    said, complained = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            runpy.run_path(str(path), run_name="__main__")
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        except Exception:
            traceback.print_exc()
            code = 1
    return subprocess.CompletedProcess(str(path), code, said.getvalue(), complained.getvalue())


def gone(pid: int) -> bool:
    """Whether there is no such process any more."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
