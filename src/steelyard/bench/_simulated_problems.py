"""Problem, simulator, truth: one list for all that compare answers with the truth."""

import dataclasses
from collections.abc import Callable

from steelyard.bench.faults import TRIED, TriedProblem
from steelyard.config import Config
from steelyard.config._read import parse
from steelyard.logs import Log
from steelyard.problems import Identification, identify
from steelyard.worlds import JetsScenario, jets_config, simulate_jets


@dataclasses.dataclass(frozen=True)
class SimulatedProblem:
    """Where a problem's simulated logs come from, and which of its answers were asked for."""

    name: str
    log: Callable[[int], Log]
    """A clean log by its seed, truth included; motions and loads differ from seed to seed."""
    answer: Callable[[Log, str | None], Identification]
    """By a method; None for the problem's own choice."""
    main: Callable[[str], bool]
    """Whether a quantity is one that was asked for."""


def _tried(problem: TriedProblem) -> SimulatedProblem:
    return SimulatedProblem(
        problem.name, problem.clean, lambda log, method: identify(log, problem.name, method=method), problem.main
    )


_JETS = JetsScenario(duration=12.0)


def _jets_log(seed: int) -> Log:
    """A humanoid on four jets, its sensors noisy."""
    columns = simulate_jets(_JETS, seed)
    return Log(columns.pop("time"), columns, f"jets {seed}")


def _jets_answer(log: Log, method: str | None) -> Identification:
    return identify(log, "jets", parse(jets_config(_JETS), Config, "jets"), method)


SIMULATED = {one.name: _tried(one) for one in TRIED.values() if one.answer is None}
SIMULATED["jets"] = SimulatedProblem("jets", _jets_log, _jets_answer, lambda quantity: quantity.startswith("thrust/"))
"""By problem."""
