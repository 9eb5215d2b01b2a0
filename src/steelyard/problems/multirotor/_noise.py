"""A multirotor's noise levels: stated in the configuration, estimated from a log, or the defaults of a stream."""

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np

from steelyard.config import Config
from steelyard.problems._channel_noise import attitude_noise, vector_noise
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._tuning import TUNING

_UNITS = {"position": "m", "attitude": "rad", "linear_velocity": "m/s", "rates": "rad/s", "thrust": "N"}


@dataclasses.dataclass(frozen=True)
class NoiseLevels:
    """Standard deviations an axis, SI units."""

    position: float
    attitude: float
    linear_velocity: float
    rates: float
    thrust: float
    """N, of the thrust that acted about the logged one: motors and their map together."""

    def listed(self, names: Sequence[str]) -> str:
        """Some of them as text."""
        return ", ".join(f"{name} {getattr(self, name):.2g} {_UNITS[name]}" for name in names)


def choose_noise_levels(
    record: FlightRecord, config: Config, log_likelihood: Callable[[NoiseLevels], float]
) -> tuple[NoiseLevels, tuple[str, ...]]:
    """The stated levels, the others estimated, and a note that names those.

    A sensor's noise shows in its own channel. That of the thrust does not: it is the one under which the whole
    flight is most likely.
    """
    estimators = {
        "position": lambda: vector_noise(record.time, record.position),
        "attitude": lambda: attitude_noise(record.time, record.attitude),
        "linear_velocity": lambda: vector_noise(record.time, record.velocity),
        "rates": lambda: vector_noise(record.time, record.rates),
    }
    unstated = _unstated(config)
    estimated = {name: estimators[name]() for name in unstated if name in estimators}
    usable = {name: max(std, TUNING.least_noise) for name, std in estimated.items() if not math.isnan(std)}
    levels = dataclasses.replace(default_noise_levels(record, config), **usable)
    if "thrust" in unstated:
        levels = _likeliest_thrust_noise(levels, log_likelihood)
    if not unstated:
        return levels, ()
    text = f"Noise estimated from the log, because [noise] does not state it: {levels.listed(unstated)}."
    return levels, (text,)


def default_noise_levels(record: FlightRecord, config: Config) -> NoiseLevels:
    """The stated levels, the others by default: a stream cannot estimate them from what is still to come."""
    heard = record.thrust[np.isfinite(record.thrust)]
    mean_thrust = max(float(heard.mean()) if heard.size else 0.0, 1e-3)
    default = {name: getattr(TUNING, f"{name}_noise") for name in _UNITS if name != "thrust"}
    default["thrust"] = TUNING.thrust_noise_share * mean_thrust
    return NoiseLevels(**{name: getattr(config.noise, name) or default[name] for name in _UNITS})


def default_noise_note(config: Config) -> tuple[str, ...]:
    """Which levels are the defaults of a stream."""
    thrust = f"thrust {100 * TUNING.thrust_noise_share:g} % of its mean"
    listed = [
        thrust if name == "thrust" else f"{name} {getattr(TUNING, f'{name}_noise'):g} {_UNITS[name]}"
        for name in _unstated(config)
    ]
    if not listed:
        return ()
    return (f"Noise by default, because [noise] does not state it: {', '.join(listed)}.",)


def _unstated(config: Config) -> list[str]:
    return [name for name in _UNITS if getattr(config.noise, name) is None]


def _likeliest_thrust_noise(levels: NoiseLevels, log_likelihood: Callable[[NoiseLevels], float]) -> NoiseLevels:
    """A search over four decades in thirds of a decade, uphill from the default; then a parabola through the best.

    The answer is a third of its standard deviation above the likeliest: too small a level makes the interval too
    narrow, too large a one only makes it a little wide.
    """
    step = math.log(10.0) / 3

    def at(k: int | float) -> NoiseLevels:
        return dataclasses.replace(levels, thrust=levels.thrust * math.exp(step * k))

    scores = {0: log_likelihood(at(0))}
    for direction in (-1, 1):
        k = 0
        while abs(k) < 7 and scores[k] >= max(scores.values()):
            k += direction
            scores[k] = log_likelihood(at(k))
    best = max(scores, key=scores.__getitem__)
    if best - 1 not in scores or best + 1 not in scores:
        return at(best)
    left, middle, right = (scores[best + d] for d in (-1, 0, 1))
    curvature = left - 2 * middle + right
    if curvature >= 0:
        return at(best + 1)
    return at(best + 0.5 * (left - right) / curvature + min(1.0, 0.3 / math.sqrt(-curvature)))
