"""A robot's agent as it runs: its steps, its estimates, and its way back to before a fault."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from steelyard.estimators import Estimate
from steelyard.live.robot._alignment import Aligned
from steelyard.live.robot._checkpoint import NoCheckpoint
from steelyard.live.robot._consistency_check import ConsistencyCheck
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.team import Agent, Message, Turn


class Estimation:
    """Of one robot."""

    def __init__(self, plan: TeamPlan, agent: Agent):
        self._plan, self.agent = plan, agent
        self.state = agent.init()
        self.tick = -1
        self.estimates: Mapping[str, Estimate] = {}
        self.known: dict[str, Estimate] = {}
        """The last known estimate of each quantity."""
        self.faulty: frozenset[str] = frozenset()
        """Members whose measurements of the motion are not used."""
        self._inbox: list[Message] = []
        snapshots = round(TUNING.longest_undetected_fault / TUNING.snapshot_interval) + 2
        self._snapshots: deque[tuple[int, Any]] = deque(maxlen=snapshots)
        self._check = ConsistencyCheck(plan)

    def restart(self) -> None:
        """Two teams met, and the other is older: samples are numbered from its start."""
        self.state, self.tick, self._inbox = self.agent.init(), -1, []
        self._snapshots.clear()
        self._check = ConsistencyCheck(self._plan)

    def resume(self, found: Any, tick: int, faulty: tuple[str, ...]) -> None:
        """Goes on from a state; `NoCheckpoint`, and nothing has changed, where it cannot be used."""
        try:
            state = self.agent.from_checkpoint(found)
        except Exception as error:  # whatever a state that does not fit does: the neighbours know enough to go on
            raise NoCheckpoint(f"does not fit this robot ({type(error).__name__})") from None
        self.state, self.tick, self.faulty = state, tick, frozenset(faulty)

    def reset_link(self, neighbour: str) -> None:
        """A neighbour's process has been replaced."""
        self.state = self.agent.reset_link(self.state, neighbour)

    def catch_up(self) -> None:
        """The robot stood still, and its neighbours did without it."""
        self.state = self.agent.catch_up(self.state)

    def receive(self, message: Message) -> None:
        """For the next step."""
        self._inbox.append(self._plan.task.without_motion(message, self.faulty))

    def step(self, aligned: Aligned | None) -> Turn:
        """One step of the agent, which begins again where numbers come that no algebra survives: those errors pass."""
        sample = None
        if aligned is not None:
            self.tick = aligned.tick
            sample = self._plan.task.sample(aligned.tick / self._plan.rate, aligned.values)
        inbox, self._inbox = tuple(self._inbox), []
        try:
            turn = self.agent.step(self.state, sample, inbox)
        except (ArithmeticError, ValueError):
            self.state = self.agent.init()
            raise
        self.state = turn.state
        if turn.estimates and turn.estimates is not self.estimates:
            self.estimates = turn.estimates
            self.known |= {name: one for name, one in turn.estimates.items() if one.status == "known"}
        return turn

    def keep_snapshot(self) -> None:
        """For `exclude`."""
        self._snapshots.append((self.tick, self.state))

    def find_faulty(self) -> list[str]:
        """Members that turn out to be faulty, each once; from now on their motion is not used.

        What they have sent already is forgotten.
        """
        found = self._check.find_faulty(self.tick, self.agent, self.state, self.faulty)
        for member in found:
            self.faulty = self.faulty | {member}
            self.state, self._inbox = self.agent.exclude(self.state, self._before_faults(), self.faulty), []
            self._snapshots.clear()
        return found

    def _before_faults(self) -> Any:
        """The agent's state from before anybody can have been faulty unnoticed."""
        before = self.tick - TUNING.longest_undetected_fault * self._plan.rate
        found = [state for tick, state in self._snapshots if tick <= before]
        return found[-1] if found else self.agent.init()
