"""States after a change of the load and after rows of which nobody knows the motion: what stays known."""

import dataclasses

from steelyard.team.spatial_load._changes import Jump
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._motion_path import MotionPath
from steelyard.team.spatial_load._prior import prior_after_change, prior_after_gap
from steelyard.team.spatial_load._states import (
    AfterChange,
    AfterGap,
    Collecting,
    Starting,
    State,
    rows_of_grips,
    tracking_of,
)
from steelyard.team.spatial_load._tuning import TUNING


def after_change(
    state: State, found: FilterPass, jump: Jump, path: MotionPath, processed: int, rate: float
) -> Collecting:
    """A new load; the grips stay as they were known before."""
    before, rows = found.known_before(jump.row), rows_of_grips(state, processed)
    start = jump.row + max(round(TUNING.segment * rate), 1)
    if _hardly_known(rows, rate):
        return Starting(start)
    latest = min(start, processed - 1)  # the change may be in the latest rows, whose motion is not known yet
    point = dataclasses.replace(before.estimate, down=path.between(latest, latest + 1)[0, 6:])
    return AfterChange(start, prior_after_change(point, before.covariance), rows)


def interrupted(state: State, end: int, processed: int, rate: float) -> Collecting:
    """The motion is lost, or a robot comes whose grip is unknown: load and grips stay as they were known."""
    tracking, rows = tracking_of(state), rows_of_grips(state, processed)
    if tracking is not None and tracking.filter_pass.converged and not _hardly_known(rows, rate):
        found = tracking.filter_pass
        prior = prior_after_gap(found.estimate, found.covariance_inflation * found.covariance)
        return AfterGap(end, prior, found.excitation, rows)
    return dataclasses.replace(state, start=end) if isinstance(state, Collecting) else Starting(end)


def _hardly_known(rows: int, rate: float) -> bool:
    """Whether what is known is too far from a Gaussian to be a prior, and had better be found again."""
    return rows <= TUNING.hardly_known * rate
