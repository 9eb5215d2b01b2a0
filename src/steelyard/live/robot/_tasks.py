"""What a team may be asked to do: for each problem its agents, its sensors and its world."""

import abc
import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.live.robot._consistency_check import planar_faulty_member
from steelyard.team import Agent, Graph, Message, PlanarSample, planar_load_team
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.worlds import PlanarPlay, PlanarScenario, Player


class Task(abc.ABC):
    """A problem as robots work on it while it happens."""

    columns: tuple[str, ...]
    """What a robot's own sensors measure, `<signal>/<axis>`."""
    motion: int
    """How many of them, the first ones, measure how the load moves; the others are what the robot does to it."""
    faulty_lets_go: bool
    """Whether a faulty member lets go of the load: without its motion nobody knows where its force acts."""

    @abc.abstractmethod
    def agents(self, graph: Graph, rate: float) -> list[Agent]:
        """One for each robot."""

    @abc.abstractmethod
    def sample(self, time: float, values: tuple[float, ...]) -> Any:
        """A sample as agents take it."""

    @abc.abstractmethod
    def play(self, graph: Graph, rate: float) -> Player:
        """The world of a trial; its robots r1, r2, … are those of the graph in their order."""

    @abc.abstractmethod
    def faulty_member(self, claims: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """Which robot's claims are inconsistent with the others', if one's are; each is a mean of so many samples."""

    def without_motion(self, message: Message, faulty: frozenset[str]) -> Message:
        """A message without the motion that faulty members measured, where it can be taken out."""
        return message

    @abc.abstractmethod
    def prepare(self, robots: int) -> None:
        """Compiles what agents of so large a team need and the warm-up of two does not."""

    @abc.abstractmethod
    def warm_up_samples(self, rate: float) -> list[list[tuple[float, ...]]]:
        """Values of two robots that hold a load, a row a sample: to compile all that agents run, before it matters."""


def task_of(problem: str, config: Config, path: Path) -> Task:
    """The task by its problem's name."""
    from steelyard.live.robot._spatial_task import SpatialTask

    tasks: dict[str, type[Any]] = {"planar-load": PlanarTask, "spatial-load": SpatialTask}
    return tasks[problem](config, path)


class PlanarTask(Task):
    """Robots push a load on a plane."""

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

    def faulty_member(self, claims: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """See `Task`."""
        sigma = (self._config.noise.velocity or 0.0) / math.sqrt(samples)
        return planar_faulty_member(claims[..., 0] + 1j * claims[..., 1], sigma)

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


def scenario(kind: type, fixed: Mapping[str, Any], options: Mapping[str, Any], path: Path) -> Any:
    """A world's settings from `[world] options`; those that the team file states elsewhere are fixed."""
    known = [field.name for field in dataclasses.fields(kind)]
    for name in options:
        if name in fixed:
            raise BadInput(f"{path}: [world] options has {name}, which the team file states elsewhere; take it out.")
        if name not in known:
            raise BadInput(f'{path}: [world] options has no "{name}"; {nearest(name, known)}')
    return kind(**{**options, **fixed})
