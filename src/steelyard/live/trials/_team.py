"""A whole team on this machine: starts it, watches it, and collects the outcome."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import BadInput, Failed
from steelyard.live.robot._status import RobotEvent, RobotStatus
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._malformed_messages import send_malformed
from steelyard.live.trials._outcome import TeamOutcome, outcome_of
from steelyard.live.trials._processes import TeamProcesses
from steelyard.live.trials._tuning import TUNING
from steelyard.team.transport import key_of, local_settings, open_session

Show = Callable[["WatchedTeam"], None]


class WatchedTeam(msgspec.Struct):
    """What a watcher of the team sees."""

    statuses: dict[str, RobotStatus]
    heard: dict[str, float]
    """When each robot's status came, s of the monotonic clock."""
    events: list[RobotEvent]


class TeamRunner:
    """Runs a team file with all its robots and a world."""

    def __init__(self, plan: TeamPlan, settings: Path):
        self.plan = plan
        self.processes = TeamProcesses(plan, settings)
        self._session = open_session(local_settings(None, list(plan.endpoints.local.values())), "The team")
        self.view = WatchedTeam({}, {}, [])
        self.failure: str | None = None
        """Why the run ended before its time: a process that has failed or hangs."""
        self.started: float | None = None
        """s from the start of the first process to the first sample at every robot."""
        self._begin = self._longest = time.monotonic()
        self._times: dict[str, list[float]] = {}
        self._decoders = msgspec.json.Decoder(RobotStatus), msgspec.json.Decoder(RobotEvent)
        self._pending = [("kill", one) for one in plan.config.faults.kill]
        self._pending += [("freeze", one) for one in plan.config.faults.freeze]
        self._back: list[tuple[float, str, str]] = []
        self.usage: dict[str, list[tuple[float, float, int]]] = {name: [] for name in plan.graph.names}
        """By robot, every ten seconds of the run: when, memory in MB, threads."""
        self.fuzzed = 0
        """Bad messages that were sent on purpose."""
        self.returned: dict[str, float] = {}
        """By robot that was killed, the run's time when it ran again."""
        self.caught_up: dict[str, float] = {}
        """The same, when it first knew the load as of less than a second before."""

    def run(self, show: Show, interrupted: Callable[[], bool], fuzz: int = 0) -> TeamOutcome:
        """From the first process to the last account; `show` is called some ten times a second.

        With `fuzz`, so many bad messages are sent to the first robot.
        """
        names = self.plan.graph.names
        try:
            self._start(show, interrupted)
            if fuzz:
                self.fuzzed = send_malformed(self.plan, names[0], fuzz)
            try:
                self._watch(show, interrupted)
            except Failed as failure:  # what the others know is told all the same
                self.failure = str(failure)
        finally:
            self.processes.stop(("world",))
            self.processes.stop(names)
            self._session.close()
        show(self.view)
        return outcome_of(self)

    def _start(self, show: Show, interrupted: Callable[[], bool]) -> None:
        names = self.plan.graph.names
        warm = stamp_of(self.plan)
        first = () if warm.exists() else names[:1]
        for name in first or names:
            self.processes.start_robot(name)
        self._subscribers = [
            self._session.declare_subscriber(key_of(self.plan.name, "*", "status"), self._on_status),
            self._session.declare_subscriber(key_of(self.plan.name, "*", "event"), self._on_event),
        ]
        if first:  # the others find in the cache what the first has compiled
            self._await(lambda: self._phase(names[0]) == "waiting", show, interrupted)
            for name in names[1:]:
                self.processes.start_robot(name)
        self.processes.start_world()
        self._await(lambda: all(self._phase(name) == "running" for name in names), show, interrupted)
        self.started = time.monotonic() - self._begin
        warm.touch()

    def _await(self, reached: Callable[[], bool], show: Show, interrupted: Callable[[], bool]) -> None:
        while not reached() and not interrupted():
            self._check()
            if time.monotonic() - self._begin > TUNING.start_timeout:
                late = [name for name in self.plan.graph.names if self._phase(name) != "running"]
                raise Failed(
                    f"{', '.join(late)} did not run within {TUNING.start_timeout:.0f} s; see the .log files in "
                    f"{self.plan.folder}."
                )
            if self.processes.ended("world") is not None and not reached():
                raise Failed(
                    f"The world has ended before every robot was ready; see the .log files in {self.plan.folder}."
                )
            show(self.view)
            time.sleep(0.1)

    def _watch(self, show: Callable[[WatchedTeam], None], interrupted: Callable[[], bool]) -> None:
        end = None
        while not interrupted() and (end is None or time.monotonic() < end):
            self._check()
            self._disturb()
            if self.processes.ended("world") is not None:
                end = self._end_of_run(end)
            show(self.view)
            time.sleep(0.1)

    def _end_of_run(self, end: float | None) -> float:
        """Robots go on exchanging messages after the last sample, until no estimate is new."""
        times = {name: [one.time for one in status.known.values()] for name, status in self.view.statuses.items()}
        now = time.monotonic()
        if end is None:
            self._longest = now + TUNING.longest_settling
        if end is None or times != self._times:
            self._times = times
            return min(now + TUNING.settled, self._longest)
        return end

    def _disturb(self) -> None:
        """Faults of processes that `[faults]` states, when their time has come."""
        now = max((status.time for status in self.view.statuses.values()), default=-1.0)
        for item in [item for item in self._pending if now >= item[1].start]:
            kind, away = item
            self._pending.remove(item)
            if kind == "kill":
                self.processes.kill(away.robot)
            else:
                self.processes.freeze(away.robot, True)
            if away.end is not None:
                self._back.append((away.end, kind, away.robot))
        for item in [item for item in self._back if now >= item[0]]:
            self._back.remove(item)
            _, kind, robot = item
            if kind == "kill":
                self.processes.start_robot(robot, anew=False)
            else:
                self.processes.freeze(robot, False)

    def _check(self) -> None:
        """A process that has ended or hangs ends the run, with the last line that it wrote."""
        away = {robot for _, _, robot in self._back} | self.processes.killed | self.processes.frozen
        now = time.monotonic()
        for name in self.plan.graph.names:
            code = self.processes.ended(name)
            if code is not None and name not in away:
                line = self.processes.last_line(name).removeprefix("steelyard: ")
                raise BadInput(line) if code == 2 else Failed(f"Robot {name} ended unexpectedly ({code}): {line}")
            if name not in away and now - self.view.heard.get(name, now) > TUNING.hangs:
                raise Failed(f"Robot {name} has not reported for {TUNING.hangs:.0f} s; see {name}.log.")
        code = self.processes.ended("world")
        if code not in (None, 0):
            line = self.processes.last_line("world").removeprefix("steelyard: ")
            raise BadInput(line) if code == 2 else Failed(f"The world ended unexpectedly ({code}): {line}")

    def _phase(self, name: str) -> str:
        status = self.view.statuses.get(name)
        return "" if status is None else status.phase

    def _on_status(self, sample: Any) -> None:
        status = self._decoders[0].decode(bytes(sample.payload))
        before = self.view.statuses.get(status.robot)
        if before is not None and before.epoch != status.epoch:
            self.returned.pop(status.robot, None)
            self.caught_up.pop(status.robot, None)
        if status.robot in self.processes.killed and status.phase == "running":
            self.returned.setdefault(status.robot, status.time)
            if status.age is not None and status.age < TUNING.caught_up:
                self.caught_up.setdefault(status.robot, status.time)
        usage = self.usage[status.robot]
        if status.phase == "running" and (not usage or status.time >= usage[-1][0] + TUNING.usage_interval):
            usage.append((status.time, status.memory, status.threads))
        self.view.statuses[status.robot] = status
        self.view.heard[status.robot] = time.monotonic()

    def _on_event(self, sample: Any) -> None:
        self.view.events.append(self._decoders[1].decode(bytes(sample.payload)))


def stamp_of(plan: TeamPlan) -> Path:
    """A file that exists where all that this team's agents compile has been compiled before."""
    from steelyard._jax import package_state, private_folder

    label = f"{plan.config.live.problem}|{package_state()}"
    return private_folder("warm") / hashlib.sha256(label.encode()).hexdigest()[:16]
