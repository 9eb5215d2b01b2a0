"""Flights that nobody here made: what they weigh is known from elsewhere. Skipped where the files are not."""

import os
from pathlib import Path

import pytest
from earnest import in_earnest

import steelyard as sy
from steelyard.config import Config, Multirotor

DATA = Path(os.environ.get("STEELYARD_REAL_DATA", Path(__file__).parents[4] / "shared" / "data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real recordings are not here; see $STEELYARD_REAL_DATA")
IRIS = tuple(4 * 8.54858e-6 * (100.0 + 100.0 * k) ** 2 for k in range(11))
"""N of four rotors at 1000, 1100, … 2000 µs."""


def weigh(name: str, config: Config | None = None):
    return sy.identify(DATA / name, config=config)


def test_a_slow_log_of_a_vehicle_whose_rotors_lose_thrust_with_speed():
    """1.5 kg, four rotors of 5 g and, in later models, 15 g of IMU; at hover alone it looks like 1.56 kg."""
    found = in_earnest(weigh, "px4/yuneec_position.ulg", Config(multirotor=Multirotor(throttle_map=IRIS)))
    answers = found.robots["r1"]
    mass = answers["mass"]
    assert mass.status == "known"
    assert 0.98 * 1.52 < mass.value < 1.02 * 1.535
    assert abs(mass.value - 1.5275) < 2.5 * mass.std
    assert "Thrust falls by" in found.verdict
    assert abs(answers["thrust_loss"].value - 0.04) < 4 * answers["thrust_loss"].std  # 1/25 a m/s in that simulator
    assert not found.events


@pytest.mark.parametrize("flight", ["B3_figure8_medium_rep2", "B5_helix_medium_rep1"])
def test_a_crazyflie_by_its_published_thrust_map(flight: str):
    found = in_earnest(weigh, f"nanobench/{flight}.csv.gz")
    mass = found.robots["r1"]["mass"]
    assert mass.status == "known"
    assert abs(mass.value - 0.04085) < 2.5 * mass.std  # by chance 1.2 %
    assert mass.std < 0.05 * mass.value  # so that 27 g, which was claimed, is six deviations off
    assert not found.events
