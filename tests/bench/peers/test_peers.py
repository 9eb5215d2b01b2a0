"""The scoreboard: the same filter is the same in everybody's library, and rows say who is ahead."""

import dataclasses

import numpy as np
import pytest
from compilers import has_compiler
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.bench.peers import MASS_METHODS, WRIST_METHODS, _scoreboard, compare, drone_methods, recorded_wrist, wave
from steelyard.bench.peers._flight import fly
from steelyard.bench.peers._mujoco_wrist import principal
from steelyard.bench.peers._wrist_methods import load_answer
from steelyard.config import Config
from steelyard.logs import write_csv

SAME_FILTER = (
    "pykalman",
    "kalman-py",
    "gtsam",
    "fast-kalman",
    "cuthbert",
    "dynamax",
    "symforce, with Numba",
    "steelyard, the same filter",
)


@pytest.fixture(scope="module")
def flight():
    return fly("no drag", 0, duration=4.0)


@pytest.mark.filterwarnings("ignore:jax.core:DeprecationWarning")  # of what dynamax imports
@pytest.mark.parametrize("name", SAME_FILTER)
def test_the_same_filter_gives_the_same_mass_everywhere(name, flight):
    pytest.importorskip("filterpy")
    if "steelyard" in name and not has_compiler():
        pytest.skip("there is no C compiler")
    expected = MASS_METHODS["filterpy"](flight)
    try:
        found = MASS_METHODS[name](flight)
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    assert expected is not None
    assert found is not None
    np.testing.assert_allclose([found.mass, found.std], [expected.mass, expected.std], rtol=1e-5)


@pytest.mark.parametrize("name", [n for n in MASS_METHODS if "Savitzky" in n or "axis" in n or "recursive" in n])
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
    found = MASS_METHODS[name](exact)
    assert found is not None
    assert found.mass == pytest.approx(1.1, rel=1e-3)  # the polynomial's own error


def test_the_hover_thrust_filter_weighs_a_hover():
    flight = fly("no drag", 0, duration=4.0)
    still = dataclasses.replace(
        flight, force=np.tile([0.0, 0.0, 1.3 * 9.81], (len(flight.time), 1)), velocity=0.0 * flight.velocity, mass=1.3
    )
    found = MASS_METHODS["PX4's hover-thrust filter"](still)
    assert found is not None
    assert found.mass == pytest.approx(1.3, rel=0.01)


def test_rows_say_who_is_ahead_and_who_is_missing(flight):
    def missing(flight):
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    def row(name, *numbers):
        rms, coverage, low, high, cost = numbers
        return _scoreboard.PeerRow(name, "s", "mass", 9, 9, rms, "%", coverage, low, high, cost)

    ours = [row("steelyard, x", 1.0, 1.0, 0.7, 1.0, 5.0), row("steelyard, y", 1.0, 1.0, 0.7, 1.0, 5.0)]
    rows = [*ours, row("a", 0.5, 0.1, 0.0, 0.5, 9.0), row("b", 2.0, 1.0, 0.7, 1.0, 1.0)]
    reasons = [one.reason for one in _scoreboard._compared(rows)]
    assert reasons == ["", "", "more accurate, but its interval does not hold", "faster"]
    nobody = compare({"nowhere": missing, "neither": missing}, "no drag", [flight])
    assert [one.reason for one in nobody] == ["not installed: nowhere"] * 2


def test_a_peer_that_fails_costs_its_own_row_only(flight):
    def broken(case):
        raise ValueError("it does not converge")

    def ours(case):
        return {"mass": _scoreboard.Stated(case.truth["mass"], np.array([1.0]))}

    methods = {"steelyard, identify": ours, "steelyard, the same filter": ours, "a peer": broken}
    rows = compare(methods, "no drag", [flight])
    assert [row.answered for row in rows] == [1, 1, 0]
    assert rows[2].reason == "failed: it does not converge"
    with pytest.raises(ValueError, match="does not converge"):
        compare({"steelyard, identify": broken}, "no drag", [flight])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-8.0, 0.0), min_size=3, max_size=3), st.integers(0, 1000))
