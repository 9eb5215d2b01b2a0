"""Runs of teams for tests of their phases, by `in_earnest`."""

import dataclasses
import math

from spatial_runs import recorded, team_of

from steelyard.live import draw_case
from steelyard.live.trials._virtual_team import VirtualTeam
from steelyard.team import Bus, Graph, run_team
from steelyard.worlds import SpatialScenario

HOLD = SpatialScenario(robots=2, duration=4.0, sensors="realistic", drop_share=0.4, drop_time=3.0)
PAIR = Graph.line(["r1", "r2"])


def phases_of_runs() -> list[list[str]]:
    """The phases of each robot, sample by sample: with a gap and a change, and with a gap in the first second."""
    return [*_phases(1.6, 2.2), *_phases(0.5, 1.0)]


def _phases(start: float, end: float) -> list[list[str]]:
    """r2 measures no wrench from `start` to `end`, s."""
    _, samples = recorded(dataclasses.replace(HOLD), 1)
    nothing = (math.nan,) * 3
    samples["r2"] = [
        type(one)(one.time, one.angular, one.linear, one.specific_force, nothing, nothing)
        if start <= one.time < end
        else one
        for one in samples["r2"]
    ]
    found: dict[str, list[str]] = {name: [] for name in PAIR.names}
    run_team(
        team_of(HOLD, PAIR),
        samples,
        Bus(PAIR),
        watch=lambda k, name, turn: found[name].append(turn.state.estimator.phase.value),
    )
    return list(found.values())


def window_phases_of_runs() -> list[list[str]]:
    """The phases of planar robots in chaos runs: a change (30), a robot that dies and is back (2057, 2096)."""
    return [found for seed in (30, 2057, 2096) for found in _window_phases(seed)]


def _window_phases(seed: int) -> list[list[str]]:
    case = draw_case("planar-load", seed)
    team = VirtualTeam(case.plan, case.seed, case.disasters)
    found: dict[tuple[str, int], list[str]] = {}  # by process
    while team.step():
        for name, node in team.nodes.items():
            found.setdefault((name, node.epoch), []).append(node.state.window.phase.value)
    return list(found.values())
