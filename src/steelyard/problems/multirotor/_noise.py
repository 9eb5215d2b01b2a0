"""A multirotor's noise figures: stated in the configuration, or measured from its flight."""

import dataclasses
import math
from collections.abc import Callable

from steelyard.config import Config
from steelyard.problems._channel_noise import attitude_noise, vector_noise
from steelyard.problems.multirotor._reading import Flight

_LEAST = 1e-6  # no sensor is better than this, SI units; keeps noise-free logs solvable
_SPARE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01}  # for channels never heard


@dataclasses.dataclass(frozen=True)
class Figures:
    """Standard deviations an axis, SI units."""

    position: float
    attitude: float
    linear_velocity: float
    rates: float
    thrust: float
    """N, of the thrust that acted about the logged one: motors and their map together."""


def choose_figures(
    flight: Flight, config: Config, log_likelihood: Callable[[Figures], float]
) -> tuple[Figures, tuple[str, ...]]:
    """The stated figures, the others measured, and a note that says which.

    A sensor's noise shows in its own channel. That of the thrust does not: it is the one under which the whole
    flight is most likely.
    """
    measured = {
        "position": lambda: vector_noise(flight.time, flight.position),
        "attitude": lambda: attitude_noise(flight.time, flight.attitude),
        "linear_velocity": lambda: vector_noise(flight.time, flight.velocity),
        "rates": lambda: vector_noise(flight.time, flight.rates),
    }
    stated = {name: getattr(config.noise, name) for name in (*measured, "thrust")}
    chosen = {name: stated[name] or _usable(measure(), _SPARE[name]) for name, measure in measured.items()}
    mean_thrust = max(float(_mean(flight.thrust)), 1e-3)
    figures = Figures(**chosen, thrust=stated["thrust"] or 0.03 * mean_thrust)
    if stated["thrust"] is None:
        figures = _likeliest_thrust_noise(figures, mean_thrust, log_likelihood)
    return figures, _note(figures, [name for name, value in stated.items() if value is None])


def _likeliest_thrust_noise(
    figures: Figures, mean_thrust: float, log_likelihood: Callable[[Figures], float]
) -> Figures:
    """A search over four decades in thirds of a decade, uphill from 3 %; then a parabola through the best three.

    The answer is a third of its standard deviation above the likeliest: too small a figure makes an interval that lies,
    too large a one only makes it a little wide.
    """
    step = math.log(10.0) / 3

    def at(k: int | float) -> Figures:
        return dataclasses.replace(figures, thrust=0.03 * mean_thrust * math.exp(step * k))

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


def _note(figures: Figures, estimated: list[str]) -> tuple[str, ...]:
    if not estimated:
        return ()
    units = {"position": "m", "attitude": "rad", "linear_velocity": "m/s", "rates": "rad/s", "thrust": "N"}
    said = ", ".join(f"{name} {getattr(figures, name):.2g} {units[name]}" for name in estimated)
    return (f"Noise estimated from the log, because [noise] does not state it: {said}.",)


def _usable(std: float, spare: float) -> float:
    return spare if math.isnan(std) else max(std, _LEAST)


def _mean(values) -> float:
    heard = values[values == values]
    return float(heard.mean()) if heard.size else 0.0
