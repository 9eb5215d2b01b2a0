"""A first point finds all robots that can be found, whatever their sensors leave out."""

import numpy as np
import pytest
from spatial_world import SpatialWorld

from steelyard.team.spatial_load import LinearisationPoint
from steelyard.team.spatial_load._initial_guess import first_linearisation_point
from steelyard.team.spatial_load._sample_history import SampleHistory

ROBOTS, GRAVITY = 4, 9.81
GYRO, MOTION, ALL = slice(0, 3), slice(0, 9), slice(0, 15)
TURN, WAY = 0.1, 0.2  # rad and m from which a course finds the rest; frames are turned by radians, and a metre apart


def started(robot: int = 0, silent: slice = slice(0)) -> LinearisationPoint:
    """From a second and a half without noise, some of a robot's numbers silent."""
    world = SpatialWorld([f"r{k}" for k in range(ROBOTS)], 1.5)
    history = SampleHistory(ROBOTS, 100.0, np.array([0.01, 0.01, 0.1, 0.01, 0.02]), held=False)
    raw = np.stack([world.readings(i) for i in range(ROBOTS)], axis=1)
    raw[:, robot, silent] = np.nan
    for time, row in zip(world.time, raw, strict=True):
        history.append(time, row)
    return first_linearisation_point(history, 0, history.end, GRAVITY)


def apart(point: LinearisationPoint, other: LinearisationPoint) -> tuple[np.ndarray, np.ndarray]:
    """By which angles and ways two points differ in where everybody is, as the second robot sees it."""
    (R, t), (S, u) = ((one.R[1].T @ one.R, (one.t - one.t[1]) @ one.R[1]) for one in (point, other))
    turned = np.einsum("jab,jab->j", R, S)
    return np.arccos(np.clip(0.5 * (turned - 1.0), -1.0, 1.0)), np.linalg.norm(t - u, axis=1)


@pytest.mark.parametrize("robot", [0, 2])
@pytest.mark.parametrize("silent", [GYRO, MOTION])
def test_who_says_little_or_nothing_of_its_motion_is_found_all_the_same(robot, silent):
    angles, ways = apart(started(robot, silent), started())
    assert np.all(angles < TURN)
    assert np.all(ways < WAY)


@pytest.mark.parametrize("robot", [0, 2])
def test_who_is_not_heard_does_not_move_the_others(robot):
    angles, ways = apart(started(robot, ALL), started())
    others = np.arange(ROBOTS) != robot
    assert np.all(angles[others] < TURN)
    assert np.all(ways[others] < WAY)


@pytest.mark.parametrize("silent", [MOTION, ALL])
def test_everybodys_frame_is_the_first_robots_whoever_is_heard(silent):
    """Its pose has no coordinates: were it found by its wrench as another's is, it would count as known exactly."""
    point = started(0, silent)
    np.testing.assert_allclose(point.R[0], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(point.t[0], 0.0, atol=1e-12)
