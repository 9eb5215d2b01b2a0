"""A robot of a trial: its node behind links that lose and delay, and sensors that measure a false motion."""

from steelyard.config import WrongMotion
from steelyard.live.robot import Inlet, Reading, RobotNode, run_robot
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._disturbed_link import DisturbedLink
from steelyard.live.trials._faults import clock_of, falsified


class DisturbedNode(Inlet):
    """See `Inlet`."""

    def __init__(self, node: RobotNode):
        faults, name = node.plan.config.faults, node.clock.name
        self._node = node
        self._link = DisturbedLink(name, faults.seed, faults.loss, faults.jitter, faults.double, faults.cut)
        self._false = next((one for one in faults.lie if one.robot == name), None)

    def receive(self, sender: str, data: bytes, now: float) -> None:
        """See `Inlet`."""
        for who, what in self._link.receive(now, self._node.run_time(now), sender, data):
            self._node.receive(who, what, now)

    def take_sample(self, reading: Reading, now: float) -> None:
        """See `Inlet`."""
        clock, false = self._node.clock, self._false
        if false is not None and clock.start is not None and clock.team_time(reading.time) - clock.start >= false.start:
            reading = _falsified(self._node.plan, reading, false)
        self._node.take_sample(reading, now)

    def update(self, now: float, sampled: bool = False) -> None:
        """See `Inlet`."""
        for sender, data in self._link.due(now):
            self._node.receive(sender, data, now)
        self._node.update(now, sampled)

    def next_due(self) -> float:
        """See `Inlet`."""
        return min(self._node.next_due(), self._link.next_due)

    def send_farewell(self, now: float) -> None:
        """See `Inlet`; from now on nothing is lost or delayed: all is counted."""
        self._link.end_faults()
        self._node.send_farewell(now)


def run_disturbed_robot(plan: TeamPlan, name: str, anew: bool = False, replayed: str | None = None) -> None:
    """`run_robot`, as `[faults]` of the team file states it."""
    run_robot(plan, name, anew, replayed, clock_of(name, plan.config.faults.clocks), DisturbedNode)


def _falsified(plan: TeamPlan, reading: Reading, fault: WrongMotion) -> Reading:
    columns = [column for column in plan.task.columns[: plan.task.motion] if column in reading.values]
    wrong = falsified(tuple(reading.values[column] for column in columns), len(columns), fault)
    return Reading(reading.time, {**reading.values, **dict(zip(columns, wrong, strict=True))})
