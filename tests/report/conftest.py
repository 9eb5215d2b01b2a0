"""An identification whose every figure is known beforehand."""

import dataclasses

import numpy as np
import pytest

from steelyard.estimators import Estimate
from steelyard.problems import Event, Identification, Innovations, Series

EVIL = "<script>alert(1)</script>"
LONG = 5001


def identification_of(robot: str = "r1") -> Identification:
    """A drone of 2 kg: errors alternate, so that the RMS error is 0.01 kg and the band covers all."""
    time = np.arange(LONG) / 100.0
    sign = np.where(np.arange(LONG) % 2, 1.0, -1.0)
    mass = 2.0 + 0.01 * sign
    mass[:100] = np.nan
    std = np.where(np.isnan(mass), np.nan, 0.01)
    com = np.stack([0.1 + 0.001 * sign, -0.2 + 0.001 * sign, 0.3 + 0.001 * sign], axis=1)
    z = np.zeros((LONG, 4))
    z[:, 0] = np.where(np.arange(LONG) % 20 == 0, 3.0, 0.9 * sign)  # 5 % outside
    z[:, 1] = 3.0 * sign
    z[:, 2] = 0.1 * sign
    z[:, 3] = np.nan
    channels = ("position/x", "position/y", "position/z", "thrust")
    return Identification(
        problem="multirotor",
        method="ekf",
        origin="flight.csv",
        robots={
            robot: {
                "mass": Estimate.known(2.01, 0.01, "kg", None, 50.0),
                "com": Estimate.known([0.101, -0.199, 0.301], [0.002, 0.002, 0.002], "m", robot, 50.0),
                "drag": Estimate.unknown("not-yet-known", "N s/m", None, 50.0),
                "bias/force": Estimate.unknown("not-identifiable", "N", robot, 50.0),
                "thrust/1": Estimate.unknown("failed", "N", None, 50.0),
            }
        },
        events=[
            Event(10.0, "change", robot, "mass", "The mass changed by +0.25 kg.", 0.25),
            Event(20.0, "fault", robot, "mass", "The position stopped."),
            Event(21.0, "recovered", robot, "mass", "The position is back."),
        ],
        verdict="The mass is known to 1 %.",
        notes=["Noise of position was estimated from the log."],
        series={
            robot: {"mass": Series(time, mass, std, "kg"), "com": Series(time, com, np.full(com.shape, 0.0005), "m")}
        },
        innovations={robot: Innovations(time, channels, z * 0.02, np.full(z.shape, 0.02))},
        truth={
            "mass": Series(time, np.full((LONG, 1), 2.0), np.zeros((LONG, 1)), "kg"),
            f"{robot}/com": Series(time, np.tile([0.1, -0.2, 0.3], (LONG, 1)), np.zeros((LONG, 3)), "m"),
        },
        settings={"noise.position": "0.02 m"},
    )


@pytest.fixture(scope="session")
def identification() -> Identification:
    return identification_of()


@pytest.fixture(scope="session")
def named():
    """Makes the same for a robot of any name."""
    return identification_of


@pytest.fixture(scope="session")
def evil() -> Identification:
    """The same, from a log whose author wished us ill."""
    made = identification_of(EVIL)
    return dataclasses.replace(
        made, origin=f"{EVIL}.csv", verdict=EVIL, notes=[EVIL], settings={EVIL: '"><img src=x onerror=alert(1)>'}
    )


@pytest.fixture(scope="session")
def bare() -> Identification:
    """The least an identification can be."""
    return Identification(
        "jets", "ekf", "log", {"r1": {"mass": Estimate.unknown("failed", "kg", None, 0.0)}}, [], "Failed."
    )
