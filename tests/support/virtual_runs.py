"""Teams in virtual time for tests: small, quick, and attacked on the way."""

from pathlib import Path

import msgspec
import numpy as np

from steelyard.config import Config
from steelyard.live import TeamPlan, plan_team
from steelyard.live.trials._virtual_team import VirtualTeam

SPATIAL = dict.fromkeys(("twist_angular", "twist_linear", "specific_force", "wrench_torque", "wrench_force"), 0.1)


def plan(problem: str, robots: int = 3, duration: float = 9.0, rate: float = 25.0, **world) -> TeamPlan:
    """A ring of robots."""
    names = [f"r{k + 1}" for k in range(robots)]
    links = [[names[k - 1], names[k]] for k in range(0 if robots > 2 else 1, robots)]
    tables = {
        "team": {"robots": names, "links": links},
        "noise": {"velocity": 0.05} if problem == "planar-load" else SPATIAL,
        "live": {"problem": problem, "rate": rate, "record": False},
        "world": {"duration": duration, "seed": 1, "options": world},
    }
    return plan_team(msgspec.convert(tables, Config), Path("virtual.toml"))


def wrong_masses(team: VirtualTeam, recent: float = 1.5) -> list[str]:
    """Robots that do not know the load's mass as of now, or are five deviations off."""
    found = []
    for name, node in team.nodes.items():
        mass, true = node.estimates.get("mass"), team.truth[-1]["truth/mass"]
        if mass is None or mass.value is None or mass.std is None:
            found.append(f"{name} does not know")
        elif abs(float(np.asarray(mass.value)) - true) > 5.0 * float(np.asarray(mass.std)):
            found.append(f"{name} is wrong: {mass.value} of {true}, deviation {mass.std}")
        elif mass.time < team.row / team.plan.rate - recent:
            found.append(f"{name} knows it as of {mass.time} s only")
    return found
