"""Disasters of a simulated team: what goes wrong, when, and to whom; drawn by a seed."""

import dataclasses
import random
from typing import TYPE_CHECKING, Literal

from steelyard.config import WrongMotion
from steelyard.live.trials._faults import falsified

if TYPE_CHECKING:
    from steelyard.live.trials._virtual_team import VirtualTeam

Kind = Literal["loss", "jitter", "double", "freeze", "kill", "cut", "clock", "silent", "outliers", "liar"]


@dataclasses.dataclass(frozen=True)
class Disaster:
    """Something that goes wrong from `start` to `end`, s of the run."""

    kind: Kind
    start: float
    end: float
    robot: str = ""
    """Whom it befalls; empty for all."""
    size: float = 0.0
    """loss, double, outliers: a share. jitter: s. clock: s by which it is wrong, and 1e-4 of it each second. kill: s by
    which the clock is set while the robot is away."""
    side: frozenset[str] = frozenset()
    """cut: the robots on one side of it."""

    def covers(self, time: float) -> bool:
        """Whether it happens at a time of the run."""
        return self.start <= time < self.end

    def __str__(self) -> str:
        who = self.robot or ("{" + ", ".join(sorted(self.side)) + "}" if self.side else "all")
        return f"{self.kind} {who} {self.start:.2f}-{self.end:.2f} s" + (f" ({self.size:.3g})" if self.size else "")


def draw_disasters(draw: random.Random, names: tuple[str, ...], until: float) -> tuple[Disaster, ...]:
    """One to five of them, all over by a time; some in the first second, several at once."""
    found: list[Disaster] = []
    kinds: list[Kind] = ["loss", "jitter", "double", "freeze", "kill", "cut", "clock", "silent", "outliers"]
    if len(names) >= 5:
        kinds.append("liar")
    for _ in range(draw.randint(1, 5)):
        kind = draw.choice(kinds)
        start = draw.uniform(0.0, 1.0) if draw.random() < 0.3 else draw.uniform(0.0, until - 0.5)
        end = min(start + draw.uniform(0.2, 4.0), until)
        robot, size, side = draw.choice(names), 0.0, frozenset[str]()
        match kind:
            case "loss" | "double":
                robot, size = "", draw.uniform(0.02, 0.4)
            case "jitter":
                robot, size = "", draw.uniform(0.005, 0.1)
            case "cut":
                robot, side = "", frozenset(draw.sample(names, draw.randint(1, len(names) - 1)))
            case "clock":
                start, end, size = 0.0, until, draw.uniform(-2.0, 2.0)
            case "kill":
                size = draw.choice([0.0, 0.0, -3600.0, 1.0])
            case "outliers":
                size = draw.uniform(0.005, 0.05)
            case "liar":
                end = until
        if kind == "liar" and any(one.kind == "liar" for one in found):
            continue
        found.append(Disaster(kind, start, end, robot, size, side))
    return tuple(found)


def disturbed_values(team: "VirtualTeam", name: str, values: dict[str, float]) -> dict[str, float]:
    """A robot's readings as its sensors deliver them."""
    motion = team.plan.task.motion
    if team.active("liar", name) is not None:
        columns = team.plan.task.columns
        wrong = falsified(tuple(values[column] for column in columns), motion, WrongMotion(name))
        values = dict(zip(columns, wrong, strict=True))
    outliers = team.active("outliers", name)
    if outliers is not None and random.Random(f"{name}/{team.row}").random() < outliers.size:
        column = team.plan.task.columns[team.row % motion]
        values[column] += 1e4
    return values
