"""What every answer says of the log it came from: what is true there, and what the run was told."""

from collections.abc import Mapping

import numpy as np

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems._identification import Series


def truth_in(log: Log, units: Mapping[str, str]) -> dict[str, Series]:
    """Those of the named quantities that the log knows to be true; units by name."""
    found = {}
    for name, unit in units.items():
        truth = log.truth(name)
        if truth is not None:
            value = truth[:, 0] if truth.shape[1] == 1 else truth
            found[name] = Series(np.asarray(log.time), value, np.zeros_like(value), unit)
    return found


def settings_of(log: Log, config: Config, noise: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """For the report's last section; standard deviations by robot and signal."""
    settings = {
        "log": log.origin,
        "rows": f"{len(log)}, from {log.time[0]:g} to {log.time[-1]:g} s",
        "inputs between rows": "held" if config.inputs.hold == "step" else "sampled",
        "gravity": f"{list(config.gravity)} m/s²",
        "mass guess": "none" if config.guess.mass is None else f"{config.guess.mass:g} kg",
    }
    for robot, levels in noise.items():
        for name, value in levels.items():
            settings[f"{robot}: noise of {name}"] = f"{value:.3g}"
    return settings
