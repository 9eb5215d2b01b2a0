"""The process in which MuJoCo simulates the load, and gives each robot what its own sensors would measure."""

import json
import os
import signal
import sys
import time
from typing import Any

import msgspec
import numpy as np

from steelyard.live.robot._sensor_gate import Reading, own_token
from steelyard.live.robot._status import RobotStatus
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._faults import clock_of
from steelyard.live.trials._tuning import TUNING
from steelyard.logs import Log, write
from steelyard.team.transport import declare_local_publisher, key_of, local_settings, open_session
from steelyard.worlds import WorldRow


class WorldProcess:
    """Plays a world row by row."""

    def __init__(self, plan: TeamPlan):
        self.plan, self.names = plan, plan.graph.names
        self._stop = False
        faults = plan.config.faults
        self._clocks = {name: clock_of(name, faults.clocks) for name in self.names}
        self._tokens: dict[str, bytes] = {}
        self._statuses: dict[str, tuple[RobotStatus, float]] = {}
        self._ticks = dict.fromkeys(self.names, -1)
        self._decoder = msgspec.json.Decoder(RobotStatus)
        self._session = open_session(local_settings(None, list(plan.endpoints.local.values())), "The world")
        self._publishers = {
            name: declare_local_publisher(self._session, key_of(plan.name, name, "sensors")) for name in self.names
        }
        self._subscribers = [
            self._session.declare_subscriber(key_of(plan.name, "*", "status"), self._on_status),
            self._session.declare_subscriber(key_of(plan.name, "*", "tick"), self._on_tick),
        ]
        self._player = plan.task.play(plan.graph, plan.rate)
        self._called = dict(zip(self.names, self._player.robots, strict=True))
        self._truth: list[np.ndarray] = []
        self.late = 0.0
        """The most by which a row was behind its time, s."""

    def run(self) -> None:
        """Waits for the robots, plays, and writes the truth beside the robots' recordings."""
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._on_signal)
        self._await_robots()
        start, rate, row_number = time.monotonic() + 0.05, self.plan.rate, 0
        paced, parent = self.plan.config.world.pace == "real", os.getppid()
        while not self._stop and os.getppid() == parent:
            row = self._player.next(self._holding(paced))
            if row is None:
                break
            due = start + row_number / rate
            if paced:
                time.sleep(max(due - time.monotonic(), 0.0))
                self.late = max(self.late, time.monotonic() - due)
            else:
                self._await_ticks(row_number)
            self._publish(row, row_number, due if paced else None)
            if self.plan.config.live.record:
                self._truth.append(np.array([row.time, *self._player.truth().values()]))
            row_number += 1
        self._end(row_number, time.monotonic() - start)

    def _publish(self, row: WorldRow, number: int, due: float | None) -> None:
        rates = self.plan.config.faults.rates
        for name in self.names:
            own = rates.get(name, self.plan.rate) / self.plan.rate
            if int(number * own) == int((number - 1) * own) and number > 0:
                continue
            stamp = row.time if due is None else self._clocks[name].at(due)
            reading = Reading(stamp, dict(row.readings[self._called[name]]))
            self._publishers[name].put(msgspec.json.encode(reading), attachment=self._token(name))

    def _token(self, name: str) -> bytes | None:
        """Of a robot's sensors, in a team with keys."""
        if self.plan.keys_folder is not None and name not in self._tokens:
            self._tokens[name] = own_token(self.plan.folder / f"{name}.token")
        return self._tokens.get(name)

    def _holding(self, paced: bool) -> frozenset[str]:
        """Robots whose process is there and wants to hold; a dead robot lets go."""
        now, found, timeout = time.monotonic(), [], TUNING.grip_timeout if paced else TUNING.unpaced_grip_timeout
        for name, (status, heard) in list(self._statuses.items()):
            if status.holding and now - heard < timeout:
                found.append(self._called[name])
        return frozenset(found)

    def _await_robots(self) -> None:
        """Until every robot hears all its neighbours; it goes on without those that never come."""
        begin = time.monotonic()
        ready_since = None
        while not self._stop and time.monotonic() - begin < TUNING.robots_timeout:
            there = [status for status, _ in list(self._statuses.values())]
            ready = len(there) == len(self.names) and all(
                one.phase in ("waiting", "running") and not one.missing for one in there
            )
            ready_since = (ready_since or time.monotonic()) if ready else None
            if ready_since is not None and time.monotonic() - ready_since > 1.0:
                return
            time.sleep(0.05)

    def _await_ticks(self, number: int) -> None:
        """Until the slowest robot that is there has come close."""
        while not self._stop:
            now = time.monotonic()
            there = [
                name for name, (_, heard) in list(self._statuses.items()) if now - heard < TUNING.unpaced_grip_timeout
            ]
            if not there or min(self._ticks[name] for name in there) >= number - TUNING.lead:
                return
            time.sleep(0.0005)

    def _on_status(self, sample: Any) -> None:
        status = self._decoder.decode(bytes(sample.payload))
        self._statuses[status.robot] = (status, time.monotonic())
        self._ticks[status.robot] = max(self._ticks[status.robot], status.tick)

    def _on_tick(self, sample: Any) -> None:
        name = str(sample.key_expr).split("/")[-2]
        self._ticks[name] = max(self._ticks.get(name, -1), int(bytes(sample.payload)))

    def _on_signal(self, *_: Any) -> None:
        self._stop = True

    def _end(self, rows: int, seconds: float) -> None:
        truth = self._player.truth()
        if self._truth:
            table = np.stack(self._truth)
            columns = {name: table[:, k + 1] for k, name in enumerate(truth)}
            folder = self.plan.folder / "recording"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                write(Log(table[:, 0], self._renamed(columns)), folder / "world.mcap")
            except OSError as error:  # a full disk costs the recording only
                print(f"steelyard: the truth is not recorded: {error}", file=sys.stderr, flush=True)
        final = {"rows": rows, "seconds": seconds, "late_ms": 1e3 * self.late, "truth": self._renamed(truth)}
        (self.plan.folder / "world.final.json").write_text(json.dumps(final), encoding="utf-8")
        self._session.close()

    def _renamed(self, columns: dict[str, Any]) -> dict[str, Any]:
        """The scenario's r1, r2, … by the team's names."""
        names = {called: name for name, called in self._called.items()}
        return {
            "/".join(names.get(part, part) for part in column.split("/")): values for column, values in columns.items()
        }
