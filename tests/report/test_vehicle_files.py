"""A multirotor's files: MuJoCo loads the model and flies a log's thrust back; parameters are what the flight had."""

import dataclasses
from xml.etree import ElementTree

import jax.numpy as jnp
import numpy as np
import pytest
from earnest import in_earnest

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.logs import Log
from steelyard.problems import Identification, identify
from steelyard.report import fly_back, requested_file, vehicle_text, write_report
from steelyard.worlds import MultirotorScenario, simulate


@pytest.fixture(scope="module")
def flight() -> tuple[Log, Identification]:
    columns = in_earnest(simulate, MultirotorScenario(profile="constant", mass=1.3), 4)
    log = Log(columns.pop("time"), columns, "flight")
    return log, in_earnest(identify, log, "multirotor", Config())


def test_the_model_flies_the_logged_thrust_back(flight):
    """From the logged state anew every second: the white thrust noise alone makes 0.03 m/s of it, drag is in."""
    _, found = flight
    text, replay = vehicle_text(found, "mjcf"), found.replays["r1"]
    flown = fly_back(text, replay)
    assert flown.rms < 0.08
    assert fly_back(text, dataclasses.replace(replay, mass=1.2 * replay.mass)).rms > 5 * flown.rms


def test_a_flight_with_velocities_missing_is_flown_back(flight):
    _, found = flight
    replay = found.replays["r1"]
    velocity = np.where((np.arange(len(replay.time)) % 5 == 0)[:, None], replay.velocity, np.nan)
    velocity[:100] = np.nan
    flown = fly_back(vehicle_text(found, "mjcf"), dataclasses.replace(replay, velocity=velocity))
    assert np.isnan(flown.simulated[:90]).all()
    assert flown.rms < 0.08  # m/s: as with every velocity there, above


def test_the_report_shows_the_logged_and_the_simulated_motion(flight, tmp_path):
    _, found = flight
    write_report(found, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Flown back by a simulator" in text
    assert "simulated velocity of r1" in text


def test_sdf_and_mjcf_have_the_mass_and_say_what_is_not_identified(flight):
    _, found = flight
    mass = float(found["r1"].mass.value)
    root = ElementTree.fromstring(vehicle_text(found, "sdf").split("-->")[1])
    assert float(root.findtext("model/link/inertial/mass") or 0.0) == mass
    for name in ("sdf", "mjcf"):
        assert "NOT identified" in vehicle_text(found, name)


def test_hover_parameters_are_the_flight_s(flight):
    """The throttle at which the bench's rotors carry 1.3 kg."""
    from steelyard.models import common_rotor_bench

    _, found = flight
    hover = float(common_rotor_bench().throttle(jnp.asarray(1.3 * 9.81 / 4)))
    px4 = dict(line.split("\t")[2:4] for line in vehicle_text(found, "px4").splitlines() if line[0] == "1")
    assert float(px4["MPC_THR_HOVER"]) == pytest.approx(hover, rel=0.02)
    assert float(px4["CA_ROTOR2_CT"]) == pytest.approx(1.3 * 9.81 / 4 / hover**2, rel=0.05)
    assert "CA_ROTOR0_KM" not in px4
    assert f"MOT_THST_HOVER,{hover:.2f}"[:-1] in vehicle_text(found, "ardupilot")


def test_a_thrust_curve_becomes_an_exponent():
    curve = Estimate(np.array([6.0, 2.0, 0.0]), np.eye(3) * 1e-4, "N", None, 1.0, "known")
    hover = Estimate.known(0.5, 0.01, "1", None, 1.0)
    known = {"thrust_curve": curve, "hover_throttle": hover}
    found = Identification("multirotor", "vehicle", "x", {"r1": known}, [], "")
    text = vehicle_text(found, "ardupilot")
    assert "MOT_THST_EXPO,0.7500" in text
    assert "MOT_THST_HOVER,0.3125" in text  # (6/4 + 2/2) / 8
    with pytest.raises(BadInput, match="mass of r1 is not known"):
        vehicle_text(found, "sdf")
    with pytest.raises(BadInput, match="give FORMAT=FILE"):
        requested_file("vehicle", "gazebo=x")
