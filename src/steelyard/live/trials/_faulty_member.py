"""Plausible numbers that are wrong, for trials."""

from steelyard.config import Lie


def lie(values: tuple[float, ...], motion: int, how: Lie) -> tuple[float, ...]:
    """What a liar says instead: the load moves more, and along."""
    return (*(how.scale * value + how.offset for value in values[:motion]), *values[motion:])
