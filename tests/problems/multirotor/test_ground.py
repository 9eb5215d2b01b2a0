"""Landing: what falls, bounces and stands is not weighed, and is no fault of a clock."""

import dataclasses

import numpy as np
import pytest

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._motion import motion_of
from steelyard.problems.preflight._flight_model import clock_jumps
from steelyard.worlds import MultirotorScenario, simulate


@pytest.fixture(scope="module")
def flight() -> Log:
    columns = simulate(MultirotorScenario(duration=8.0), 0)
    return Log(columns.pop("time"), columns, "flight").without_truth()


@pytest.mark.parametrize("bounce", [0.0, 0.5])
def test_the_rows_of_a_landing_are_left_out_though_it_bounces(flight: Log, bounce: float):
    record = read_flight_record(flight, "r1", Config())
    time, landed = record.time, record.time > 6.0
    height = np.where(landed, 0.0, np.minimum(1.0, 6.0 - time))
    swing = bounce * np.sin(40.0 * time) * landed
    position, velocity = record.position.copy(), record.velocity.copy()
    position[:, 2], velocity[:, 2] = height + swing / 40.0, np.where(landed, swing, velocity[:, 2])
    velocity[landed, :2] = 0.0
    thrust = np.where(landed, 0.0, record.thrust)
    found = motion_of(
        dataclasses.replace(record, position=position, velocity=velocity, thrust=thrust), (0.0, 0.0, -9.81)
    )
    assert not found.seen[landed].any()
    assert found.seen[time < 4.0].all()


@pytest.mark.parametrize("falls", [False, True])
def test_a_touchdown_is_no_jump_of_the_clock(flight: Log, falls: bool):
    time, columns = flight.time, dict(flight.columns)
    below = time > 7.0
    columns["r1/position/z"] = columns["r1/position/z"] - 1.0 * below  # m, which no velocity says
    if falls:
        columns["r1/thrust"] = np.where(time > 6.9, 0.0, columns["r1/thrust"])
    found = clock_jumps(Log(time, columns, "landing"), "r1")
    assert [one.code for one in found] == ([] if falls else ["clock-jump"])
