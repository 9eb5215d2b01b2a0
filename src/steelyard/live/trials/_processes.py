"""The processes of a team on one machine: started, watched, disturbed on purpose, and ended by their own ids."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._faults import TRIAL_START
from steelyard.live.trials._tuning import TUNING


class TeamProcesses:
    """One process a robot, and one for the world."""

    def __init__(self, plan: TeamPlan, settings: Path):
        self.plan = plan
        self._settings = settings
        self._processes: dict[str, subprocess.Popen] = {}
        # Robots share few cores: a pool of threads in each would only be in the others' way.
        self._environment = {
            **os.environ,
            TRIAL_START: str(time.monotonic()),
            "STEELYARD_CHILD": "1",
            "MALLOC_ARENA_MAX": "2",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        self.killed: set[str] = set()
        """Robots of which a process was killed on purpose."""
        self.frozen: set[str] = set()
        """Robots of which the process was stopped on purpose."""

    def start_robot(self, name: str, anew: bool = True) -> None:
        """Starts a robot's process; anew means without its checkpoint."""
        command = [sys.executable, "-m", "steelyard", "agent", str(self.plan.path), "--robot", name]
        command += ["--settings", str(self._settings), *(["--anew"] if anew else [])]
        self._start(name, command)

    def start_world(self) -> None:
        """Starts the world's process."""
        self._start("world", [sys.executable, "-m", "steelyard.live.trials", str(self.plan.path), str(self._settings)])

    def _start(self, name: str, command: list[str]) -> None:
        with (self.plan.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,  # an interruption is for this process, which then ends the others in order
            )

    def ended(self, name: str) -> int | None:
        """The exit code of a process that has ended."""
        process = self._processes.get(name)
        return None if process is None else process.poll()

    def kill(self, name: str) -> None:
        """Without a warning, for a trial."""
        self.killed.add(name)
        self._processes[name].kill()
        self._processes[name].wait()

    def freeze(self, name: str, still: bool) -> None:
        """Stops a process, or lets it go on."""
        (self.frozen.add if still else self.frozen.discard)(name)
        os.kill(self._processes[name].pid, signal.SIGSTOP if still else signal.SIGCONT)

    def stop(self, names: tuple[str, ...]) -> None:
        """Asks processes to end, all at once, and ends those that do not."""
        there = {name: self._processes[name] for name in names if name in self._processes}
        for process in there.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        end = time.monotonic() + TUNING.stop_timeout
        for process in there.values():
            try:
                process.wait(max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def last_line(self, name: str) -> str:
        """The last line that a process wrote."""
        path = self.plan.folder / f"{name}.log"
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []
        written = [line for line in lines if line.strip()]
        return written[-1] if written else "it wrote nothing"


def next_folder(parent: Path) -> Path:
    """A new folder for a run: run-1, run-2 and so on."""
    parent.mkdir(parents=True, exist_ok=True)
    taken = [int(path.name[4:]) for path in parent.glob("run-*") if path.name[4:].isdigit()]
    folder = parent / f"run-{max(taken, default=0) + 1}"
    folder.mkdir(mode=0o755)  # nobody else puts checkpoints there
    return folder
