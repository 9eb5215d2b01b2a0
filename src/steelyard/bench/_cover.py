"""How often the stated intervals hold the truth, over many simulated logs: coverage and NEES, each with an interval."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from steelyard.bench._simulated_problems import SIMULATED
from steelyard.bench._tuning import COVER
from steelyard.campaigns import all_of, fly_simulated
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.problems import Identification

HALF = float(stats.norm.ppf(0.975))
"""Standard deviations on either side of a stated 95 % interval."""


@dataclasses.dataclass(frozen=True)
class CoverRow:
    """One number of one robot."""

    robot: str
    """Whose answer."""
    quantity: str
    """Which number of it."""
    logs: int
    """How many were identified."""
    known: int
    """Logs in which it was stated as known."""
    inside: int
    """Of those: how many 95 % intervals held the truth."""
    coverage: float | None
    """That share, 0 to 1."""
    low: float | None
    """Lower end of Clopper and Pearson's 95 % interval of the coverage."""
    high: float | None
    """Its upper end."""
    nees: float | None
    """Mean of the squared error over the stated variance: 1 where the deviation is right."""
    nees_low: float | None
    """From where that mean lies with 95 % if the deviation is right."""
    nees_high: float | None
    """To where."""
    rms: float | None
    """Root mean square of the error, in the quantity's unit."""
    unit: str
    """Of the error."""

    @property
    def fits(self) -> bool | None:
        """Whether the coverage can be within 93 and 97 %; None where nothing was known."""
        if self.low is None or self.high is None:
            return None
        return self.high >= COVER.aim[0] and self.low <= COVER.aim[1]


def cover(
    problem: str,
    method: str | None = None,
    seeds: int = 100,
    seed: int = 0,
    progress: Callable[[int], None] = lambda steps: None,
) -> tuple[list[CoverRow], list[str]]:
    """The rows of a problem and method, and what each crashed log said; logs are by seeds from `seed` on."""
    if problem not in SIMULATED:
        raise BadInput(f'There are no simulated logs for "{problem}"; {nearest(problem, list(SIMULATED))}')
    found = all_of(functools.partial(cover_log, problem, method), [seed + k for k in range(seeds)], progress)
    numbers = [run["numbers"] for run in found if run["failure"] is None]
    return _rows(numbers), [run["failure"] for run in found if run["failure"] is not None]


def cover_log(problem: str, method: str | None, seed: int) -> dict[str, Any]:
    """One simulated log through `identify`: a list of robot, quantity, status, error, deviation and unit."""
    simulated = SIMULATED[problem]
    log = simulated.log(seed)
    try:
        found = simulated.answer(log, method)
    except BadInput:
        raise
    except Exception as error:  # the campaign goes on, and the table counts it
        return {"failure": f"seed {seed}: {type(error).__name__}: {error}", "numbers": []}
    return {"failure": None, "numbers": [list(number) for number in _numbers(found, simulated.main)]}


def _numbers(
    found: Identification, main: Callable[[str], bool]
) -> Iterator[tuple[str, str, str, float | None, float | None, str]]:
    for robot, quantities in found.robots.items():
        for name, estimate in quantities.items():
            truth = found.truth.get(f"{robot}/{name}", found.truth.get(name))
            if not main(name) or truth is None:
                continue
            true = np.atleast_1d(np.asarray(truth.value[-1], float))
            for label, place in _components(name, true.size):
                yield robot, label, estimate.status, *_error(estimate, true, place), estimate.unit


def _components(name: str, size: int) -> list[tuple[str, int]]:
    axes = {1: ("",), 2: ("/x", "/y"), 3: ("/x", "/y", "/z"), 6: ("/xx", "/yy", "/zz", "/xy", "/xz", "/yz")}
    return [(f"{name}{axis}", k) for k, axis in enumerate(axes.get(size, [f"/{k}" for k in range(size)]))]


def _error(estimate: Estimate, true: np.ndarray, place: int) -> tuple[float | None, float | None]:
    if estimate.value is None or estimate.std is None:
        return None, None
    value, std = np.asarray(estimate.value, float), np.asarray(estimate.std, float)
    if true.size == 6 and value.shape == (3, 3):
        where: Any = MOMENT_ENTRIES[place]
    else:
        value, std, where = value.ravel(), std.ravel(), place
    return float(value[where] - true[place]), float(std[where])


def _rows(runs: Sequence[Sequence[Sequence[Any]]]) -> list[CoverRow]:
    groups: dict[tuple[str, str], list[Sequence[Any]]] = {}
    for run in runs:
        for number in run:
            groups.setdefault((number[0], number[1]), []).append(number)
    return [_row(robot, quantity, group) for (robot, quantity), group in sorted(groups.items())]


def _row(robot: str, quantity: str, group: Sequence[Sequence[Any]]) -> CoverRow:
    known = [(error, std) for _, _, _, error, std, _ in group if error is not None]
    unit, logs, n = str(group[0][5]), len(group), len(known)
    if not n:
        return CoverRow(robot, quantity, logs, 0, 0, None, None, None, None, None, None, None, unit)
    error, std = np.array(known).T
    z = error / np.maximum(std, 1e-300)
    inside = int(np.sum(np.abs(z) <= HALF))
    low, high = clopper_pearson(inside, n)
    nees_low, nees_high = (float(stats.chi2.ppf(p, n)) / n for p in (0.025, 0.975))
    nees, rms = float(np.mean(z**2)), float(np.sqrt(np.mean(error**2)))
    return CoverRow(robot, quantity, logs, n, inside, inside / n, low, high, nees, nees_low, nees_high, rms, unit)


def clopper_pearson(inside: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share that the tails of the binomial law allow; it holds at least as often as it says."""
    tail = 0.025
    low = 0.0 if inside == 0 else float(stats.beta.ppf(tail, inside, count - inside + 1))
    high = 1.0 if inside == count else float(stats.beta.ppf(1.0 - tail, inside + 1, count - inside))
    return low, high


def filter_rows(flights: int, seed: int, engine: str = "auto") -> list[CoverRow]:
    """The rows of the mass filter on its own model, at the end of flights of two seconds."""
    found = fly_simulated(flights, 200, seed, engine)
    names = [f"{name}/{axis}" for name in ("attitude", "position", "velocity") for axis in "xyz"]
    rows = []
    for quantity, unit, inside, nees, rms in zip(
        [*names, "log_mass"], [*["rad"] * 3, *["m"] * 3, *["m/s"] * 3, "1"], found.inside, found.squares, found.rms,
        strict=True,
    ):  # fmt: skip
        low, high = clopper_pearson(int(inside), flights)
        bounds = [float(stats.chi2.ppf(p, flights)) / flights for p in (0.025, 0.975)]
        share = float(inside) / flights
        square, error = float(nees), float(rms)
        counts = (flights, flights, int(inside))
        rows.append(CoverRow("r1", quantity, *counts, share, low, high, square, bounds[0], bounds[1], error, unit))
    return rows


def cover_json(
    problem: str, method: str | None, rows: Sequence[CoverRow], failures: Sequence[str]
) -> Mapping[str, Any]:
    """The object that `steelyard cover --json` prints."""
    listed = [dataclasses.asdict(row) | {"fits": row.fits} for row in rows]
    for row in listed:
        for key, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                row[key] = None
    return {"problem": problem, "method": method, "rows": listed, "failures": list(failures)}
