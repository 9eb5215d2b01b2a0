"""A team file, read and checked: who is in the team, who hears whom, where they listen, and what they do."""

import dataclasses
import re
from pathlib import Path

from steelyard.config import Config, load
from steelyard.errors import BadInput, nearest
from steelyard.live.robot._tasks import Task, task_of
from steelyard.live.robot._tuning import TUNING
from steelyard.team import Graph
from steelyard.team.transport import Endpoints, KeyFiles, key_files

_HERE = "127.0.0.1"
_NAME = re.compile(r"\w(?:[\w.-]{0,62}\w)?")
_RESERVED = ("world", "authority", "truth", "load", "settings")
"""Names of files and signals beside the robots' own."""


@dataclasses.dataclass(frozen=True)
class TeamPlan:
    """All that a process of the team needs to know."""

    path: Path
    config: Config
    graph: Graph
    task: Task

    @property
    def name(self) -> str:
        """Of the team."""
        return self.config.live.name

    @property
    def folder(self) -> Path:
        """Where checkpoints and recordings go."""
        return self.path.parent / self.config.live.folder

    @property
    def rate(self) -> float:
        """Samples a second."""
        return self.config.live.rate

    @property
    def paced(self) -> bool:
        """Whether samples come in real time; else as fast as they can, and there is no common clock."""
        return self.config.world.pace == "real"

    @property
    def endpoints(self) -> Endpoints:
        """Where every robot listens."""
        live, robots = self.config.live, self.graph.names
        links = {name: live.endpoints.get(name, f"{_HERE}:{live.port + k}") for k, name in enumerate(robots)}
        return Endpoints(links, {name: f"{_HERE}:{live.local_port + k}" for k, name in enumerate(robots)})

    @property
    def keys_folder(self) -> Path | None:
        """Where the keys are, if the team has any."""
        return None if self.config.live.keys is None else self.path.parent / self.config.live.keys

    def keys(self, robot: str) -> KeyFiles | None:
        """A robot's own."""
        return None if self.keys_folder is None else key_files(self.keys_folder, robot)

    def check_robot(self, name: str) -> str:
        """The name, if it is a robot's of the team."""
        if name not in self.graph.names:
            raise BadInput(f'{self.path}: there is no robot "{name}"; {nearest(name, list(self.graph.names))}')
        return name


def read_team(path: str | Path) -> TeamPlan:
    """Reads and checks a team file; every mistake in it is a `BadInput`."""
    return plan_team(load(path, Config), Path(path))


def plan_team(config: Config, path: Path) -> TeamPlan:
    """Checks a configuration as that of a team."""
    if config.team.robots is None or len(config.team.robots) < 2:
        raise BadInput(f'{path}: a team needs two robots or more; add [team] robots = ["r1", "r2", …].')
    if len(config.team.robots) > TUNING.most_robots:
        raise BadInput(
            f"{path}: {len(config.team.robots)} robots are too many; a team has at most {TUNING.most_robots}."
        )
    for name in config.team.robots:
        if not _NAME.fullmatch(name):
            what = ascii(name)
            raise BadInput(f"{path}: {what} cannot name a robot; use letters, digits, and - _ . inside, 64 at most.")
        if name.lower() in _RESERVED:
            raise BadInput(f'{path}: "{name}" cannot name a robot, because it names something else; take another.')
    try:
        graph = Graph.from_config(config.team)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    live, faults = config.live, config.faults
    named = {
        "[live] endpoints": live.endpoints,
        "[faults] kill": [one.robot for one in faults.kill],
        "[faults] freeze": [one.robot for one in faults.freeze],
        "[faults] lie": [one.robot for one in faults.lie],
        "[faults] clocks": faults.clocks,
        "[faults] rates": faults.rates,
        "[faults] cut": [name for cut in faults.cut for link in cut.links for name in link],
    }
    for table, names in named.items():
        for name in names:
            if name not in graph.names:
                raise BadInput(f'{path}: {table} names "{name}"; {nearest(name, list(graph.names))}')
    for name, rate in faults.rates.items():
        if not 0.0 < rate <= 1e4:
            raise BadInput(f"{path}: [faults] rates has {rate} for {name}; give samples a second, above 0.")
    for name, endpoint in live.endpoints.items():
        if live.keys is None and endpoint.rpartition(":")[0] not in (_HERE, "localhost", "::1", "[::1]"):
            raise BadInput(
                f"{path}: {name} is to listen on {endpoint}, and without keys robots talk on this machine only; make "
                'keys with steelyard team keys, and write keys = "…" in [live].'
            )
    ranges = [range(start, start + len(graph.names)) for start in (live.port, live.local_port)]
    if set(ranges[0]) & set(ranges[1]):
        raise BadInput(f"{path}: port and local_port are too close for {len(graph.names)} robots; keep them apart.")
    return TeamPlan(path, config, graph, task_of(live.problem, config, path))
