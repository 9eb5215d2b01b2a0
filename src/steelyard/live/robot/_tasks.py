"""What a team may be asked to do: for each problem its agents, its sensors and its world."""

import abc
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.team import Agent, Graph, Message
from steelyard.worlds import Player


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
    def faulty_member(self, motion: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """Whose motion, as `Agent.reported_motion` has it, is inconsistent with the others', if one's is."""

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
    from steelyard.live.robot._planar_task import PlanarTask
    from steelyard.live.robot._spatial_task import SpatialTask

    tasks: dict[str, type[Any]] = {"planar-load": PlanarTask, "spatial-load": SpatialTask}
    return tasks[problem](config, path)


def scenario(kind: type, fixed: Mapping[str, Any], options: Mapping[str, Any], path: Path) -> Any:
    """A world's settings from `[world] options`; those that the team file states elsewhere are fixed."""
    known = [field.name for field in dataclasses.fields(kind)]
    for name in options:
        if name in fixed:
            raise BadInput(f"{path}: [world] options has {name}, which the team file states elsewhere; take it out.")
        if name not in known:
            raise BadInput(f'{path}: [world] options has no "{name}"; {nearest(name, known)}')
    return kind(**{**options, **fixed})
