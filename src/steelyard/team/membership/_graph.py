"""Who hears whom: undirected links between named robots."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from steelyard.config import Team
from steelyard.errors import BadInput, nearest


class Graph:
    """A connected, undirected graph of named robots; a value, never changed after it is made."""

    def __init__(self, names: Iterable[str], links: Iterable[tuple[str, str]]):
        self.names: tuple[str, ...] = tuple(names)
        self.links: tuple[tuple[str, str], ...] = tuple(dict.fromkeys(self._checked(links)))
        self._neighbours: dict[str, tuple[str, ...]] = {
            name: tuple(b if a == name else a for a, b in self.links if name in (a, b)) for name in self.names
        }
        lost = [name for name in self.names if name not in self.distances(self.names[0])]
        if lost:
            raise BadInput(
                f'Robot "{lost[0]}" cannot be reached from robot "{self.names[0]}"; add a link that joins their parts '
                "of the team."
            )

    def _checked(self, links: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
        if not self.names:
            raise BadInput("The team has no robots; name at least one.")
        if len(set(self.names)) < len(self.names):
            twice = next(name for k, name in enumerate(self.names) if name in self.names[:k])
            raise BadInput(f'Robot "{twice}" is named twice; give every robot its own name.')
        order = {name: k for k, name in enumerate(self.names)}
        for a, b in links:
            for name in (a, b):
                if name not in order:
                    raise BadInput(
                        f'A link names "{name}", which is not in the team; {nearest(name, list(self.names))}'
                    )
            if a == b:
                raise BadInput(f'A link joins "{a}" to itself; name two robots.')
            yield (a, b) if order[a] < order[b] else (b, a)

    @staticmethod
    def line(names: Sequence[str]) -> "Graph":
        """Each robot hears the one before and the one after it."""
        return Graph(names, itertools.pairwise(names))

    @staticmethod
    def ring(names: Sequence[str]) -> "Graph":
        """A line whose ends hear each other, too."""
        return Graph(names, [*itertools.pairwise(names), *([(names[-1], names[0])] if len(names) > 2 else [])])

    @staticmethod
    def star(names: Sequence[str]) -> "Graph":
        """The first robot hears all, the others hear only it."""
        return Graph(names, [(names[0], name) for name in names[1:]])

    @staticmethod
    def random(names: Sequence[str], seed: int, chance: float = 0.2) -> "Graph":
        """A random tree, so that all are joined, and each other pair linked with the given chance."""
        draw = np.random.default_rng(seed)
        order = [names[int(k)] for k in draw.permutation(len(names))]
        tree = [(order[k], order[int(draw.integers(k))]) for k in range(1, len(order))]
        more = [pair for pair in itertools.combinations(names, 2) if draw.random() < chance]
        return Graph(names, [*tree, *more])

    @staticmethod
    def of_kind(kind: str, names: Sequence[str], seed: int = 0) -> "Graph":
        """A `line`, a `ring`, a `star`, or by seed a `random` graph: a tree, and about two more links a robot."""
        if kind == "random":
            return Graph.random(names, seed, min(1.0, 2.0 / len(names)))
        kinds = {"line": Graph.line, "ring": Graph.ring, "star": Graph.star}
        if kind not in kinds:
            raise BadInput(f'Unknown graph "{kind}"; {nearest(kind, [*kinds, "random"])}')
        return kinds[kind](names)

    @staticmethod
    def from_config(team: Team, names: Sequence[str] | None = None) -> "Graph":
        """The graph of a `[team]` table; where it leaves something open, `names` in a line."""
        robots = team.robots or tuple(names or ())
        return Graph.line(robots) if team.links is None else Graph(robots, team.links)

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Those that a robot hears and that hear it."""
        if name not in self._neighbours:
            raise BadInput(f'There is no robot "{name}" in the team; {nearest(name, list(self.names))}')
        return self._neighbours[name]

    def degree(self, name: str) -> int:
        """How many neighbours a robot has."""
        return len(self.neighbours(name))

    def distances(self, start: str) -> dict[str, int]:
        """Hops from one robot to each that it can reach."""
        found, border = {start: 0}, [start]
        for name in border:
            for other in self._neighbours[name]:
                if other not in found:
                    found[other] = found[name] + 1
                    border.append(other)
        return found

    @property
    def diameter(self) -> int:
        """The hops between the two robots that are farthest apart."""
        return max(max(self.distances(name).values()) for name in self.names)

    @property
    def metropolis(self) -> np.ndarray:
        """All Metropolis weights in one matrix; for the theory and its tests."""
        index = {name: k for k, name in enumerate(self.names)}
        W = np.eye(len(self.names))
        for a, b in self.links:
            weight = metropolis_weight(self.degree(a), self.degree(b))
            i, j = index[a], index[b]
            W[[i, j], [i, j]] -= weight
            W[[i, j], [j, i]] += weight
        return W


def metropolis_weight(degree: int, other_degree: int) -> float:
    """The weight of a link, from the number of neighbours at its two ends alone [xiao07].

    Symmetric, and the weights of a robot's links stay below one: averages are kept and reached on every connected
    graph, of which nobody needs to know more.
    """
    return 1.0 / (1.0 + max(degree, other_degree))
