"""What a robot reports: only numbers that two passes agree on, and only in a frame that somebody has heard of."""

import dataclasses

import numpy as np
from spatial_runs import recorded

from steelyard.team import Cache
from steelyard.team.spatial_load._incremental import IncrementalEstimator
from steelyard.team.spatial_load._report import Viewer, report
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._states import Tracking, tracking_of
from steelyard.worlds import SpatialScenario

ROBOTS = 3
HOLD = SpatialScenario(robots=ROBOTS, duration=2.0, sensors="realistic")


def estimated(unheard: int | None) -> IncrementalEstimator:
    """Two seconds of rows, without those of one robot; what it exerts is known."""
    _, samples = recorded(HOLD, 1)
    raw = np.array([[_numbers(one) for one in own] for own in samples.values()]).swapaxes(0, 1)
    if unheard is not None:
        raw[:, unheard, :9] = np.nan
    history = SampleHistory(ROBOTS, HOLD.rate, np.array(HOLD.noises), held=False)
    estimator, cache = IncrementalEstimator(history, 9.81), Cache()
    for k, row in enumerate(raw):
        estimator.add(k / HOLD.rate, row, cache)
    return estimator


def _numbers(one) -> list[float]:
    return [*one.angular, *one.linear, *one.specific_force, *one.torque, *one.force]


def known(estimator: IncrementalEstimator, robot: int) -> set[str]:
    """By the robot's own report."""
    others = [(k, f"r{k}") for k in range(ROBOTS) if k != robot]
    found = report(estimator, Viewer(f"r{robot}", robot, others), HOLD.duration)
    return {what for what, one in found.items() if one.status == "known"}


def test_numbers_are_known_once_two_passes_agree_on_them():
    estimator = estimated(None)
    tracking = tracking_of(estimator.state)
    assert isinstance(estimator.state, Tracking)
    assert tracking is not None
    assert known(estimator, 0) >= {"mass", "com", "pose/r1"}
    step = np.zeros(tracking.filter_pass.point.size)
    step[0] = 1.0  # of the logarithm of the mass: hundreds of standard deviations
    for correction in (None, step):
        estimator.state = dataclasses.replace(tracking, correction=correction)
        assert "mass" not in known(estimator, 0)


def test_nothing_is_known_in_the_frame_of_a_robot_that_nobody_has_heard():
    """Poses are in the first robot's frame; unheard, it is another's, in which its wrench places it."""
    estimator = estimated(0)
    assert estimator.unplaced == {0}
    assert known(estimator, 0) <= {"mass"}
    assert "pose/r0" not in known(estimator, 1)
