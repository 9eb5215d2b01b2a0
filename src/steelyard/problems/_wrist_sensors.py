"""The readings of a wrist that holds a load, fifteen in the order of `models.WRIST_SIGNALS`, and their noise."""

import math

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.models import WRIST_SIGNALS
from steelyard.problems._channel_noise import vector_noise
from steelyard.problems._tuning import TUNING

_XYZ = ("x", "y", "z")


def read_wrist(log: Log, robot: str) -> np.ndarray:
    """(n, 15), NaN where nothing was; a velocity or an accelerometer may be left out, but not both."""
    if len(log) < TUNING.fewest_rows:
        raise BadInput(f"{log.origin} has {len(log)} rows; estimating a load takes {TUNING.fewest_rows} rows at least.")
    parts = []
    for signal in WRIST_SIGNALS:
        if signal in ("twist/linear", "specific_force") and not log.has(robot, signal, _XYZ):
            parts.append(np.full((len(log), 3), np.nan))
        else:
            parts.append(log.require(robot, signal, _XYZ))
    if np.isnan(parts[1]).all() and np.isnan(parts[2]).all():
        raise BadInput(
            f"{log.origin}: {robot} has neither {robot}/specific_force nor {robot}/twist/linear, and without one of "
            "the two nothing shows how the load speeds up; record an accelerometer, or the velocity of the sensor."
        )
    return np.concatenate(parts, axis=1)


def wrist_noise(time: np.ndarray, readings: np.ndarray, config: Config) -> tuple[dict[str, float], tuple[str, ...]]:
    """One standard deviation an axis by signal, as stated or from the readings (n, robot, 15), with a note on those."""
    noise, estimated = {}, []
    for k, (signal, unit) in enumerate(WRIST_SIGNALS.items()):
        stated = getattr(config.noise, signal.replace("/", "_"))
        if stated is None:
            own = [vector_noise(time, readings[:, i, 3 * k : 3 * k + 3]) for i in range(readings.shape[1])]
            measured = [size for size in own if not math.isnan(size)]
            stated = max(float(np.median(measured)), TUNING.least_noise[k]) if measured else 1.0
            if measured:
                estimated.append(f"{signal} {stated:.2g} {unit}")
        noise[signal] = stated
    if not estimated:
        return noise, ()
    return noise, (f"Noise estimated from the log, because [noise] does not state it: {', '.join(estimated)}.",)
