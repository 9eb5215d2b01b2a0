"""What a robot's process tells its watchers: statuses, estimates, events, and a final account."""

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from steelyard.live.robot._node import RobotNode
from steelyard.live.robot._status import Phase, RobotStatus, report_estimates
from steelyard.live.robot._usage import Usage
from steelyard.team.transport import declare_local_publisher, key_of

_LOGGED = ("missing", "liar", "checkpoint", "sensor", "recording")
"""Kinds of events that also go to the log of the process."""


class Publisher:
    """Of one robot, on its local session."""

    def __init__(self, node: RobotNode, session: Any):
        self._node = node
        name, team = node.clock.name, node.plan.name
        self._publishers = {
            what: declare_local_publisher(session, key_of(team, name, what))
            for what in ("status", "estimate", "event", "tick")
        }
        self.usage = Usage()
        self.overflow = 0
        """Messages and samples that were dropped because too many waited."""

    def publish_status(self, phase: Phase, now: float) -> RobotStatus:
        """A status, ten times a second."""
        node = self._node
        ledger, alive, run_time = node.gate.ledger, node.neighbours.alive(now), node.run_time(now)
        times = [one.time for one in node.known.values()]
        status = RobotStatus(
            robot=node.clock.name,
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
            memory=self.usage.memory,
            processor=self.usage.processor,
            threads=self.usage.threads,
        )
        self._publish("status", status)
        return status

    def publish_estimates(self) -> None:
        """New ones."""
        self._publish("estimate", report_estimates(self._node.estimates))

    def publish_tick(self) -> None:
        """How far the robot has come, where the world waits for it."""
        self._publishers["tick"].put(str(self._node.tick))

    def publish_events(self) -> None:
        """Those since the last call."""
        for event in self._node.events:
            self._publish("event", event)
            if event.kind in _LOGGED:
                complain(f"{self._node.clock.name}: {event.what}")
        self._node.events.clear()

    def final_account(self, now: float) -> dict[str, Any]:
        """The last status, and where every message went."""
        ledger = self._node.gate.ledger
        if self.overflow:
            ledger.dropped["overflow"] = self.overflow
        status = self.publish_status("stopping", now)
        final = {"status": msgspec.to_builtins(status), "ledger": ledger.as_json(), "epoch": self._node.epoch}
        final["ledger"]["dropped"] |= self._node.sensors.dropped
        return final

    def _publish(self, what: str, content: Any) -> None:
        self._publishers[what].put(msgspec.json.encode(content))


def complain(sentence: str) -> None:
    """To the log of the process; that on a full disk does not end a robot."""
    with contextlib.suppress(OSError):
        print(f"steelyard: {sentence}", file=sys.stderr, flush=True)


def write_final(folder: Path, name: str, final: dict[str, Any]) -> None:
    """A robot's final account, for those who started it."""
    draft = folder / f"{name}.final.draft"
    draft.write_text(json.dumps(final), encoding="utf-8")
    draft.replace(folder / f"{name}.final.json")
