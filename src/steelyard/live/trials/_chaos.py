"""Random teams under random disasters in virtual time, held to invariants at every row; failures are shrunk.

A run is a function of its problem, seed and disasters: what fails once fails again, and with fewer disasters at last.
"""

import dataclasses
import functools
import random
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from steelyard.campaigns import all_of
from steelyard.config import Config
from steelyard.live.robot._team_file import TeamPlan, plan_team
from steelyard.live.trials._disasters import Disaster, draw_disasters
from steelyard.live.trials._measurements import true_value
from steelyard.live.trials._tuning import TUNING
from steelyard.live.trials._virtual_team import VirtualTeam
from steelyard.team import Graph
from steelyard.worlds.planar._body import load_mujoco

QUANTITIES = ("mass", "com", "inertia")


@dataclasses.dataclass(frozen=True)
class ChaosCase:
    """A team, a load and disasters, as a seed draws them."""

    problem: str
    seed: int
    plan: TeamPlan
    disasters: tuple[Disaster, ...]
    drop_time: float | None
    """When the load changes, s; None for never."""

    @property
    def over(self) -> float:
        """When the last disaster ends, s."""
        changed = [] if self.drop_time is None else [self.drop_time]
        return max([one.end for one in self.disasters] + changed, default=0.0)


class Violation(NamedTuple):
    """An invariant that did not hold."""

    invariant: str
    """crash, known-and-wrong, false-change, begins-again, unaccounted, not-recovered or disagree."""
    time: float
    """s of the run."""
    robot: str
    what: str


class ChaosFailure(NamedTuple):
    """A seed that failed, and its shortest disaster."""

    seed: int
    team: str
    violation: Violation
    disasters: tuple[Disaster, ...]


def draw_case(problem: str, seed: int) -> ChaosCase:
    """By the seed: how many robots, their graph, the load, its motion, and what goes wrong."""
    draw = random.Random(f"{problem}/{seed}")
    robots = draw.choice([2, 3, 3, 4, 4, 5, 5, 6, 8, 12])
    names = tuple(f"r{k + 1}" for k in range(robots))
    graph = Graph.of_kind(draw.choice(["line", "ring", "star", "random"]), names, seed)
    until = TUNING.disasters_until
    drop = draw.uniform(3.0, until) if draw.random() < 0.3 else None
    options: dict[str, Any] = {"mass": draw.uniform(0.5, 8.0)}
    if drop is not None:
        options |= {"drop_share": draw.uniform(0.2, 0.5), "drop_time": drop}
    if problem == "planar-load":
        noise = {"velocity": draw.choice([0.02, 0.05, 0.1])}
    else:
        level = draw.choice([0.05, 0.1, 0.2])
        signals = ("twist_angular", "twist_linear", "specific_force", "wrench_torque", "wrench_force")
        noise = dict.fromkeys(signals, level)
    tables = {
        "team": {"robots": names, "links": graph.links},
        "noise": noise,
        "live": {"problem": problem, "rate": TUNING.chaos_rate, "record": False},
        "world": {"duration": until + TUNING.recovery + 0.5, "seed": seed, "options": options},
    }
    plan = plan_team(msgspec.convert(tables, Config), Path("chaos.toml"))
    return ChaosCase(problem, seed, plan, draw_disasters(draw, names, until), drop)


def play(case: ChaosCase) -> Violation | None:
    """Runs a case until an invariant does not hold, or to its end."""
    try:
        team = VirtualTeam(case.plan, case.seed, case.disasters)
        checks = _Checks(case, team)
        while team.time < team.LEAD + case.over + TUNING.recovery and team.step():
            violation = next(checks.every_row(), None)
            if violation is not None:
                return violation
        violation = next(checks.at_the_end(), None)
        if violation is not None:
            return violation
        team.finish()
        for (sender, recipient), count in team.unaccounted().items():
            return Violation("unaccounted", team.time - team.LEAD, recipient, f"{count} messages of {sender}")
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        return Violation("crash", 0.0, "", what)
    return None


def shrunk(
    case: ChaosCase, violation: Violation, play: Callable[[ChaosCase], Violation | None] = play
) -> tuple[ChaosCase, Violation]:
    """The fewest and shortest disasters by which the same invariant fails."""
    fewer = True
    while fewer:
        fewer = False
        for disasters in _simpler(case.disasters):
            trial = dataclasses.replace(case, disasters=disasters)
            found = play(trial)
            if found is not None and found.invariant == violation.invariant:
                case, violation, fewer = trial, found, True
                break
    return case, violation


