"""Progress: a bar on a terminal after a while, lines elsewhere, and never on standard output."""

import os
import subprocess
import sys

import pytest

from steelyard.report import _progress, progress

SCRIPT = """
import dataclasses, os, sys, time, types
# The module by itself: its room would load JAX, which takes its time.
room = sys.modules["steelyard.report"] = types.ModuleType("steelyard.report")
room.__path__ = [os.path.dirname({path!r})]
from steelyard.report import _progress
_progress.PROGRESS = dataclasses.replace(_progress.PROGRESS, delay={delay})
print("before")
with _progress.progress("Weighing [r1]", total=3, quiet={quiet}) as advance:
    for _ in range(3):
        time.sleep(0.3)
        advance()
    print("inside")
print("after")
"""


def run(delay: float, quiet: bool = False) -> tuple[str, str]:
    """Standard output, a pipe, and standard error, a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    code = SCRIPT.format(path=_progress.__file__, delay=delay, quiet=quiet)
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux's way to say that the other side is closed
                break
            if not piece:
                break
            shown += piece
        assert process.stdout is not None
        out = process.stdout.read().decode()
    os.close(ours)
    assert process.returncode == 0, shown.decode()
    return out, shown.decode()


def test_work_that_lasts_has_a_bar_on_standard_error():
    out, shown = run(delay=0.1)
    assert out.split() == ["before", "inside", "after"]
    assert "Weighing [r1]" in shown


def test_quick_work_has_none():
    out, shown = run(delay=30.0)
    assert out.split() == ["before", "inside", "after"]
    assert shown.strip() == ""


def test_quiet_means_quiet():
    assert run(delay=0.0, quiet=True)[1].strip() == ""


def test_away_from_a_terminal_quick_work_is_silent_and_lets_errors_through(capsys):
    def work():
        with progress("Weighing", 2) as advance:
            advance()
            advance(0.5)
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        work()
    assert capsys.readouterr() == ("", "")


def test_away_from_a_terminal_long_work_says_a_line_now_and_then(capsys, monkeypatch):
    clock = iter([0.0, 30.0, 61.0, 90.0, 150.0])
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    with progress("Weighing", 4) as advance:
        for _ in range(4):
            advance()
    assert capsys.readouterr() == ("", "Weighing: 2 of 4, 1 min\nWeighing: 4 of 4, 2 min\n")
