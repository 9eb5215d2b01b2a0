"""A fault of the catalogue, and the problem that it is tried on."""

import dataclasses
from collections.abc import Callable, Mapping

from steelyard.bench.faults._edits import Edit
from steelyard.logs import Log
from steelyard.problems import Identification


@dataclasses.dataclass(frozen=True)
class Fault:
    """Something that is wrong with a recording."""

    name: str
    named: str
    """A regular expression that the first sentence against the answer matches where it names this fault."""
    strong: Edit
    mild: Edit | None = None
    """None where the fault has no degrees."""
    exempt: str | None = None
    """Why no data can tell, and what the answer must say beside the number instead (a regular expression)."""

    @property
    def strengths(self) -> Mapping[str, Edit]:
        """By name."""
        return {"strong": self.strong} if self.mild is None else {"mild": self.mild, "strong": self.strong}


@dataclasses.dataclass(frozen=True)
class TriedProblem:
    """How a problem is tried: its clean logs, its faults, and which answers count."""

    name: str
    clean: Callable[[int], Log]
    """A clean log by its seed; motions and loads differ from seed to seed."""
    faults: tuple[Fault, ...]
    main: Callable[[str], bool]
    """Whether a quantity is one that was asked for; an answer is right where one of these is known and none is off."""
    answer: Callable[[Log], Identification] | None = None
    """Where it takes more than its name to ask the problem: a configuration, a robot of one's own."""
