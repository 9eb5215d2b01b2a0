"""The process of one robot: sessions, threads that only hand over, and a loop that does everything in order."""

import gc
import math
import os
import queue
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steelyard._files import make_folder
from steelyard.errors import BadInput
from steelyard.live.robot._checkpoint import NoCheckpoint, read_checkpoint, write_checkpoint
from steelyard.live.robot._inlet import Inlet
from steelyard.live.robot._local_clock import Clock, LocalClock
from steelyard.live.robot._node import RobotNode
from steelyard.live.robot._publisher import Publisher, complain, write_final
from steelyard.live.robot._recording import Recorder
from steelyard.live.robot._replay import read_own, replay
from steelyard.live.robot._sensor_gate import own_token
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.live.robot._usage import give_back
from steelyard.live.robot._warm_up import warm_up
from steelyard.logs import Log
from steelyard.team.transport import ZenohBus, key_of, local_settings, open_session, team_settings

Around = Callable[[RobotNode], Inlet]
"""What stands between a process and its node: in production nothing."""


class RobotProcess:
    """A robot in production: its sensors and watchers on this machine, its neighbours wherever they are."""

    def __init__(
        self, plan: TeamPlan, name: str, anew: bool = False, clock: Clock | None = None, around: Around | None = None
    ):
        self._queue: queue.SimpleQueue[tuple[str, str, bytes, float]] = queue.SimpleQueue()
        self._clock = clock or LocalClock()
        self._stop = False
        make_folder(plan.folder)
        endpoints, neighbours = plan.endpoints, plan.graph.neighbours(plan.check_robot(name))
        who, keys = f"Robot {name}", plan.keys(name)
        local = open_session(local_settings(endpoints.local[name], []), who)
        team = open_session(team_settings(plan.name, name, neighbours, endpoints, keys), who)
        bus = ZenohBus(team, plan.name, name, neighbours, lambda sender, data: self._put("m", sender, data))
        self._recorder = Recorder(plan.folder / "recording" if plan.config.live.record else None, name)
        token = None if keys is None else own_token(plan.folder / f"{name}.token")
        node = RobotNode(plan, name, self._clock.now, time.time_ns(), bus.send, self._recorder, token)
        self.node, self._inlet = node, node if around is None else around(node)
        self._publisher = Publisher(self.node, local)
        self._open = bus, local
        self._checkpoint: Path | None = plan.folder / f"{name}.checkpoint"
        """Where it is written; None once that has failed."""
        if anew:
            self._checkpoint.unlink(missing_ok=True)
        self._publisher.publish_status("starting", self._clock.now())
        warm_up(plan)
        self.node.neighbours.waiting_since = self._clock.now()
        self._resume(self._checkpoint)
        self._sensors = local.declare_subscriber(key_of(plan.name, name, "sensors"), self._on_sample)
        gc.collect()
        gc.freeze()  # all that is there now stays: later collections are short
        give_back()
        self._publisher.usage.restart()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Until it is stopped: by a signal, by the end of the process that started it, or by `until`."""
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._on_signal)
        parent = os.getppid()
        next_status = next_flush = self._clock.now()
        next_checkpoint = next_flush + 0.5 * TUNING.checkpoint_interval  # not both in one turn
        while not self._stop and not until():
            now = self._clock.now()
            wait = max(min(self._inlet.next_due(), next_status) - now, 0.0)
            self._work(min(wait, 0.05))
            now = self._clock.now()
            self._inlet.update(now)
            self._publisher.publish_events()
            if now >= next_status:
                next_status = now + TUNING.status_interval
                self._publisher.publish_status(self.node.phase, now)
            if now >= next_checkpoint:
                next_checkpoint = now + TUNING.checkpoint_interval
                self._write_checkpoint(now)
            if now >= next_flush:
                next_flush = now + TUNING.checkpoint_interval
                self._recorder.flush()
                self._stop = self._stop or ("STEELYARD_CHILD" in os.environ and os.getppid() != parent)
        self._end()

    def replay(self, log: Log) -> None:
        """Takes the robot's samples from a log, once all neighbours are heard."""
        neighbours = self.node.neighbours
        while neighbours.alive(self._clock.now()) != neighbours.names and not self._stop:
            self._work(0.02)
            self._inlet.update(self._clock.now())
        plan, name = self.node.plan, self.node.clock.name
        replay(log, name, plan.task.columns, self._clock, plan.paced, lambda data: self._put("s", "", data))

    def _on_sample(self, sample: Any) -> None:
        """In a thread of the middleware: what must not be used does not even wait."""
        if self.node.sensors.lets_in(self._clock.now(), bytes(sample.attachment) if sample.attachment else None):
            self._put("s", "", bytes(sample.payload))

    def _put(self, kind: str, sender: str, data: bytes) -> None:
        if self._queue.qsize() < TUNING.most_waiting:
            self._queue.put((kind, sender, data, self._clock.now()))
        else:
            self._publisher.overflow += 1

    def _work(self, wait: float) -> None:
        """All that has come; waits for the first of it."""
        try:
            item = self._queue.get(timeout=wait) if wait > 0.0 else self._queue.get_nowait()
        except queue.Empty:
            return
        for _ in range(1000):
            kind, sender, data, arrived = item
            if kind == "m":
                self._inlet.receive(sender, data, arrived)
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
        node = self.node
        before, running = node.estimates, node.phase == "running"
        self._inlet.update(self._clock.now(), sampled=True)
        self._inlet.take_sample(reading, self._clock.now())
        if node.phase == "running" and not running:
            self._publisher.usage.restart()
        if node.estimates is not before:
            self._publisher.publish_estimates()
        if not node.plan.paced:
            self._publisher.publish_tick()

    def _resume(self, path: Path) -> None:
        node = self.node
        agent = node.estimation.agent
        try:
            checkpoint = read_checkpoint(path, node.plan.name, agent.name, type(agent).__qualname__)
            age = math.inf if checkpoint is None else self._clock.now() - checkpoint.written
            if checkpoint is not None and node.plan.paced and 0.0 <= age < TUNING.checkpoint_lifetime:
                node.resume(checkpoint)
        except NoCheckpoint as error:
            node.report_refused(path, str(error))

    def _write_checkpoint(self, now: float) -> None:
        """What a process that comes after this one will find."""
        if self.node.phase != "running" or self._checkpoint is None:
            return
        try:
            write_checkpoint(self._checkpoint, self.node.checkpoint(now))
        except (OSError, TypeError) as error:  # a full disk does not end a robot
            self._checkpoint = None
            complain(f"{self.node.clock.name} writes no more checkpoints: {error}")

    def _on_signal(self, *_: Any) -> None:
        self._stop = True

    def _end(self) -> None:
        """Sends a farewell, receives what is still under way, and leaves a final account."""
        for k in range(3):
            self._inlet.send_farewell(self._clock.now())
            end = time.monotonic() + TUNING.drain / 3
            while (left := end - time.monotonic()) > 0.0 or (not self._queue.empty() and left > -TUNING.longest_drain):
                self._work(max(left, 0.0))
                self._inlet.update(self._clock.now())
            if k == 0:
                self._write_checkpoint(self._clock.now())
                self._recorder.flush()
        self._publisher.publish_events()
        final = self._publisher.final_account(self._clock.now())
        name = self.node.clock.name
        try:
            write_final(self.node.plan.folder, name, final)
        except OSError as error:
            complain(f"{name} leaves no final account: {error}")
        self._recorder.close()
        for one in self._open:
            one.close()


def run_robot(
    plan: TeamPlan,
    name: str,
    anew: bool = False,
    replayed: str | None = None,
    clock: Clock | None = None,
    around: Around | None = None,
) -> None:
    """Runs a robot until it is stopped; its samples are its sensors', or those of a log.

    A trial may give it another clock than this machine's, and put something `around` its node.
    """
    if plan.config.live.record:
        try:
            import rosbags as rosbags
        except ImportError:
            raise BadInput(
                'Recording needs rosbags: pip install "steelyard[logs]", or write record = false in [live].'
            ) from None
    log = None if replayed is None else read_own(replayed, plan.check_robot(name), plan.task.columns)
    process = RobotProcess(plan, name, anew, clock, around)
    if log is not None:
        process.replay(log)
    process.run()
