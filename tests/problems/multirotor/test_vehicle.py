"""Thrust curve, inertia and rotors from commands and an IMU: simulated vehicles, and real Crazyflies where they are."""

import dataclasses
import functools
import os
from pathlib import Path

import numpy as np
import pytest

from steelyard import logs
from steelyard.config import Config, Guess, Multirotor
from steelyard.errors import BadInput
from steelyard.logs.mapping import log_of, open_log
from steelyard.problems import identify
from steelyard.problems.multirotor._vehicle_fit import lagged
from support.simulated_vehicle import SimulatedVehicle, fly

VEHICLE = SimulatedVehicle()
STATED = Config(guess=Guess(mass=VEHICLE.mass), multirotor=Multirotor(arm=VEHICLE.arm))
REAL = Path(os.environ.get("STEELYARD_REAL_DATA", Path(__file__).parents[3] / ".." / "shared" / "data")) / "crazyflie"


def real(name: str) -> logs.Log:
    if not (REAL / name).exists():
        pytest.skip(f"{name} is not here; the folder of real logs is no part of this repository.")
    return log_of(open_log([REAL / name]))


@functools.cache
def flown(seed: int) -> logs.Log:
    return fly(VEHICLE, seed)


def within(estimate, truth, deviations: float) -> bool:
    return bool(np.all(np.abs(estimate.value - truth) < deviations * estimate.std))


def test_a_lagged_step_is_an_exponential():
    command = np.r_[np.zeros(5), np.ones(200)][:, None]
    found = lagged(command, 0.01, 0.05)[:, 0]
    assert np.allclose(found[5:], 1.0 - np.exp(-0.01 * np.arange(200) / 0.05))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_truth_is_within_the_stated_deviations(seed: int):
    found = identify(flown(seed), "multirotor", STATED)
    assert found.method == "vehicle"
    known = found["r1"]
    assert within(known["inertia/xx"], VEHICLE.inertia[0], 3.5)
    assert within(known["inertia/yy"], VEHICLE.inertia[1], 3.5)
    assert within(known["motor_lag"], VEHICLE.lag, 3.5)
    assert within(known["thrust_curve"], np.array(VEHICLE.curve), 3.5)
    for k, one in enumerate(VEHICLE.effectiveness):
        assert within(known[f"rotor/{k + 1}/effectiveness"], one, 3.5)
    assert known["inertia/xx"].std < 0.1 * VEHICLE.inertia[0]  # so that the check above can fail
    assert known["inertia/zz"].status == "not-identifiable"
    assert "Motor 2 carries most" in found.verdict
    assert "centre of mass is on its side" not in found.verdict


def test_a_weight_beside_a_motor_is_named_and_rotors_are_not_blamed():
    """Motor 3 is behind (x < 0) and to the left (y > 0)."""
    even = dataclasses.replace(VEHICLE, effectiveness=(1.0, 1.0, 1.0, 1.0), offset=(-0.0015, 0.0015))
    found = identify(fly(even, 5), "multirotor", STATED)
    assert "Motor 3 carries most" in found.verdict
    assert "its rotor gives" not in found.verdict


def test_without_mass_or_arm_thrust_is_per_kilogram_and_no_inertia_is_told():
    known = identify(flown(1), "multirotor", Config())["r1"]
    assert known["thrust_curve"].unit == "m/s²"
    assert known["inertia/xx"].status == "not-identifiable"
    assert "[guess] mass and [multirotor] arm" in known["inertia/xx"].reason


def test_a_gyroscope_in_degrees_gives_no_inertia():
    log = flown(1)
    degrees = {name: np.rad2deg(log.columns[name]) for name in log.columns if "/rates/" in name}
    known = identify(dataclasses.replace(log, columns={**log.columns, **degrees}), "multirotor", STATED)["r1"]
    assert known["inertia/xx"].status == "not-identifiable"


def test_commands_of_another_flight_give_no_number():
    log, other = flown(1), flown(2)
    foreign = {name: other.columns[name] for name in log.columns if "/throttle/" in name}
    try:
        known = identify(dataclasses.replace(log, columns={**log.columns, **foreign}), "multirotor", STATED)["r1"]
    except BadInput:
        return
    assert known["thrust_curve"].status != "known"
    assert known["inertia/xx"].status != "known"


def test_a_hop_is_refused():
    with pytest.raises(BadInput, match="are needed"):
        identify(flown(1).between(0.0, 8.0), "multirotor", STATED)


def test_a_crazyflie_by_its_imu_and_commands_agrees_with_its_authors():
    """Within the 95 % intervals and a tenth, thrust at 0.3 to 0.9 of full command by 15 %."""
    config = Config(guess=Guess(mass=0.027), multirotor=Multirotor(arm=0.028))
    known = identify(real("arpl/log10"), "multirotor", config)["r1"]
    for u in (0.3, 0.6, 0.9):
        powers = np.array([u * u, u, 1.0])
        assert powers @ known["thrust_curve"].value == pytest.approx(powers @ [0.1201, -0.0112, 0.0213], rel=0.15)
    for axis, published in (("xx", 1.03e-5), ("yy", 1.11e-5)):
        low, high = known[f"inertia/{axis}"].interval
        assert 0.9 * low < published < 1.1 * high
        assert known[f"inertia/{axis}"].std < 0.2 * published


def test_the_motor_beside_the_weight_is_named_and_none_without_it():
    loaded = identify(real("crazypad/motor_data_add_weight_W1_near_M3_E9_log04"), "multirotor", Config())
    bare = identify(real("crazypad/motor_data_normal_flight_E9_log00"), "multirotor", Config())
    assert "Motor 3 carries most" in loaded.verdict
    assert "No single motor carries most" in bare.verdict
    more, less = loaded["r1"]["rotor/3/load"], bare["r1"]["rotor/3/load"]
    assert more.value - less.value > 4.0 * np.hypot(more.std, less.std)
