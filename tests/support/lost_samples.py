"""A simulated planar push of which a fifth is lost; run by `in_earnest`."""

from typing import NamedTuple

import msgspec
import numpy as np

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.worlds import PlanarScenario, simulate_planar


class Mass(NamedTuple):
    """What the first robot says."""

    status: str
    error: float
    std: float


def masses(seed: int) -> dict[str, Mass]:
    """Of the full log, of one without a fifth of its rows, and of one without a fifth of its cells."""
    scenario = PlanarScenario(robots=3, duration=8.0)
    columns = {name: np.asarray(values) for name, values in simulate_planar(scenario, seed).items()}
    time = columns.pop("time")
    rng, n = np.random.default_rng(seed), len(time)
    kept = rng.random(n) >= 0.2
    kept[[0, -1]] = True
    blank = {
        name: values if name.startswith("truth") else np.where(rng.random(n) < 0.2, np.nan, values)
        for name, values in columns.items()
    }
    logs = {
        "full": Log(time, columns, "full"),
        "rows": Log(time[kept], {name: values[kept] for name, values in columns.items()}, "rows lost"),
        "cells": Log(time, blank, "cells lost"),
    }
    config = msgspec.convert({"noise": {"velocity": scenario.velocity_noise}}, Config)
    found = {}
    for kind, log in logs.items():
        mass = identify(log, "planar-load", config).robots["r1"]["mass"]
        value, std = (np.nan if one is None else float(np.asarray(one)) for one in (mass.value, mass.std))
        found[kind] = Mass(mass.status, value - scenario.mass, std)
    return found
