"""The papers' robots in a world: they choose forces, and it answers with velocities."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.errors import BadInput
from steelyard.team import Agent, Bus, PlanarSample, Presence, TeamRun, Turn, run_closed_loop

World = Callable[[dict[str, np.ndarray], float], Mapping[str, np.ndarray]]


def drive(
    agents: Sequence[Agent],
    world: World,
    bus: Bus,
    duration: float,
    rate: float,
    presences: Mapping[str, Presence] | None = None,
    watch: Callable[[int, str, Turn], None] | None = None,
) -> TeamRun:
    """Agents whose actions are forces (N, world axes), for `duration` seconds at `rate` samples a second.

    `world(forces, dt)` holds the forces (by robot) for dt seconds and returns every contact's velocity as its robot
    measures it (m/s, world axes); called with dt = 0 it only measures.
    """
    if not (rate > 0.0 and duration > 0.0):
        raise BadInput(f"A run of {duration} s at {rate} samples a second is none; give positive numbers.")
    zero = {agent.name: (0.0, 0.0) for agent in agents}

    def samples(step: int, actions: Mapping[str, tuple[float, float]]) -> dict[str, PlanarSample]:
        forces = zero | dict(actions)
        measured = world({name: np.array(force) for name, force in forces.items()}, 1.0 / rate if step else 0.0)
        return {name: PlanarSample(step / rate, _pair(measured[name]), forces[name]) for name in forces}

    return run_closed_loop(agents, samples, bus, round(duration * rate) + 1, presences, watch)


def _pair(vector: np.ndarray) -> tuple[float, float]:
    return float(vector[0]), float(vector[1])
