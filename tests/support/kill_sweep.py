"""Kills each long command at ten moments by three signals, and checks what it leaves behind.

    python tests/support/kill_sweep.py                            # all commands: some 150 runs, a quarter of an hour
    python tests/support/kill_sweep.py simulate export --moments 3 --signals SIGTERM

A command runs once to its end, which gives its duration and its outputs; then it is killed at evenly spaced moments of
that duration. After each kill:

- every output file is absent or whole (it parses, and ends as the complete one does);
- nothing else lies beside the outputs, nor in the folder for temporary files. SIGKILL lets no process clean up, so
  what it leaves must be gone after the next run of the same command;
- no process that the command started still runs.

The script prints a table and ends with 1 if anything was found. It needs Linux: processes are looked up in /proc.
"""

import argparse
import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

SIGNALS = ("SIGINT", "SIGTERM", "SIGKILL")
MOMENTS = 10
GRACE = 3.0
"""s in which children end after their parent was killed: they look for it twice a second."""
LONGEST = 900.0
"""s for a run on a busy machine, and for a command to end after a signal."""
_MARK = "STEELYARD_KILL_SWEEP"
"""In the environment of all processes of one run: by it they are found, whoever their parent is."""
# A shell that runs this in the background makes what it starts deaf to SIGINT.
_HEARING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


@dataclasses.dataclass(frozen=True)
class Case:
    """A command, with what it needs and what it writes, in a folder of its own."""

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    """Files, or a folder that comes as a whole."""
    inputs: tuple[str, ...] = ()
    whole_folder: bool = False
    cold: bool = False
    """Whether caches of compiled code are empty, so that there is something to compile."""


CASES = {
    "identify": Case(
        ("identify", "flight.csv", "--as", "multirotor", "--report", "report.html"), ("report.html",), ("flight.csv",)
    ),
    "simulate": Case(("simulate", "multirotor", "--duration", "120", "-o", "log.csv"), ("log.csv",)),
    "export": Case(("export", "--as", "multirotor", "-o", "filter"), ("filter",), whole_folder=True, cold=True),
    "reproduce": Case(("reproduce", "cdc14"), ("cdc14.html",)),
    "demo": Case(("demo", "-o", "demo"), ("demo/hold.csv", "demo/team.toml", "demo/report.html")),
}


@dataclasses.dataclass(frozen=True)
class Found:
    """What one kill left behind; empty where all is well."""

    moment: float
    code: int | None
    problems: tuple[str, ...]


class Sweep:
    """Runs a case again and again, each time in a new folder."""

    def __init__(self, case: Case, folder: Path, inputs: Path):
        self._case, self._folder, self._inputs, self._count = case, folder, inputs, 0
        self._cache = folder / "cache"
        self._run()  # warms the caches up, so that the next one takes as long as all others
        place, self.duration, code = self._run()
        if code != 0:
            raise SystemExit(f"{' '.join(case.arguments)} ends with {code} when nobody kills it.")
        self._whole = {name: place / name for name in case.outputs}

    def kill(self, moment: float, kind: signal.Signals) -> Found:
        """Kills one run after so many seconds, and looks at what is there."""
        place, _, code = self._run(moment, kind)
        problems = [f"{pid} still runs" for pid in self._orphans()]
        if kind != signal.SIGKILL and code not in (0, 1, -kind):  # the last before the program has begun
            problems.append(f"exit code {code}")
        if kind == signal.SIGKILL and self._leftovers(place):
            self._run(again=place)  # what it could not remove, the next run does
        problems += self._half_written(place) + self._leftovers(place)
        shutil.rmtree(place)
        return Found(moment, code, tuple(problems))

    def _run(
        self, moment: float | None = None, kind: signal.Signals | None = None, again: Path | None = None
    ) -> tuple[Path, float, int]:
        """Where, how long, and with which exit code."""
        self._count += 1
        place = again or self._folder / f"run-{self._count}"
        place.mkdir(exist_ok=True)
        for name in self._case.inputs:
            shutil.copy(self._inputs / name, place / name)
        if again is not None and self._case.whole_folder:
            for name in self._case.outputs:
                shutil.rmtree(place / name, ignore_errors=True)  # it asks for a new one
        cache = place / "cache" if self._case.cold else self._cache
        (place / "tmp").mkdir(exist_ok=True)
        environment = {
            **os.environ, _MARK: str(self._folder), "STEELYARD_CACHE": str(cache), "TMPDIR": str(place / "tmp")
        }  # fmt: skip
        if self._case.cold:  # the program's own cache is not what is tried here
            environment["JAX_COMPILATION_CACHE_DIR"] = str(self._cache)
        command = [sys.executable, "-c", _HEARING, sys.executable, "-m", "steelyard", *self._case.arguments]
        begin = time.monotonic()
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if moment is not None and kind is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moment)
            if process.poll() is None:
                process.send_signal(kind)
        try:
            code = process.wait(LONGEST)
        finally:
            if process.poll() is None:
                process.kill()
        return place, time.monotonic() - begin, code

    def _orphans(self) -> list[int]:
        """Processes of this sweep that are there when all should have ended."""
        end = time.monotonic() + GRACE
        while (found := marked(str(self._folder))) and time.monotonic() < end:
            time.sleep(0.1)
        return found

    def _half_written(self, place: Path) -> list[str]:
        found = []
        for name, whole in self._whole.items():
            path = place / name
            if path.is_dir():
                names = {one.name for one in path.iterdir()}
                found += [] if names == {one.name for one in whole.iterdir()} else [f"{name} has {sorted(names)}"]
            elif path.exists() and not _is_whole(path, whole):
                found.append(f"{name} is half written")
        return found

    def _leftovers(self, place: Path) -> list[str]:
        """All that lies beside inputs and outputs, in the folder for temporary files and in the cache."""
        expected = {place / name for name in (*self._case.inputs, *self._case.outputs)}
        found = [
            path
            for path in place.rglob("*")
            if path not in expected
            and not path.is_dir()
            and not any(parent in expected or parent == place / "cache" for parent in path.parents)
        ]
        found += [path for path in (place / "tmp").iterdir() if path.is_dir()]
        found += [*self._cache.rglob(".*draft*"), *(place / "cache").rglob(".*draft*")]
        return [f"left behind: {path.name}" for path in found]


