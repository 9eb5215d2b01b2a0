"""The process of one robot: sessions, threads that only hand over, and a loop that does everything in order."""

import gc
import json
import os
import queue
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from steelyard._files import make_folder
from steelyard.errors import BadInput
from steelyard.live.robot._checkpoint import NoCheckpoint, read_checkpoint, write_checkpoint
from steelyard.live.robot._local_clock import OwnClock
from steelyard.live.robot._pilot import Pilot, Reading
from steelyard.live.robot._recording import Recorder
from steelyard.live.robot._replay import read_own, replay
from steelyard.live.robot._status import Phase, Status, Usage, give_back, said
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._warm_up import rehearse
from steelyard.logs import Log
from steelyard.team.transport import (
    ZenohBus,
    declare_local_publisher,
    key_of,
    local_settings,
    open_session,
    team_settings,
)

_STATUS = 0.1  # s between two
_SECOND = 1.0  # s between two checkpoints, and two flushes of the recording
_DRAIN = 0.9  # s for which a robot that stops still listens
_LONGEST_DRAIN = 3.0  # s more, if there is much that has come and was not looked at
_MOST_WAITING = 20_000  # messages and samples


class RobotProcess:
    """A robot in production: its sensors and watchers on this machine, its neighbours wherever they are."""

    def __init__(self, plan: TeamPlan, name: str, anew: bool = False):
        self.plan, self.name = plan, plan.check_robot(name)
        self._queue: queue.SimpleQueue[tuple[str, str, bytes, float]] = queue.SimpleQueue()
        self._clock = OwnClock(plan.config.faults.clocks.get(name))
        self._usage = Usage()
        self._reading = msgspec.json.Decoder(Reading)
        self._stop = False
        self._cannot_keep = False
        self.overflow = 0
        make_folder(plan.folder)
        endpoints, neighbours = plan.endpoints, plan.graph.neighbours(name)
        who, keys = f"Robot {name}", plan.keys(name)
        self._local = open_session(local_settings(endpoints.local[name], []), who)
        team = open_session(team_settings(plan.name, name, neighbours, endpoints, keys), who)
        self._bus = ZenohBus(team, plan.name, name, neighbours, lambda sender, data: self._put("m", sender, data))
        self._publishers = {
            what: declare_local_publisher(self._local, key_of(plan.name, name, what))
            for what in ("status", "estimate", "event", "tick")
        }
        recorder = Recorder(plan.folder / "recording", name) if plan.config.live.record else None
        self._recorder = recorder
        self._path = plan.folder / f"{name}.checkpoint"
        self.pilot = Pilot(plan, name, self._clock.now, time.time_ns(), self._bus.send, recorder)
        if anew:
            self._path.unlink(missing_ok=True)
        self._publish_status("starting")
        rehearse(plan)
        self.pilot.born = self._clock.now()
        self._resume()
        self._sensors = self._local.declare_subscriber(
            key_of(plan.name, name, "sensors"), lambda sample: self._put("s", "", bytes(sample.payload))
        )
        gc.collect()
        gc.freeze()  # all that is there now stays: later collections are short
        give_back()
        self._usage.restart()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Until it is told to stop: by a signal, by the team that started it, or by `until`."""
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._on_signal)
        parent, pilot = os.getppid(), self.pilot
        next_status = next_flush = self._clock.now()
        next_checkpoint = next_flush + 0.5 * _SECOND  # not both in one turn
        while not self._stop and not until():
            now = self._clock.now()
            wait = max(min(pilot.next_due(), next_status) - now, 0.0)
            self._work(min(wait, 0.05))
            now = self._clock.now()
            pilot.look_after(now)
            self._tell_events()
            if now >= next_status:
                next_status = now + _STATUS
                self._publish_status(pilot.phase)
            if now >= next_checkpoint:
                next_checkpoint = now + _SECOND
                self._keep(now)
            if now >= next_flush:
                next_flush = now + _SECOND
                self._flush()
                self._stop = self._stop or ("STEELYARD_CHILD" in os.environ and os.getppid() != parent)
        self._end()

    def replay(self, log: Log) -> None:
        """Takes the robot's samples from a log, once all neighbours are heard."""
        while self.pilot.alive(self._clock.now()) != self.pilot.neighbours and not self._stop:
            self._work(0.02)
            self.pilot.look_after(self._clock.now())
        columns = self.plan.task.columns
        replay(log, self.name, columns, self._clock, self.pilot.paced, lambda data: self._put("s", "", data))

    def _put(self, kind: str, sender: str, data: bytes) -> None:
        if self._queue.qsize() < _MOST_WAITING:
            self._queue.put((kind, sender, data, self._clock.now()))
        else:
            self.overflow += 1

    def _work(self, wait: float) -> None:
        """All that has come; waits for the first of it."""
        try:
            item = self._queue.get(timeout=wait) if wait > 0.0 else self._queue.get_nowait()
        except queue.Empty:
            return
        for _ in range(1000):
            kind, sender, data, arrived = item
            if kind == "m":
                self.pilot.hear(sender, data, arrived)
            else:
                self._sense(data)
            if self._stop and self.pilot.phase != "stopping":
                return  # first a farewell: neighbours are waiting for its number
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return

    def _sense(self, data: bytes) -> None:
        try:
            reading = self._reading.decode(data)
        except msgspec.DecodeError:
            self.pilot.gate.ledger.dropped["sensors"] += 1
            return
        before, running = self.pilot.estimates, self.pilot.phase == "running"
        self.pilot.look_after(self._clock.now(), sampled=True)
        self.pilot.sense(reading, self._clock.now())
        if self.pilot.phase == "running" and not running:
            self._usage.restart()
        if self.pilot.estimates is not before:
            self._publish("estimate", said(self.pilot.estimates))
        if not self.pilot.paced:
            self._publishers["tick"].put(str(self.pilot.tick))

    def _resume(self) -> None:
        agent = type(self.pilot.agent).__qualname__
        try:
            checkpoint = read_checkpoint(self._path, self.plan.name, self.name, agent)
            if checkpoint is not None and self.pilot.paced and self._clock.now() - checkpoint.written < 60.0:
                self.pilot.resume(checkpoint)
        except NoCheckpoint as error:
            self.pilot.note_checkpoint(self._path, str(error))

    def _keep(self, now: float) -> None:
        """What a process that comes after this one will find."""
        if self.pilot.phase != "running" or self._cannot_keep:
            return
        try:
            write_checkpoint(self._path, self.pilot.checkpoint(now))
        except (OSError, TypeError) as error:  # a full disk does not end a robot
            self._cannot_keep = True
            print(f"steelyard: {self.name} writes no more checkpoints: {error}", file=sys.stderr, flush=True)

    def _flush(self) -> None:
        if self._recorder is not None:
            self._recorder.flush()

    def _publish_status(self, phase: Phase) -> None:
        pilot, now = self.pilot, self._clock.now()
        ledger, alive = pilot.gate.ledger, pilot.alive(now)
        run_time = pilot.run_time(now)
        times = [one.time for one in pilot.known.values()]
        status = Status(
            robot=self.name,
            pid=os.getpid(),
            epoch=pilot.epoch,
            phase=phase,
            time=run_time,
            tick=pilot.tick,
            holding=phase != "starting" and pilot.holding(now),
            estimates=said(pilot.estimates),
            known=said(pilot.known),
            age=run_time - min(times) if times else None,
            alive=alive,
            missing=tuple(name for name in pilot.neighbours if name not in alive),
            liars=tuple(sorted(pilot.liars)),
            sent=sum(ledger.sent.values()),
            received=ledger.received,
            lost=ledger.lost,
            dropped=dict(ledger.dropped),
            clock=(pilot.clock.leader, pilot.clock.offset or 0.0),
            late=pilot.lateness.summary,
            memory=self._usage.memory,
            processor=self._usage.processor,
            threads=self._usage.threads,
        )
        self._last = status
        self._publish("status", status)

    def _publish(self, what: str, content: Any) -> None:
        self._publishers[what].put(msgspec.json.encode(content))

    def _tell_events(self) -> None:
        for event in self.pilot.events:
            self._publish("event", event)
            if event.kind in ("missing", "liar", "checkpoint"):
                print(f"steelyard: {self.name}: {event.what}", file=sys.stderr, flush=True)
        self.pilot.events.clear()

    def _on_signal(self, *_: Any) -> None:
        self._stop = True

    def _end(self) -> None:
        """Says farewell, hears what is still under way, and leaves a final account."""
        for k in range(3):
            self.pilot.farewell(self._clock.now())
            end = time.monotonic() + _DRAIN / 3
            while (left := end - time.monotonic()) > 0.0 or (not self._queue.empty() and left > -_LONGEST_DRAIN):
                self._work(max(left, 0.0))
                self.pilot.look_after(self._clock.now())
            if k == 0:
                self._keep(self._clock.now())
                self._flush()
        if self.overflow:
            self.pilot.gate.ledger.dropped["overflow"] = self.overflow
        self._publish_status("stopping")
        self._tell_events()
        final = {
            "status": msgspec.to_builtins(self._last),
            "ledger": self.pilot.gate.ledger.as_json(),
            "discarded": self.pilot.radio.discarded,
            "doubled": self.pilot.radio.doubled,
            "overflow": self.overflow,
            "epoch": self.pilot.epoch,
        }
        write_final(self.plan.folder, self.name, final)
        if self._recorder is not None:
            self._recorder.close()
        self._bus.close()
        self._local.close()


def write_final(folder: Path, name: str, final: dict[str, Any]) -> None:
    """A robot's last account, for those who started it."""
    draft = folder / f"{name}.final.draft"
    draft.write_text(json.dumps(final), encoding="utf-8")
    draft.replace(folder / f"{name}.final.json")


def run_robot(plan: TeamPlan, name: str, anew: bool = False, replayed: str | None = None) -> None:
    """Runs a robot until it is told to stop; its samples are its sensors', or those of a log."""
    if plan.config.live.record:
        try:
            import rosbags as rosbags
        except ImportError:
            raise BadInput(
                'Recording needs rosbags: pip install "steelyard[logs]", or write record = false in [live].'
            ) from None
    log = None if replayed is None else read_own(replayed, plan.check_robot(name), plan.task.columns)
    process = RobotProcess(plan, name, anew)
    if log is not None:
        process.replay(log)
    process.run()
