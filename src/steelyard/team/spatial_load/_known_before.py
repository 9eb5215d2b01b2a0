"""What was known before a filter pass starts, and the prior and first linearisation point that follow from it."""

import dataclasses

from steelyard.team.spatial_load._excitation import Excitation
from steelyard.team.spatial_load._initial_guess import (
    first_linearisation_point,
    refound_down,
    refound_grips,
    refound_load,
)
from steelyard.team.spatial_load._prior import Prior, vague_prior
from steelyard.team.spatial_load._sample_history import SampleHistory


@dataclasses.dataclass(frozen=True, eq=False)
class AfterChange:
    """The load changed: what is known of the grips."""

    prior: Prior
    rows: int
    """That tell of the grips."""


@dataclasses.dataclass(frozen=True, eq=False)
class AfterGap:
    """The same load before rows of which nobody knows what acted: what is known of load and grips."""

    prior: Prior
    excitation: Excitation
    """Of the rows before the gap."""
    rows: int
    """Of the same load before the gap."""


def prior_at_start(
    history: SampleHistory,
    begin: int,
    end: int,
    gravity: float,
    known: AfterChange | AfterGap | None,
    coming: frozenset[int],
) -> Prior:
    """About a first linearisation point from the rows collected; `coming` are robots whose poses are found anew."""
    if known is None:
        return vague_prior(first_linearisation_point(history, begin, end, gravity))
    point = known.prior.point
    point = refound_grips(history, begin, end, point, coming) if coming else point
    if isinstance(known, AfterChange):
        point = dataclasses.replace(point, load=refound_load(history, begin, end, point))
    else:
        point = dataclasses.replace(point, down=refound_down(history, begin, end, point, gravity))
    return dataclasses.replace(known.prior, point=point)
