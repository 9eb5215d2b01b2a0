"""Robots hold a load in space."""

import math
import struct
from pathlib import Path

import msgspec
import numpy as np
from jaxtyping import Float

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.live.robot._consistency_check import spatial_faulty_member
from steelyard.live.robot._tasks import Task, scenario
from steelyard.models import WRIST_SIGNALS
from steelyard.team import Agent, Graph, Message, SpatialLoadMessage, SpatialSample, compiled_filter, spatial_load_team
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.worlds import Player, SpatialPlay, SpatialScenario

_SILENT = struct.pack("<9d", *[math.nan] * 9)


class SpatialTask(Task):
    """Each robot in its own sensor frame; see `Task`."""

    columns = tuple(f"{signal}/{axis}" for signal in WRIST_SIGNALS for axis in "xyz")
    motion = 9
    faulty_lets_go = False

    def __init__(self, config: Config, path: Path):
        self._config, self._path = config, path
        self._noise: dict[str, float] = {}
        for signal, unit in WRIST_SIGNALS.items():
            key = signal.replace("/", "_")
            size = getattr(config.noise, key)
            if size is None:
                raise BadInput(f"{path}: [noise] {key} is missing; state it in {unit}, a team cannot wait for a log.")
            self._noise[signal] = size

    def agents(self, graph: Graph, rate: float) -> list[Agent]:
        """See `Task`."""
        gravity, hold = self._config.gravity, self._config.inputs.hold
        return list(spatial_load_team(graph, rate, self._noise, gravity, hold, MEMBERSHIP.released, real_time=True))

    def sample(self, time: float, values: tuple[float, ...]) -> SpatialSample:
        """See `Task`."""
        a, b, c, d, e = ((values[k], values[k + 1], values[k + 2]) for k in range(0, 15, 3))
        return SpatialSample(time, a, b, c, d, e)

    def play(self, graph: Graph, rate: float) -> Player:
        """See `Task`."""
        world = self._config.world
        names = ("angular_noise", "linear_noise", "specific_force_noise", "torque_noise", "force_noise")
        fixed = {"robots": len(graph.names), "rate": rate, "duration": world.duration}
        fixed |= dict(zip(names, self._noise.values(), strict=True))
        fixed["weightless"] = not any(self._config.gravity)
        return SpatialPlay(scenario(SpatialScenario, fixed, world.options, self._path), world.seed)

    def faulty_member(self, motion: Float[np.ndarray, "time robot column"], samples: int) -> int | None:
        """See `Task`."""
        sizes = np.array([self._noise["twist/angular"]] * 3 + [self._noise["twist/linear"]] * 3) / math.sqrt(samples)
        return spatial_faulty_member(motion / sizes)

    def without_motion(self, message: Message, faulty: frozenset[str]) -> Message:
        """See `Task`: the wrench of a faulty member acts on the load whatever motion it measures, so it stays."""
        if not faulty or not isinstance(message, SpatialLoadMessage):
            return message
        samples = tuple(
            msgspec.structs.replace(sample, values=_SILENT + sample.values[len(_SILENT) :])
            if sample.origin in faulty
            else sample
            for sample in message.samples
        )
        return msgspec.structs.replace(message, samples=samples)

    def prepare(self, robots: int) -> None:
        """See `Task`: machine code is for one size of team."""
        compiled_filter(robots)

    def warm_up_samples(self, rate: float) -> list[list[tuple[float, ...]]]:
        """See `Task`: there is nothing else."""
        return [[], []]
