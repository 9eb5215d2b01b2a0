"""Faults on purpose, as `[faults]` states them, put around a robot: its links, its sensors, its clock."""

import os
import time
from collections.abc import Mapping

from steelyard.config import WrongClock, WrongMotion
from steelyard.live.robot._injection import DirectLink, Injection
from steelyard.live.robot._local_clock import Clock, LocalClock
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._disturbed_link import DisturbedLink

TRIAL_START = "STEELYARD_TRIAL_START"
"""In the environment: the system's monotonic clock when a trial began, from when wrong clocks drift."""


class DriftingClock(Clock):
    """A clock that is wrong by an offset and a drift; see `Clock`."""

    def __init__(self, wrong: WrongClock):
        self._wrong, self._true = wrong, LocalClock()
        self._start = float(os.environ.get(TRIAL_START, time.monotonic()))

    def now(self) -> float:
        """See `Clock`."""
        return self.at(time.monotonic())

    def at(self, monotonic: float) -> float:
        """See `Clock`."""
        return self._true.at(monotonic) + self._wrong.offset + self._wrong.drift * (monotonic - self._start)


class FalseMotion:
    """Plausible measurements of the motion that are wrong; see `SensorFault`."""

    def __init__(self, fault: WrongMotion, motion: int):
        """`motion`: how many values, the first ones, are of the motion."""
        self._fault, self._motion = fault, motion

    def __call__(self, run_time: float, values: tuple[float, ...]) -> tuple[float, ...]:
        """See `SensorFault`."""
        return values if run_time < self._fault.start else falsified(values, self._motion, self._fault)


def falsified(values: tuple[float, ...], motion: int, fault: WrongMotion) -> tuple[float, ...]:
    """The load moves more, and along."""
    return (*(fault.scale * value + fault.offset for value in values[:motion]), *values[motion:])


def clock_of(name: str, wrong: Mapping[str, WrongClock]) -> Clock:
    """A robot's clock in a trial."""
    return DriftingClock(wrong[name]) if name in wrong else LocalClock()


def faults_of(plan: TeamPlan, name: str) -> Injection:
    """What `[faults]` of the team file does to a robot; nothing where it states nothing."""
    faults = plan.config.faults
    link = DisturbedLink(name, faults.seed, faults.loss, faults.jitter, faults.double, faults.cut)
    false = next((FalseMotion(one, plan.task.motion) for one in faults.lie if one.robot == name), None)
    return Injection(DirectLink() if link.perfect else link, false, clock_of(name, faults.clocks))
