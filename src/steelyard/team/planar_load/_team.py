"""The agents of a planar team, one for each name in a graph."""

from typing import Literal

from steelyard.errors import BadInput
from steelyard.team._cache import Cache
from steelyard.team.membership._graph import Graph
from steelyard.team.planar_load._agent import PlanarLoadAgent


def planar_load_team(
    graph: Graph,
    rate: float,
    velocity_noise: float,
    hold: Literal["step", "sample"] = "step",
    friction: bool = False,
    lets_go: float | None = None,
    real_time: bool = False,
    cache: Cache | None = None,
) -> list[PlanarLoadAgent]:
    """An agent for every robot of a graph; `rate` in Hz, `velocity_noise` in m/s an axis.

    With `hold` = `sample` a sample's force is the one at its time; with `step` it acted since the sample before. With
    `friction` the load slides with friction, which is estimated too. `lets_go`: s since its last sample, for which a
    robot that goes may push on unheard; by default it stops as it goes. In `real_time` robots send messages less often.
    All agents share `cache`, by default one of this team.
    """
    if not (rate > 0.0 and velocity_noise > 0.0):
        raise BadInput(f"{rate} samples a second with {velocity_noise} m/s of noise is no team; give positive numbers.")
    shared = cache or Cache()
    about = rate, velocity_noise, hold, friction, lets_go, real_time
    return [PlanarLoadAgent(name, graph.neighbours(name), *about, shared.view()) for name in graph.names]
