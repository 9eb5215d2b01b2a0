"""Ours beyond the paper: teams of other sizes and graphs, and bad radios, each beside one who has everybody's data."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.campaigns import all_of
from steelyard.estimators import Estimate
from steelyard.papers._reproduction import ReproductionRow
from steelyard.papers.fan17._scenario import SCENARIO, measured
from steelyard.papers.fan17._tuning import TUNING
from steelyard.problems import SpatialTeamResult, estimate_spatial_load_at_once, run_spatial_load_team
from steelyard.team import Disturbance, Graph
from steelyard.worlds import SpatialTruth, spatial_truth

GRAPHS = ("line", "ring", "random")
QUANTITIES = {"mass": "%", "com": "mm", "inertia": "kg m²"}
"""RMS errors, over the entries of a vector or a matrix."""
_SCALES = {"mass": 100.0 / SCENARIO.mass, "com": 1000.0, "inertia": 1.0}
_PERFECT = Disturbance()


@dataclasses.dataclass(frozen=True)
class Case:
    """A team, and how well its messages get through."""

    robots: int
    graph: str
    radio: Disturbance = _PERFECT
    name: str = ""
    """Of what is wrong with the radio."""


def cases_of(sizes: Sequence[int]) -> list[Case]:
    """Every size on every graph, and the paper's five in a ring with bad radios."""
    bad = {
        "30 % of the messages lost": Disturbance(loss=0.3),
        "messages late by 5 samples": Disturbance(delay=5),
        "both": Disturbance(loss=0.3, delay=5),
    }
    teams = [Case(n, kind) for n in sizes for kind in GRAPHS]
    return teams + [Case(SCENARIO.robots, "ring", radio, name) for name, radio in bad.items()]


@dataclasses.dataclass(frozen=True)
class Trial:
    """Errors (robot, quantity) at the end, NaN where a robot did not know, and what talking cost."""

    ours: np.ndarray
    central: np.ndarray
    """The same of one who has everybody's data at once, expressed in everybody's frame."""
    kilobytes: float
    """A second, of the busiest robot."""
    milliseconds: float
    """A step of one robot that thinks for itself, on average; in one process, robots think once for all."""


def trials_of(case: Case, seeds: Sequence[int], advance: Callable[[int], None]) -> list[Trial]:
    """Over the cores of this machine."""
    return all_of(functools.partial(team_trial, case), seeds, advance)


def team_trial(case: Case, seed: int) -> Trial:
    """One scenario with noise as in the paper: over messages, and at once."""
    scenario = dataclasses.replace(SCENARIO, robots=case.robots, duration=TUNING.team_seconds, drop_share=0.0)
    truth = spatial_truth(scenario, seed)
    record = measured(scenario, truth, _graph(case, seed), seed)
    talked, central = (
        run_spatial_load_team(record, disturbance=case.radio, seed=seed),
        estimate_spatial_load_at_once(record),
    )
    return Trial(
        _errors(talked, truth),
        _errors(central, truth),
        max(talked.bytes_a_second.values()) / 1e3,
        1e3 * talked.seconds_a_step,
    )


def ratios(trials: Sequence[Trial]) -> np.ndarray:
    """By quantity, the worst robot's RMS error as a share of the same robot's by the centralised answer."""
    ours, central = (np.sqrt(np.mean([getattr(t, part) ** 2 for t in trials], axis=0)) for part in ("ours", "central"))
    return np.max(ours / central, axis=0)


def rows_of(found: Mapping[Case, Sequence[Trial]]) -> list[ReproductionRow]:
    """Ours at the worst robot, beside the centralised answer to the same data, and what it took."""
    rows = []
    for case, trials in found.items():
        name = f"team/{case.graph}/{case.robots}" + (f"/{case.name}" if case.name else "")
        ours, central = (
            np.sqrt(np.mean([getattr(t, part) ** 2 for t in trials], axis=0)) for part in ("ours", "central")
        )
        for k, (quantity, unit) in enumerate(QUANTITIES.items()):
            values = [_finite(part[:, k].max()) for part in (ours, central)]
            rows.append(ReproductionRow(f"{name}/{quantity}", unit, steelyard=values[0], bound=values[1]))
        rows.append(ReproductionRow(f"{name}/sent", "kB/s", steelyard=max(t.kilobytes for t in trials)))
        rows.append(ReproductionRow(f"{name}/step", "ms", steelyard=float(np.mean([t.milliseconds for t in trials]))))
    return rows


def conclude(found: Mapping[Case, Sequence[Trial]]) -> list[str]:
    """In sentences."""
    sentences = []
    for case, trials in found.items():
        m, c, J = (f"{100 * (share - 1):+.2g} %" for share in ratios(trials))
        sent, step = max(t.kilobytes for t in trials), float(np.mean([t.milliseconds for t in trials]))
        trouble = f", {case.name}" if case.name else ""
        sentences.append(
            f"{case.robots} robots, {case.graph}{trouble}: after {TUNING.team_seconds:g} s the worst robot's RMS error "
            f"is {m} (mass), {c} (centre) and {J} (inertia) off the centralised answer's; the busiest sends "
            f"{sent:.0f} kB a second, and a step of one robot takes {step:.2f} ms."
        )
    return sentences


def _graph(case: Case, seed: int) -> Graph:
    return Graph.of_kind(case.graph, [f"r{i + 1}" for i in range(case.robots)], seed)


def _errors(result: SpatialTeamResult, truth: SpatialTruth) -> np.ndarray:
    def error(one: Estimate, true: np.ndarray, scale: float) -> float:
        return np.nan if one.value is None else scale * float(np.sqrt(np.mean((one.value - true) ** 2)))

    return np.array(
        [
            [
                error(estimates[what], value, _SCALES[what])
                for what, value in (
                    ("mass", truth.mass[-1]),
                    ("com", truth.com[-1, i]),
                    ("inertia", truth.inertia[-1, i]),
                )
            ]
            for i, estimates in enumerate(result.last.values())
        ]
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
