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
from steelyard.live.robot._consistency_check import planar_liar
from steelyard.team import Agent, Graph, Message, PlanarSample, planar_load_team
from steelyard.worlds import PlanarPlay, PlanarScenario, Player

ALONE = 1.0
"""s since anybody was last known to hear it, after which a robot lets go of the load."""
LETS_GO_WITHIN = 2.0
"""s since a robot's last sample, within which it has let go if nobody hears it: `ALONE`, what lies between its last
sample and its last message, and what a grip takes to open."""


class Task(abc.ABC):
    """A problem as robots work on it while it happens."""

    columns: tuple[str, ...]
    """What a robot's own sensors tell, `<signal>/<axis>`."""
    motion: int
    """How many of them, the first ones, tell how the load moves; the others are what the robot does to it."""
    shuns: bool
    """Whether a liar must be cut off, because its part in a message cannot be told from others'."""

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
    def judge(self, claims: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """Which robot's claims do not fit the others', if one's do not; each is a mean of so many samples."""

    def without(self, message: Message, liars: frozenset[str]) -> Message:
        """A message less what liars say of the motion, where it can be taken out."""
        return message

    @abc.abstractmethod
    def prepare(self, robots: int) -> None:
        """Makes ready what agents of so large a team need and a rehearsal of two does not."""

    @abc.abstractmethod
    def rehearsal(self, rate: float) -> list[list[tuple[float, ...]]]:
        """Values of two robots that hold a load, a row a sample: to compile all that agents run, before it counts."""


def task_of(problem: str, config: Config, path: Path) -> Task:
    """The task by its problem's name."""
    from steelyard.live.robot._spatial_task import SpatialTask

    tasks: dict[str, type[Any]] = {"planar-load": PlanarTask, "spatial-load": SpatialTask}
    return tasks[problem](config, path)


class PlanarTask(Task):
    """Robots push a load on a plane."""

    columns = ("velocity/x", "velocity/y", "force/x", "force/y")
    motion = 2
    shuns = True

    def __init__(self, config: Config, path: Path):
        if config.noise.velocity is None:
            raise BadInput(f"{path}: [noise] velocity is missing; state it in m/s, a team cannot wait for a log.")
        self._config, self._path = config, path

    def agents(self, graph: Graph, rate: float) -> list[Agent]:
        """See `Task`."""
        config = self._config
        assert config.noise.velocity is not None
        about = config.noise.velocity, config.inputs.hold, config.load.friction
        return list(planar_load_team(graph, rate, *about, lets_go=LETS_GO_WITHIN, real_time=True))

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

    def judge(self, claims: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """See `Task`."""
        sigma = (self._config.noise.velocity or 0.0) / math.sqrt(samples)
        return planar_liar(claims[..., 0] + 1j * claims[..., 1], sigma)

    def prepare(self, robots: int) -> None:
        """See `Task`: nothing depends on the size."""

    def rehearsal(self, rate: float) -> list[list[tuple[float, ...]]]:
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
    """A world's figures from `[world] options`; those that the team file says elsewhere are fixed."""
    known = [field.name for field in dataclasses.fields(kind)]
    for name in options:
        if name in fixed:
            raise BadInput(f"{path}: [world] options has {name}, which the team file says elsewhere; take it out.")
        if name not in known:
            raise BadInput(f'{path}: [world] options has no "{name}"; {nearest(name, known)}')
    return kind(**{**options, **fixed})
