"""Problem, simulator, truth: one list for all that compare answers with the truth."""

import dataclasses
from collections.abc import Callable

from steelyard.bench.faults import TRIED, TriedProblem
from steelyard.config import Config
from steelyard.config._read import parse
from steelyard.logs import Log


@dataclasses.dataclass(frozen=True)
class SimulatedProblem:
    """Where a problem's simulated logs come from, and which of its answers were asked for."""

    name: str
    log: Callable[[int], tuple[Log, Config]]
    """A clean log by its seed, truth included, and what is configured; motions and loads differ from seed to seed."""
    main: Callable[[str], bool]
    """Whether a quantity is one that was asked for."""


def _tried(problem: TriedProblem) -> SimulatedProblem:
    return SimulatedProblem(problem.name, lambda seed: (problem.clean(seed), problem.config), problem.main)


def _jets_log(seed: int) -> tuple[Log, Config]:
    """A humanoid on four jets, its sensors noisy."""
    from steelyard.worlds import JetsScenario, jets_config, simulate_jets

    scenario = JetsScenario(duration=12.0)
    columns = simulate_jets(scenario, seed)
    config = parse(jets_config(scenario), Config, f"jets {seed}")
    return Log(columns.pop("time"), columns, f"jets {seed}"), config


SIMULATED = {one.name: _tried(one) for one in TRIED.values()}
SIMULATED["jets"] = SimulatedProblem("jets", _jets_log, lambda quantity: quantity.startswith("thrust/"))
"""By problem."""
