"""Robots push a load on a plane."""

import math
from pathlib import Path

import numpy as np
from jaxtyping import Float

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.live.robot._consistency_check import planar_faulty_member
from steelyard.live.robot._tasks import Task, scenario
from steelyard.team import Agent, Graph, PlanarSample, planar_load_team
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.worlds import PlanarPlay, PlanarScenario, Player


class PlanarTask(Task):
    """Forces and velocities in world axes; see `Task`."""

    columns = ("velocity/x", "velocity/y", "force/x", "force/y")
    motion = 2
    faulty_lets_go = True

    def __init__(self, config: Config, path: Path):
        if config.noise.velocity is None:
            raise BadInput(f"{path}: [noise] velocity is missing; state it in m/s, a team cannot wait for a log.")
        self._config, self._path = config, path

    def agents(self, graph: Graph, rate: float) -> list[Agent]:
        """See `Task`."""
        config = self._config
        assert config.noise.velocity is not None
        about = config.noise.velocity, config.inputs.hold, config.load.friction
        return list(planar_load_team(graph, rate, *about, lets_go=MEMBERSHIP.released, real_time=True))

    def sample(self, time: float, values: tuple[float, ...]) -> PlanarSample:
        """See `Task`."""
        vx, vy, fx, fy = values
        return PlanarSample(time, (vx, vy), (fx, fy))

    def play(self, graph: Graph, rate: float) -> Player:
        """See `Task`."""
        world = self._config.world
        fixed = {"robots": len(graph.names), "rate": rate, "duration": world.duration}
        fixed["velocity_noise"] = self._config.noise.velocity
        return PlanarPlay(scenario(PlanarScenario, fixed, world.options, self._path), world.seed)

    def faulty_member(self, motion: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """See `Task`."""
        sigma = (self._config.noise.velocity or 0.0) / math.sqrt(samples)
        return planar_faulty_member(motion[..., 0] + 1j * motion[..., 1], sigma)

    def prepare(self, robots: int) -> None:
        """See `Task`: nothing depends on the size."""

    def warm_up_samples(self, rate: float) -> list[list[tuple[float, ...]]]:
        """See `Task`: a load of 1 kg and 1 kg m², held at both ends of a rod of 2 m."""
        t = np.arange(int(8.0 * rate)) / rate
        angle, omega, alpha = 0.5 * t + np.sin(t), 0.5 + np.cos(t), -np.sin(t)
        velocity = np.exp(1j * t) * 0.5
        force = 1j * velocity  # the mass is 1 kg
        arm = np.exp(1j * angle)
        turn = 0.5 * alpha * 1j * arm  # at both ends, one against the other
        noise = np.random.default_rng(0).standard_normal((2, len(t), 2)) @ np.array([1.0, 1j])
        sigma = self._config.noise.velocity or 0.0
        found = []
        for k, side in enumerate((1.0, -1.0)):
            v, f = velocity + 1j * omega * side * arm + sigma * noise[k], 0.5 * force + side * turn
            found.append([(a.real, a.imag, b.real, b.imag) for a, b in zip(v.tolist(), f.tolist(), strict=True)])
        return found
