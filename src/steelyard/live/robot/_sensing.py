"""From what a robot's sensors deliver to samples at the team's ticks."""

import math

from steelyard.live.robot._alignment import Aligned, Aligner
from steelyard.live.robot._sensor_gate import Reading, SensorGate
from steelyard.live.robot._team_file import TeamPlan
from steelyard.team.membership import TUNING as MEMBERSHIP


class Sensing:
    """Of one robot; every `now` is of its own clock, s."""

    def __init__(self, plan: TeamPlan, token: bytes | None):
        self.gate = SensorGate(plan.rate, plan.paced, token)
        self._plan = plan
        self._aligner = Aligner(plan.rate, plan.task.motion)
        self._sampled = -math.inf  # when the sensors last delivered a sample, own clock

    def restart(self) -> None:
        """Ticks are counted from another start."""
        self._aligner = Aligner(self._plan.rate, self._plan.task.motion)

    def alive(self, now: float) -> bool:
        """Whether the sensors deliver."""
        return not self._plan.paced or now - self._sampled < MEMBERSHIP.lets_go

    def checked(self, reading: Reading, now: float) -> Reading | None:
        """The sample, if it can be used at all."""
        checked = self.gate.checked(reading, now)
        self._sampled = self._sampled if checked is None else now
        return checked

    def aligned(self, reading: Reading, time: float, blind: bool) -> list[Aligned]:
        """The ticks that a sample completes; `time` in s since the team's start, `blind` leaves the motion out."""
        task = self._plan.task
        values = tuple(float(reading.values.get(column, math.nan)) for column in task.columns)
        if blind:
            values = (*[math.nan] * task.motion, *values[task.motion :])
        return self._aligner.take(time, values)
