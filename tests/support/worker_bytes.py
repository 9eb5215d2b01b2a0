"""Runs campaigns alone, on four workers of which one is killed, and on a scheduler: all must give the same bytes.

    PYTHONPATH=src python tests/support/worker_bytes.py [cover chaos reproduce sesame] [--pause 5]

The scheduler has two workers, each with a folder and a cache of its own, as on two machines. A line is printed for each
command and way; the exit code is 1 where bytes differ or a command fails.
"""

import argparse
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

COMMANDS = {
    "cover": ["cover", "jets", "--seeds", "8", "--json"],
    "chaos": ["trial", "chaos", "--problem", "planar-load", "--runs", "4", "--json"],
    "reproduce": ["reproduce", "ironcub", "--trials", "4", "--json"],
    "sesame": ["simulate", "sesame", "--repetitions", "1", "--json"],
}


def children(pid: int) -> list[int]:
    """Worker processes of a command."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def run(arguments: list[str], folder: Path, pause: float | None = None) -> tuple[int, str, int | None]:
    """Exit code, a digest of what was printed and written, and which worker was killed after a `pause`."""
    folder.mkdir()
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "OPENBLAS_NUM_THREADS": "1"}
    writes = ["-o", "made"] if arguments[0] == "simulate" else []
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", *arguments, *writes],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    killed = None
    while pause is not None and killed is None and process.poll() is None:
        time.sleep(0.2)
        if len(children(process.pid)) >= 4:
            time.sleep(pause)
            if process.poll() is None and (left := children(process.pid)):
                killed = left[1 % len(left)]
                os.kill(killed, signal.SIGKILL)
    printed, said = process.communicate()
    if process.returncode:
        print(said.decode()[-1500:], file=sys.stderr)
    digest = hashlib.sha256(printed)
    for path in sorted((folder / "made").rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return process.returncode, digest.hexdigest()[:16], killed


@contextlib.contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """The address of a scheduler with two workers in folders of their own."""
    running = []

    def start(name: str, *options: str) -> None:
        place = folder / f"machine{len(running)}"
        place.mkdir(parents=True)
        command = [sys.executable, "-m", f"distributed.cli.dask_{name}", "--no-dashboard", *options]
        environment = os.environ | {"XDG_CACHE_HOME": str(place / "cache")}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running.append(subprocess.Popen(command, cwd=place, env=environment, start_new_session=True, **quiet))

    file = folder / "scheduler.json"
    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        for _ in range(2):
            start("worker", "--scheduler-file", str(file), "--nthreads", "1")
        while not file.exists():
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("commands", nargs="*", default=list(COMMANDS), choices=[*COMMANDS, []])
    parser.add_argument("--pause", type=float, default=5.0, help="s between the workers' start and the kill")
    given, failed = parser.parse_args(), False
    for name in given.commands:
        with tempfile.TemporaryDirectory() as temporary:
            folder, command = Path(temporary), COMMANDS[name]
            alone = run(command, folder / "alone")
            ways = {"4 workers": run([*command, "--workers", "4"], folder / "workers", given.pause)}
            with scheduler(folder / "cluster") as address:
                ways["a scheduler"] = run([*command, "--scheduler", address], folder / "scheduled")
        for way, (code, digest, killed) in ways.items():
            same = (code, digest) == alone[:2] and code == 0
            failed |= not same
            killed = f", worker {killed} killed" if killed else ""
            print(f"{name}, {way}{killed}: {'the same bytes' if same else f'OTHER: {code} {alone[0]}'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
