"""The scoreboard: the same filter is the same in everybody's library, and rows say who is ahead."""

import dataclasses

import numpy as np
import pytest
from compilers import has_compiler

from steelyard.bench.peers import PEERS, _scoreboard
from steelyard.bench.peers._flight import fly

SAME_FILTER = ("pykalman", "kalman-py", "gtsam", "cuthbert", "steelyard, the same filter")


@pytest.fixture(scope="module")
def flight():
    return fly("no drag", 0, duration=4.0)


@pytest.mark.parametrize("name", SAME_FILTER)
def test_the_same_filter_gives_the_same_mass_everywhere(name, flight):
    pytest.importorskip("filterpy")
    if "steelyard" in name and not has_compiler():
        pytest.skip("there is no C compiler")
    expected = PEERS["filterpy"](flight)
    try:
        found = PEERS[name](flight)
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    assert expected is not None
    assert found is not None
    np.testing.assert_allclose([found.mass, found.std], [expected.mass, expected.std], rtol=1e-5)


@pytest.mark.parametrize("name", [n for n in PEERS if "Savitzky" in n or "axis" in n or "recursive" in n])
def test_the_fields_methods_find_the_mass_where_there_is_no_noise(name):
    flight = fly("no drag", 0, duration=4.0)
    t = flight.time
    force = np.stack([2.0 * np.sin(t), 1.5 * np.cos(1.3 * t), 11.0 + np.sin(0.7 * t)], axis=1)
    moved = np.stack(
        [2.0 - 2.0 * np.cos(t), 1.5 / 1.3 * np.sin(1.3 * t), 11.0 * t + (1 - np.cos(0.7 * t)) / 0.7], axis=1
    )
    exact = dataclasses.replace(
        flight, force=force, velocity=moved / 1.1 + t[:, None] * np.array([0.0, 0.0, -9.81]), mass=1.1
    )
    found = PEERS[name](exact)
    assert found is not None
    assert found.mass == pytest.approx(1.1, rel=1e-3)  # the polynomial's own error


def test_the_hover_thrust_filter_weighs_a_hover():
    flight = fly("no drag", 0, duration=4.0)
    still = dataclasses.replace(
        flight, force=np.tile([0.0, 0.0, 1.3 * 9.81], (len(flight.time), 1)), velocity=0.0 * flight.velocity, mass=1.3
    )
    found = PEERS["PX4's hover-thrust filter"](still)
    assert found is not None
    assert found.mass == pytest.approx(1.3, rel=0.01)


def test_rows_say_who_is_ahead_and_who_is_missing(monkeypatch, flight):
    def missing(flight):
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    row = _scoreboard.PeerRow
    best, same = (row("steelyard, x", "s", 9, 9, 1.0, 1.0, 0.7, 1.0, 5.0) for _ in range(2))
    rows = [best, same, row("a", "s", 9, 9, 0.5, 0.1, 0.0, 0.5, 9.0), row("b", "s", 9, 9, 2.0, 1.0, 0.7, 1.0, 1.0)]
    reasons = [one.reason for one in _scoreboard._compared(rows)]
    assert reasons == ["", "", "more accurate, but its interval does not hold", "faster"]
    monkeypatch.setitem(_scoreboard.PEERS, "nowhere", missing)
    assert _scoreboard._row("nowhere", "no drag", [flight], lambda steps: None).reason == "not installed: nowhere"


def test_tag_k_finds_the_mass_without_noise_and_states_no_interval():
    flight = fly("no drag", 0, duration=4.0)
    t, mass = flight.time, 1.1
    force = np.tile([0.0, 0.0, 11.0], (len(t), 1))
    velocity = t[:, None] * (np.array([0.0, 0.0, -9.81]) + force / mass)
    found = PEERS["TAG-K (Kaczmarz)"](dataclasses.replace(flight, force=force, velocity=velocity, mass=mass))
    assert found is not None
    assert found.std is None
    assert found.mass == pytest.approx(mass, rel=1e-3)  # the polynomial's own error


def test_a_recorded_flight_is_weighed_by_all(tmp_path):
    from steelyard.bench.peers import compare_methods, recorded
    from steelyard.config import Config
    from steelyard.logs import write_csv

    flight = fly("no drag", 3, duration=16.0)
    path = tmp_path / "flight.csv"
    write_csv(flight.log.without_truth(), path)
    found = recorded([str(path)], flight.mass, Config())
    np.testing.assert_allclose(found.force, flight.force, rtol=1e-6, atol=1e-6)
    errors = {row.method: row.rms for row in compare_methods("mine", [found]) if row.rms is not None}
    assert errors["filterpy"] < 1.0  # %, a hundred times what sixteen seconds leave
    assert "steelyard, identify" in errors
