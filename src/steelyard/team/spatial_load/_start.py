"""The first filter pass by the rows collected: its linearisation point and prior, and what was known before."""

import dataclasses
from typing import NamedTuple

from steelyard.team.spatial_load._excitation import Excitation
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._initial_guess import (
    first_linearisation_point,
    refound_down,
    refound_grips,
    refound_load,
)
from steelyard.team.spatial_load._prior import Prior, vague_prior
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._silences import received
from steelyard.team.spatial_load._states import AfterChange, AfterGap, Collecting, Starting
from steelyard.team.spatial_load._tuning import TUNING


class Start(NamedTuple):
    """A filter pass before its first row."""

    origin: Collecting
    filter_pass: FilterPass
    unplaced: frozenset[int]
    """Robots that were not heard: where they hold is unknown."""
    near: bool
    """Whether load or grips are known from before: the point is near."""


def pass_at_start(
    history: SampleHistory, origin: Collecting, end: int, gravity: float, unplaced: frozenset[int]
) -> Start | None:
    """By the rows before `end`; None where a robot that comes is not heard well enough yet."""
    raw = history.raw(origin.start, end)
    there, coming = received(raw, TUNING.heard_share), unplaced & received(raw, 0.0)
    if not there or coming - there:
        return None
    if 0 in coming:  # whose frame is everybody's
        origin = Starting(origin.start)
    anew = isinstance(origin, Starting)
    unplaced = (frozenset(range(history.robots)) if anew else unplaced) - there
    prior = _prior(history, origin, end, gravity, coming)
    fresh = FilterPass.at(prior.point, prior, origin.start, excitation_of(origin))
    return Start(origin, fresh, unplaced, not anew and not coming)


def excitation_of(origin: Collecting) -> Excitation | None:
    """Of the same load before."""
    return origin.excitation if isinstance(origin, AfterGap) else None


def _prior(history: SampleHistory, origin: Collecting, end: int, gravity: float, coming: frozenset[int]) -> Prior:
    """About a first point from the rows before `end`; `coming` are robots whose poses are found anew."""
    rows = history, origin.start, end
    if isinstance(origin, Starting):
        return vague_prior(first_linearisation_point(*rows, gravity))
    point = origin.prior.point
    point = refound_grips(*rows, point, coming) if coming else point
    match origin:
        case AfterChange():
            point = dataclasses.replace(point, load=refound_load(*rows, point))
        case AfterGap():
            point = dataclasses.replace(point, down=refound_down(*rows, point, gravity))
    return dataclasses.replace(origin.prior, point=point)