def run_chaos(
    problem: str, runs: int, seed: int, progress: Callable[[int], None] = lambda done: None
) -> list[ChaosFailure]:
    """Cases of consecutive seeds; those that fail, each with its shortest disaster.

    An interrupted run goes on where it stopped.
    """
    load_mujoco()  # says what is missing once, and not as a crash of every run
    found = all_of(functools.partial(chaos_run, problem), [seed + k for k in range(runs)], progress)
    return [one for one in found if one is not None]


def chaos_run(problem: str, seed: int) -> ChaosFailure | None:
    """One seed: None if every invariant held."""
    case = draw_case(problem, seed)
    violation = play(case)
    if violation is None:
        return None
    case, violation = shrunk(case, violation)
    team = f"{len(case.plan.graph.names)} robots, {len(case.plan.graph.links)} links"
    return ChaosFailure(seed, team, violation, case.disasters)


def _simpler(disasters: tuple[Disaster, ...]) -> Iterator[tuple[Disaster, ...]]:
    """One disaster less, or one half as long."""
    for k in range(len(disasters)):
        yield disasters[:k] + disasters[k + 1 :]
    for k, one in enumerate(disasters):
        if one.end - one.start > TUNING.shortest_disaster:
            middle = 0.5 * (one.start + one.end)
            for half in (dataclasses.replace(one, end=middle), dataclasses.replace(one, start=middle)):
                yield (*disasters[:k], half, *disasters[k + 1 :])


class _Checks:
    """What must hold at every row, and what at the end."""

    def __init__(self, case: ChaosCase, team: VirtualTeam):
        self._case, self._team, self._checked = case, team, 0
        self._faulty = {one.robot: one.start for one in case.disasters if one.kind == "liar"}

    def every_row(self) -> Iterator[Violation]:
        """No estimate beyond five stated deviations while it is known, no change that was none, no restart."""
        team = self._team
        now = team.time - team.LEAD
        for event in team.events[self._checked :]:
            if event.kind == "change" and not self._explained(event.time):
                yield Violation("false-change", now, event.robot, event.what)
            if event.kind == "fault":
                yield Violation("begins-again", now, event.robot, event.what)
        self._checked = len(team.events)
        if any(start <= now < start + TUNING.faulty_named for start in self._faulty.values()):
            return
        for name, node in team.nodes.items():
            for quantity in QUANTITIES if name not in self._faulty else ():
                worst = self._deviations(name, node.estimates.get(quantity), quantity)
                if worst > TUNING.most_deviations:
                    yield Violation("known-and-wrong", now, name, f"{quantity} is {worst:.1f} deviations off")

    def at_the_end(self) -> Iterator[Violation]:
        """All know the load as it is, and the same of it."""
        team = self._team
        now, found = team.time - team.LEAD, {}
        for name, node in team.nodes.items():
            if name in self._faulty:
                continue
            mass = node.estimates.get("mass")
            if mass is None or mass.value is None or mass.std is None or mass.time < self._case.over:
                status = "nothing" if mass is None else f"{mass.status} as of {mass.time:.1f} s"
                yield Violation("not-recovered", now, name, f"mass: {status}")
            else:
                found[name] = float(mass.value), float(mass.std)
        for one, (value, std) in found.items():
            for other, (theirs, their_std) in found.items():
                if abs(value - theirs) > TUNING.agreement * max(std, their_std):
                    yield Violation("disagree", now, one, f"{value:.4f} ± {std:.4f} kg, {other} {theirs:.4f} kg")

    def _explained(self, time: float) -> bool:
        drop = self._case.drop_time
        return drop is not None and abs(time - drop) < TUNING.change_dated_within

    def _deviations(self, name: str, estimate: Any, quantity: str) -> float:
        team, drop = self._team, self._case.drop_time
        if estimate is None or estimate.value is None or estimate.std is None or not team.truth:
            return 0.0
        if drop is not None and drop <= estimate.time < drop + TUNING.change_noticed_within:
            return 0.0
        at = min(max(team.true_time(name, estimate.time) * team.plan.rate, 0.0), len(team.truth) - 1.0)
        row = min(int(at), max(len(team.truth) - 2, 0))
        around = [true_value(team.truth[min(row + k, len(team.truth) - 1)], name, quantity) for k in (0, 1)]
        if around[0] is None or around[1] is None:
            return 0.0
        true = around[0] + (at - row) * (np.asarray(around[1]) - around[0])
        error = np.abs(np.asarray(estimate.value) - true)
        return float(np.max(error / np.maximum(np.asarray(estimate.std), 1e-12)))
