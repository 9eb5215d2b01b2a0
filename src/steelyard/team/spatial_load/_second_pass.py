"""The relinearisation pass: where it begins, and which of two passes over the same rows stays."""

import dataclasses

from steelyard.team.spatial_load._advance import difference
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._start import excitation_of
from steelyard.team.spatial_load._states import Relinearising, Tracking
from steelyard.team.spatial_load._tuning import TUNING


def due(tracking: Tracking, first: int, processed: int, rate: float, live: bool) -> bool:
    """Whether a relinearisation pass is to start: rows have grown, or the estimate is far from the point.

    `first` is the oldest row that is still there.
    """
    found, age = tracking.filter_pass, processed - tracking.start
    known = live and age > TUNING.short * rate
    grown = age >= (TUNING.slow_growth if known else TUNING.growth) * tracking.relinearised_rows
    grown |= live and found.newton_decrement > found.point.size  # more than new rows move a point
    return grown and tracking.start >= first and age <= TUNING.longest_pass * rate


def second_pass(tracking: Tracking, possible: bool) -> Relinearising:
    """A pass from the first row again, at the estimate; with `possible` among the points of possible loads."""
    found = tracking.filter_pass
    point = found.damped_estimate(tracking.damping, possible)
    return Relinearising(tracking, FilterPass.at(point, found.prior, found.start, excitation_of(tracking.origin)))


def compared(state: Relinearising, later: FilterPass | None, live: bool) -> Tracking | Relinearising:
    """The relinearisation pass some rows later; once it has caught up, the better of the two passes stays.

    None is a pass that diverged.
    """
    tracking, found = state.tracking, state.tracking.filter_pass
    if later is not None and later.row < found.row:
        return Relinearising(tracking, later)
    tracking = dataclasses.replace(tracking, correction=difference(found, later))
    if later is not None and later.cost < found.cost:
        return dataclasses.replace(tracking, filter_pass=later, damping=0.1 * tracking.damping)
    more = max(10.0 * tracking.damping, 0.1)  # with ever more it would never move again, although new rows come
    return dataclasses.replace(tracking, damping=more if more <= TUNING.most_damping or not live else 0.0)