def test_mujoco_takes_every_inertia_of_a_flat_or_thin_load(thickness, seed):
    mujoco = pytest.importorskip("mujoco")
    spread = np.random.default_rng(seed).normal(size=(3, 3)) * 10.0 ** np.array(thickness)
    second = spread @ spread.T
    inertia = np.trace(second) * np.eye(3) - second
    moments, axes = principal(inertia)
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="load", mass=1.0, explicitinertial=True)
    body.add_freejoint()
    body.inertia[:] = moments
    spec.compile()  # raises where the triangle inequality does not hold
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, inertia, atol=1e-8 * np.trace(inertia))


@pytest.mark.parametrize("name", ["least squares, Savitzky-Golay", "recursive least squares"])
def test_regressions_at_a_wrist_find_the_load_without_noise(name):
    motion = wave("gentle", 4)[3]
    load = np.array([2.0, 0.1, -0.06, 0.3, 0.08, 0.07, 0.03, 0.004, -0.002, 0.01])
    exact = dataclasses.replace(motion, wrench=motion.regressors() @ load)
    truth = load_answer(load, None)
    found = WRIST_METHODS[name](exact)
    for quantity in truth:  # the prior of the recursive one, 100 deviations wide, leaves some 1e-7
        np.testing.assert_allclose(found[quantity].value, truth[quantity].value, rtol=1e-4, atol=1e-6)


def test_mujoco_agrees_with_least_squares_at_a_wrist():
    pytest.importorskip("mujoco")
    motion = wave("gentle", 4)[3]
    try:
        found = WRIST_METHODS["mujoco.sysid, inverse dynamics"](motion)
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    plain = WRIST_METHODS["least squares, Savitzky-Golay"](motion)
    assert abs(found["mass"].value - plain["mass"].value)[0] < 0.2 * plain["mass"].std[0]  # the same rows and weights


def test_a_recorded_wrist_is_weighed_on_even_rows(tmp_path):
    motion = wave("gentle", 4)[3]
    path = tmp_path / "wrist.csv"
    write_csv(motion.log, path)
    found = recorded_wrist([str(path)], float(motion.truth["mass"][0]), None, Config())
    answer = WRIST_METHODS["least squares, Savitzky-Golay"](found)["mass"]
    assert abs(answer.value[0] / motion.truth["mass"][0] - 1.0) < 4.0 * answer.std[0] / motion.truth["mass"][0]


def test_tag_k_finds_the_mass_without_noise_and_states_no_interval():
    flight = fly("no drag", 0, duration=4.0)
    t, mass = flight.time, 1.1
    force = np.tile([0.0, 0.0, 11.0], (len(t), 1))
    velocity = t[:, None] * (np.array([0.0, 0.0, -9.81]) + force / mass)
    found = MASS_METHODS["TAG-K (Kaczmarz)"](dataclasses.replace(flight, force=force, velocity=velocity, mass=mass))
    assert found is not None
    assert found.std is None
    assert found.mass == pytest.approx(mass, rel=1e-3)  # the polynomial's own error


@pytest.mark.filterwarnings("ignore:jax.core:DeprecationWarning")  # of what dynamax imports
def test_a_recorded_flight_is_weighed_by_all(tmp_path):
    from steelyard.bench.peers import recorded

    flight = fly("no drag", 3, duration=16.0)
    path = tmp_path / "flight.csv"
    write_csv(flight.log.without_truth(), path)
    found = recorded([str(path)], flight.mass, Config())
    np.testing.assert_allclose(found.force, flight.force, rtol=1e-6, atol=1e-6)
    errors = {row.method: row.rms for row in compare(drone_methods(), "mine", [found]) if row.rms is not None}
    assert errors["filterpy"] < 1.0  # %, a hundred times what sixteen seconds leave
    assert "steelyard, identify" in errors
