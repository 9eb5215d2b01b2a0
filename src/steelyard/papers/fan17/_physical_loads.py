"""Whether every reported load is physically possible: short runs with the paper's noise, every estimate checked."""

import dataclasses
import functools
from collections.abc import Sequence

import jax
import numpy as np

from steelyard.geometry import Inertia, pseudo_inertia
from steelyard.papers._reproduction import ReproductionRow
from steelyard.papers.fan17._scenario import SCENARIO, measured
from steelyard.papers.fan17._tuning import TUNING
from steelyard.problems import estimate_spatial_load_at_once
from steelyard.team import Graph
from steelyard.worlds import SpatialTruth, spatial_truth

BRIEF = dataclasses.replace(SCENARIO, robots=2, duration=3.0, rate=50.0, drop_share=0.0)
_PAIR = Graph.line(("r1", "r2"))


@dataclasses.dataclass(frozen=True)
class BriefTrial:
    """What came of one run."""

    loads: int
    """How often a robot reported mass, centre of mass and inertia."""
    least: float
    """The smallest eigenvalue of all their pseudo-inertias, kg or kg m²; infinite if there was none."""


def brief_trial(seed: int) -> BriefTrial:
    """One run of `BRIEF`."""
    result = estimate_spatial_load_at_once(measured(BRIEF, _motion(seed // TUNING.runs_a_motion), _PAIR, seed))
    least = []
    for estimates in (estimates for history in result.history.values() for estimates in history):
        m, c, I = (estimates[name].value for name in ("mass", "com", "inertia"))
        if m is not None and c is not None and I is not None:
            least.append(float(np.linalg.eigvalsh(_pseudo_inertia(m, c, I))[0]))
    return BriefTrial(len(least), min(least, default=float("inf")))


def rows_of(trials: Sequence[BriefTrial]) -> list[ReproductionRow]:
    """What a machine reads."""
    return [
        ReproductionRow(
            "impossible loads in short runs", "1", steelyard=float(sum(one.least <= 0.0 for one in trials))
        ),
        ReproductionRow("loads told in short runs", "1", steelyard=float(sum(one.loads for one in trials))),
    ]


def conclude(trials: Sequence[BriefTrial]) -> str:
    """In a sentence."""
    bad = sum(one.least <= 0.0 for one in trials)
    return (
        f"In {len(trials)} runs of {BRIEF.duration:g} s two robots reported {sum(one.loads for one in trials)} loads; "
        f"in {bad} runs one of them was physically impossible. The smallest eigenvalue of a pseudo-inertia was "
        f"{min(one.least for one in trials):.2g}."
    )


@functools.lru_cache(maxsize=4)
def _motion(seed: int) -> SpatialTruth:
    return spatial_truth(BRIEF, seed)


@jax.jit
def _pseudo_inertia(mass: jax.Array, com: jax.Array, inertia_about_com: jax.Array) -> jax.Array:
    return pseudo_inertia(Inertia.from_com(mass, com, inertia_about_com))
