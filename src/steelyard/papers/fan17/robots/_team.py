"""Teams of the spatial paper."""

import math
from typing import Any

import numpy as np

from steelyard.errors import BadInput
from steelyard.papers.fan17.robots._agent import Fan17Agent
from steelyard.papers.fan17.robots._procedure import Fan17Procedure
from steelyard.papers.fan17.robots._tuning import TUNING
from steelyard.team.membership._graph import Graph


def fan17_team(graph: Graph, **settings: Any) -> list[Fan17Agent]:
    """Every robot of a graph; settings are those of `Fan17Procedure`, the number of rounds by default enough for it."""
    known = set(Fan17Procedure.__struct_fields__) - {"n_robots"}
    odd = sorted(set(settings) - known)
    if odd:
        raise BadInput(f"There is no setting {odd[0]} of the spatial paper; give one of {', '.join(sorted(known))}.")
    settings.setdefault("rounds", rounds_for(graph))
    procedure = Fan17Procedure(n_robots=len(graph.names), **settings)
    return [Fan17Agent(name, graph.neighbours(name), procedure) for name in graph.names]


def rounds_for(graph: Graph) -> int:
    """Rounds after which Metropolis averaging has left 0.2 % of the differences; at least as many as hops."""
    if len(graph.names) < 2:
        return 1
    eigenvalues = np.sort(np.abs(np.linalg.eigvalsh(graph.metropolis)))
    slowest = eigenvalues[-2]
    needed = 1 if slowest < 1e-12 else math.ceil(math.log(TUNING.consensus_left) / math.log(slowest))
    return max(needed, graph.diameter)
