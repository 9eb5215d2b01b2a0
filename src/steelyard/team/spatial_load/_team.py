"""The agents of a team that estimates a spatial load, one for each name in a graph."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from steelyard.errors import BadInput
from steelyard.models import WRIST_SIGNALS
from steelyard.team._cache import Cache
from steelyard.team.membership import Graph, GripRules
from steelyard.team.spatial_load._agent import SpatialLoadAgent


def spatial_load_team(
    graph: Graph,
    rate: float,
    noise: Mapping[str, float],
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    hold: Literal["step", "sample"] = "sample",
    lets_go: float | None = None,
    real_time: bool = False,
) -> list[SpatialLoadAgent]:
    """An agent for every robot of a graph; `rate` in Hz, `gravity` in m/s².

    `noise` has a standard deviation an axis for each of `twist/angular` (rad/s), `twist/linear` (m/s), `specific_force`
    (m/s²), `wrench/torque` (N m) and `wrench/force` (N). With `hold` = `step` a wrench acts until the next sample.
    `lets_go`: s since its last sample, within which a robot that none of its neighbours hears is sure to have let go of
    the load; by default nobody knows. With `real_time` no step takes long: robots compute one after the other, in
    instalments, and by compiled code where there is a compiler (which takes seconds for the first team of its size).
    All agents of the team share one cache.
    """
    missing = [signal for signal in WRIST_SIGNALS if signal not in noise]
    if missing:
        raise BadInput(f'The noise of "{missing[0]}" is not stated; give a standard deviation for every signal.')
    sizes = tuple(float(noise[signal]) for signal in WRIST_SIGNALS)
    if not (rate > 0.0 and all(0.0 < size < math.inf for size in sizes)):
        raise BadInput(f"{rate} samples a second with noise of {sizes} is no team; give positive numbers.")
    size = math.sqrt(sum(g * g for g in gravity))
    agreed = None
    if lets_go is not None:
        neighbours = {name: graph.neighbours(name) for name in graph.names}
        agreed = GripRules(round(lets_go * rate), neighbours)
    shared, held = Cache(), hold == "step"
    return [
        SpatialLoadAgent(
            name, graph.neighbours(name), graph.names, rate, sizes, size, held, agreed, real_time, shared.view()
        )
        for name in graph.names
    ]