def marked(mark: str) -> list[int]:
    """Processes, by number, that carry a mark in their environment; those that have ended do not count."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            if f"{_MARK}={mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                state = (path / "stat").read_text().rsplit(") ", 1)[1][0]
                found += [] if state in "ZX" else [int(path.name)]
    return found


def _is_whole(path: Path, whole: Path) -> bool:
    """Whether a file ends as the whole one does; of a log or a configuration also whether it has all lines."""
    mine, other = path.read_bytes(), whole.read_bytes()
    if path.suffix == ".html":
        return mine.rstrip().endswith(b"</html>")
    return mine.endswith(b"\n") and mine.count(b"\n") == other.count(b"\n")


def sweep(name: str, signals: Sequence[str], moments: int, folder: Path) -> dict[str, list[Found]]:
    """Kills one command at so many moments by each signal."""
    inputs = folder / "inputs"
    if not inputs.exists():
        inputs.mkdir()
        command = [sys.executable, "-m", "steelyard", "simulate", "multirotor", "--duration", "20", "-o", "flight.csv"]
        subprocess.run(command, cwd=inputs, check=True, stdout=subprocess.DEVNULL)
    place = folder / name
    place.mkdir()
    one = Sweep(CASES[name], place, inputs)
    found: dict[str, list[Found]] = {}
    for kind in signals:
        found[kind] = [one.kill(one.duration * (k + 0.5) / moments, getattr(signal, kind)) for k in range(moments)]
    return found


def main() -> int:
    """Sweeps, prints a table; 1 where anything was left behind."""
    parser = argparse.ArgumentParser(description="Kills commands and checks what they leave behind.")
    parser.add_argument("commands", nargs="*", help=", ".join(CASES))
    parser.add_argument("--signals", nargs="+", default=list(SIGNALS), choices=SIGNALS)
    parser.add_argument("--moments", type=int, default=MOMENTS)
    options = parser.parse_args()
    if unknown := set(options.commands) - set(CASES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(CASES)}")
    failed = False
    print(f"{'command':<12}{'signal':<10}{'kills':>6}{'ended first':>13}{'problems':>10}")
    for name in options.commands or CASES:
        with tempfile.TemporaryDirectory(prefix="kill-sweep-") as folder:
            for kind, all_found in sweep(name, options.signals, options.moments, Path(folder)).items():
                bad = [one for one in all_found if one.problems]
                early = sum(one.code == 0 for one in all_found)
                print(f"{name:<12}{kind:<10}{len(all_found):>6}{early:>13}{len(bad):>10}", flush=True)
                for one in bad:
                    print(f"    at {one.moment:.2f} s (exit code {one.code}): {'; '.join(one.problems)}", flush=True)
                failed = failed or bool(bad)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
