"""Limits of a scenario's settings, and the chances of its parts."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.errors import BadInput


def check_numbers(scenario: Any, least: Mapping[str, float], signed: tuple[str, ...] = ()) -> None:
    """Raises `BadInput` unless every number is finite and, but for the signed ones, at least zero or what is given."""
    for field in dataclasses.fields(scenario):
        value, option = getattr(scenario, field.name), f"--{field.name.replace('_', '-')}"
        if not isinstance(value, float | int) or isinstance(value, bool):
            continue
        lowest = least.get(field.name, 0.0)
        if field.name in signed and not math.isfinite(value):
            raise BadInput(f"{option} is {value:g}; give a finite number.")
        if field.name not in signed and not (lowest <= value < math.inf):
            raise BadInput(f"{option} is {value:g}; give a number from {lowest:g} up.")


def check_team(scenario: Any, most_robots: int, most_share: float, most_readings: int) -> None:
    """The same for how many robots there are, what is dropped when, and how large the log becomes."""
    if not 1 <= scenario.robots <= most_robots:
        raise BadInput(f"--robots is {scenario.robots}; give a number from 1 to {most_robots}.")
    if scenario.drop_share > most_share:
        raise BadInput(f"--drop-share is {scenario.drop_share:g}; a share from 0 to {most_share:g} may be lost.")
    if scenario.drop_share > 0.0 and scenario.drop_time >= scenario.duration:
        raise BadInput(
            f"--drop-time is {scenario.drop_time:g} s, but the log ends after {scenario.duration:g} s; "
            "drop earlier or choose a longer --duration."
        )
    if scenario.duration * scenario.rate * scenario.robots > most_readings:
        raise BadInput(
            f"This scenario has over {most_readings:,} readings; choose fewer --robots or a shorter --duration."
        )


def chance(seed: int, part: int) -> np.random.Generator:
    """Every part of a scenario has a chance of its own: one does not change when another is asked for."""
    return np.random.default_rng([seed, part])
