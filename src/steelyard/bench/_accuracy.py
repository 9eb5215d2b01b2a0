"""The accuracy of the drone's mass, over flights whose mass jumps four times; nothing is configured."""

import statistics
from collections.abc import Callable

import numpy as np

from steelyard.bench._rows import BenchRow
from steelyard.logs import Log
from steelyard.problems import Identification, identify
from steelyard.worlds import MultirotorScenario, change_times, simulate

SEEDS = range(1, 21)
_FLIGHT = MultirotorScenario(profile="steps")
_STEPS = change_times(_FLIGHT.profile, _FLIGHT.duration)


def measure_accuracy(advance: Callable[[int], None] = lambda steps: None) -> list[BenchRow]:
    """Worst error a second after a step, and how often the 95 % band misses the truth outside those seconds."""
    answers = []
    for seed in SEEDS:
        answers.append(identify_steps(seed))
        advance(1)
    return [
        BenchRow("mass_error_1s_after_step_worst", 100.0 * max(map(error_after_steps, answers)), "%"),
        BenchRow("mass_band_misses", 100.0 * (1.0 - statistics.mean(map(coverage, answers))), "%"),
    ]


def identify_steps(seed: int) -> Identification:
    """What `simulate multirotor --profile steps --seed` and `identify --as multirotor` give."""
    columns = simulate(_FLIGHT, seed)
    return identify(Log(columns.pop("time"), columns, f"seed {seed}"), "multirotor")


def error_after_steps(answer: Identification) -> float:
    """The largest relative error of the mass one second after a step."""
    series, truth = answer.series["r1"]["mass"], answer.truth["mass"].value
    rows = np.searchsorted(series.time, np.array(_STEPS) + 1.0 - 1e-9)
    return float(np.max(np.abs(series.value[rows] / truth[rows] - 1.0)))


def coverage(answer: Identification) -> float:
    """The share of samples, more than a second after the start and after any step, that the 95 % band holds."""
    series, truth = answer.series["r1"]["mass"], answer.truth["mass"].value
    settled = series.time > 1.0
    for when in _STEPS:
        settled &= (series.time < when) | (series.time > when + 1.0)
    return float(np.mean((np.abs(series.value - truth) < 1.96 * series.std)[settled]))
