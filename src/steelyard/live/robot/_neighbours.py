"""Which neighbours a robot hears, and which have gone, come back or never appeared."""

from collections.abc import Iterator

from steelyard.live.robot._status import RobotEvent
from steelyard.live.robot._team_file import TeamPlan
from steelyard.team.membership import TUNING, FailureDetector


class NeighbourWatch:
    """Every `now` is of the robot's own clock, s."""

    def __init__(self, plan: TeamPlan, name: str, detector: FailureDetector, now: float):
        self.names = plan.graph.neighbours(name)
        self.waiting_since = now
        """From when on neighbours are waited for."""
        self._plan, self._name = plan, name
        self._detector = detector
        self._reported: dict[str, str] = {}  # what the last event of each was about
        self._epochs: dict[str, int] = {}

    def alive(self, now: float) -> tuple[str, ...]:
        """Those that are heard."""
        return self._detector.present(now)

    def set_epoch(self, name: str, epoch: int) -> bool:
        """Which process of a neighbour is there; whether there was another one."""
        replaced = self._epochs.get(name, epoch) != epoch
        self._epochs[name] = epoch
        return replaced

    def events(self, now: float, run_time: float) -> Iterator[RobotEvent]:
        """What has changed since the last call."""
        for name in self.names:
            last = self._reported.get(name)
            if not self._detector.absent(name, now):
                self._reported[name] = "alive"
                if last not in (None, "alive"):
                    yield RobotEvent(run_time, "back", self._name, f"{name} is heard again.", name)
            elif last == "alive" and self._detector.silence(name, now) > TUNING.gone:
                self._reported[name] = "gone"
                yield RobotEvent(run_time, "gone", self._name, f"{name} is not heard any more.", name)
            elif last is None and now - self.waiting_since > TUNING.missing:
                self._reported[name] = "missing"
                what = (
                    f"{name} has not been heard for {TUNING.missing:.0f} s at "
                    f"{self._plan.endpoints.links[name]}; start it with steelyard agent {self._plan.path.name} "
                    f"--robot {name}, or take its links out of the team file."
                )
                yield RobotEvent(run_time, "missing", self._name, what, name)
