"""The process of one robot: sessions, threads that only hand over, and a loop that does everything in order."""

import contextlib
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
from steelyard.live.robot._injection import Injection
from steelyard.live.robot._node import RobotNode
from steelyard.live.robot._recording import Recorder
from steelyard.live.robot._replay import read_own, replay
from steelyard.live.robot._sensor_gate import own_token
from steelyard.live.robot._status import Phase, RobotStatus, report_estimates
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.live.robot._usage import Usage, give_back
from steelyard.live.robot._warm_up import warm_up
from steelyard.logs import Log
from steelyard.team.transport import (
    ZenohBus,
    declare_local_publisher,
    key_of,
    local_settings,
    open_session,
    team_settings,
)


class RobotProcess:
    """A robot in production: its sensors and watchers on this machine, its neighbours wherever they are."""

    def __init__(self, plan: TeamPlan, name: str, anew: bool = False, injection: Injection | None = None):
        injection = injection or Injection()
        self.plan, self.name = plan, plan.check_robot(name)
        self._queue: queue.SimpleQueue[tuple[str, str, bytes, float]] = queue.SimpleQueue()
        self._clock = injection.clock
        self._usage = Usage()
        self._stop = False
        self._no_checkpoints = False
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
        token = None if keys is None else own_token(plan.folder / f"{name}.token")
        self.node = RobotNode(plan, name, self._clock.now, time.time_ns(), self._bus.send, recorder, injection, token)
        if anew:
            self._path.unlink(missing_ok=True)
        self._publish_status("starting")
        warm_up(plan)
        self.node.neighbours.waiting_since = self._clock.now()
        self._resume()
        self._sensors = self._local.declare_subscriber(key_of(plan.name, name, "sensors"), self._on_sample)
        gc.collect()
        gc.freeze()  # all that is there now stays: later collections are short
        give_back()
        self._usage.restart()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Until it is stopped: by a signal, by the end of the process that started it, or by `until`."""
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._on_signal)
        parent, node = os.getppid(), self.node
        next_status = next_flush = self._clock.now()
        next_checkpoint = next_flush + 0.5 * TUNING.checkpoint_interval  # not both in one turn
        while not self._stop and not until():
            now = self._clock.now()
            wait = max(min(node.next_due(), next_status) - now, 0.0)
            self._work(min(wait, 0.05))
            now = self._clock.now()
            node.update(now)
            self._publish_events()
            if now >= next_status:
                next_status = now + TUNING.status_interval
                self._publish_status(node.phase)
            if now >= next_checkpoint:
                next_checkpoint = now + TUNING.checkpoint_interval
                self._write_checkpoint(now)
            if now >= next_flush:
                next_flush = now + TUNING.checkpoint_interval
                self._flush()
                self._stop = self._stop or ("STEELYARD_CHILD" in os.environ and os.getppid() != parent)
        self._end()

    def replay(self, log: Log) -> None:
        """Takes the robot's samples from a log, once all neighbours are heard."""
        neighbours = self.node.neighbours
        while neighbours.alive(self._clock.now()) != neighbours.names and not self._stop:
            self._work(0.02)
            self.node.update(self._clock.now())
        columns = self.plan.task.columns
        replay(log, self.name, columns, self._clock, self.node.paced, lambda data: self._put("s", "", data))

    def _on_sample(self, sample: Any) -> None:
        """In a thread of the middleware: what must not be used does not even wait."""
        if self.node.sensors.lets_in(self._clock.now(), bytes(sample.attachment) if sample.attachment else None):
            self._put("s", "", bytes(sample.payload))

    def _put(self, kind: str, sender: str, data: bytes) -> None:
        if self._queue.qsize() < TUNING.most_waiting:
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
                self.node.receive(sender, data, arrived)
            else:
                self._take_sample(data)
            if self._stop and self.node.phase != "stopping":
                return  # first a farewell: neighbours wait for its number
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return

    def _take_sample(self, data: bytes) -> None:
        reading = self.node.sensors.decoded(data)
        if reading is None:
            return
        before, running = self.node.estimates, self.node.phase == "running"
        self.node.update(self._clock.now(), sampled=True)
        self.node.take_sample(reading, self._clock.now())
        if self.node.phase == "running" and not running:
            self._usage.restart()
        if self.node.estimates is not before:
            self._publish("estimate", report_estimates(self.node.estimates))
        if not self.node.paced:
            self._publishers["tick"].put(str(self.node.tick))

    def _resume(self) -> None:
        agent = type(self.node.agent).__qualname__
        try:
            checkpoint = read_checkpoint(self._path, self.plan.name, self.name, agent)
            if (
                checkpoint is not None
                and self.node.paced
                and 0.0 <= self._clock.now() - checkpoint.written < TUNING.checkpoint_lifetime
            ):
                self.node.resume(checkpoint)
        except NoCheckpoint as error:
            self.node.report_refused(self._path, str(error))

    def _write_checkpoint(self, now: float) -> None:
        """What a process that comes after this one will find."""
        if self.node.phase != "running" or self._no_checkpoints:
            return
        try:
            write_checkpoint(self._path, self.node.checkpoint(now))
        except (OSError, TypeError) as error:  # a full disk does not end a robot
            self._no_checkpoints = True
            self._say(f"{self.name} writes no more checkpoints: {error}")

    def _flush(self) -> None:
        if self._recorder is not None:
            self._recorder.flush()

    def _publish_status(self, phase: Phase) -> None:
        node, now = self.node, self._clock.now()
        ledger, alive = node.gate.ledger, node.neighbours.alive(now)
        run_time = node.run_time(now)
        times = [one.time for one in node.known.values()]
        status = RobotStatus(
            robot=self.name,
            pid=os.getpid(),
            epoch=node.epoch,
            phase=phase,
            time=run_time,
            tick=node.tick,
            holding=phase != "starting" and node.holding(now),
            estimates=report_estimates(node.estimates),
            known=report_estimates(node.known),
            age=run_time - min(times) if times else None,
            alive=alive,
            missing=tuple(name for name in node.neighbours.names if name not in alive),
            faulty=tuple(sorted(node.faulty)),
            sent=sum(ledger.sent.values()),
            received=ledger.received,
            lost=ledger.lost,
            dropped={**ledger.dropped, **node.sensors.dropped},
            clock=(node.clock.leader, node.clock.offset or 0.0),
            late=node.lateness.summary,
            memory=self._usage.memory,
            processor=self._usage.processor,
            threads=self._usage.threads,
        )
        self._last = status
        self._publish("status", status)

    def _publish(self, what: str, content: Any) -> None:
        self._publishers[what].put(msgspec.json.encode(content))

    def _publish_events(self) -> None:
        for event in self.node.events:
            self._publish("event", event)
            if event.kind in ("missing", "liar", "checkpoint", "sensor", "recording"):
                self._say(f"{self.name}: {event.what}")
        self.node.events.clear()

    @staticmethod
    def _say(sentence: str) -> None:
        with contextlib.suppress(OSError):  # a log file on a full disk does not end a robot
            print(f"steelyard: {sentence}", file=sys.stderr, flush=True)

    def _on_signal(self, *_: Any) -> None:
        self._stop = True

    def _end(self) -> None:
        """Sends a farewell, receives what is still under way, and leaves a final account."""
        for k in range(3):
            self.node.send_farewell(self._clock.now())
            end = time.monotonic() + TUNING.drain / 3
            while (left := end - time.monotonic()) > 0.0 or (not self._queue.empty() and left > -TUNING.longest_drain):
                self._work(max(left, 0.0))
                self.node.update(self._clock.now())
            if k == 0:
                self._write_checkpoint(self._clock.now())
                self._flush()
        if self.overflow:
            self.node.gate.ledger.dropped["overflow"] = self.overflow
        self._publish_status("stopping")
        self._publish_events()
        final = {
            "status": msgspec.to_builtins(self._last),
            "ledger": self.node.gate.ledger.as_json(),
            "discarded": self.node.link.discarded,
            "doubled": self.node.link.doubled,
            "overflow": self.overflow,
            "epoch": self.node.epoch,
        }
        final["ledger"]["dropped"] |= self.node.sensors.dropped
        try:
            write_final(self.plan.folder, self.name, final)
        except OSError as error:
            self._say(f"{self.name} leaves no final account: {error}")
        if self._recorder is not None:
            self._recorder.close()
        self._bus.close()
        self._local.close()


def write_final(folder: Path, name: str, final: dict[str, Any]) -> None:
    """A robot's final account, for those who started it."""
    draft = folder / f"{name}.final.draft"
    draft.write_text(json.dumps(final), encoding="utf-8")
    draft.replace(folder / f"{name}.final.json")


def run_robot(
    plan: TeamPlan, name: str, anew: bool = False, replayed: str | None = None, injection: Injection | None = None
) -> None:
    """Runs a robot until it is stopped; its samples are its sensors', or those of a log.

    `injection` is for trials: faults that are put around the robot.
    """
    if plan.config.live.record:
        try:
            import rosbags as rosbags
        except ImportError:
            raise BadInput(
                'Recording needs rosbags: pip install "steelyard[logs]", or write record = false in [live].'
            ) from None
    log = None if replayed is None else read_own(replayed, plan.check_robot(name), plan.task.columns)
    process = RobotProcess(plan, name, anew, injection)
    if log is not None:
        process.replay(log)
    process.run()
