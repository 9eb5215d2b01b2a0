"""One robot alone weighs a load: accuracy, honest intervals, poor motions, sudden changes, and the user's path."""

import contextlib
import dataclasses
import io
import json

import jax.numpy as jnp
import numpy as np
import pytest
from earnest import in_earnest

from steelyard import estimators as e
from steelyard import models as m
from steelyard.cli._main import run
from steelyard.config import Config, Noise, Team, Wrist
from steelyard.errors import BadInput
from steelyard.geometry import SO3, Inertia, is_physical, log_cholesky
from steelyard.information import cramer_rao
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.worlds import SpatialScenario, simulate_spatial, spatial_truth

REALISTIC = SpatialScenario(duration=5.0, sensors="realistic")
UPPER = np.triu_indices(3)


def stated(hold: SpatialScenario, tared: bool = False) -> Config:
    names = ("twist_angular", "twist_linear", "specific_force", "wrench_torque", "wrench_force")
    return Config(noise=Noise(**dict(zip(names, hold.noises, strict=True))), wrist=Wrist(tared=tared))


def log_of(hold: SpatialScenario, seed: int, without: tuple[str, ...] = ()) -> Log:
    columns = simulate_spatial(hold, seed)
    kept = {name: values for name, values in columns.items() if not any(part in name for part in ("time", *without))}
    return Log(columns["time"], kept, "a hold")


def weighed(hold: SpatialScenario, seed: int, without: tuple[str, ...] = (), tared: bool = False):
    """The log, and what identify says of it; importable, to be run in earnest."""
    log = log_of(hold, seed, without)
    said = identify(log, "rigid-body", stated(hold, tared) if min(hold.noises) > 0 else Config())
    return log, dataclasses.replace(said, series={}, innovations={}, truth={})


def true_load(log: Log) -> dict[str, np.ndarray]:
    xx, yy, zz, xy, xz, yz = log.truth("r1/inertia")[-1]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return {"mass": log.truth("mass")[-1, 0], "com": log.truth("r1/com")[-1], "inertia": inertia}


def numbers(load) -> np.ndarray:
    return np.concatenate([np.atleast_1d(load["mass"]), load["com"], load["inertia"][UPPER]])


def sigmas(log: Log, answer) -> np.ndarray:
    """Errors of the ten numbers in their own standard deviations."""
    known = {quantity: answer.robots["r1"][quantity] for quantity in ("mass", "com", "inertia")}
    assert {estimate.status for estimate in known.values()} == {"known"}
    value, std = (numbers({q: getattr(known[q], part) for q in known}) for part in ("value", "std"))
    load = Inertia.from_com(
        float(known["mass"].value), jnp.asarray(known["com"].value), jnp.asarray(known["inertia"].value)
    )
    assert is_physical(load)
    return (value - numbers(true_load(log))) / std


def test_intervals_hold_what_they_say():
    """Four logs with realistic sensors, ten numbers each: none beyond 4 σ, and 85 to 100 % within the 95 %.

    Numbers of one log are correlated; were they independent, fewer than 34 of 40 would happen once in 290 trials.
    """
    errors = np.stack([sigmas(*in_earnest(weighed, REALISTIC, seed)) for seed in range(4)])
    assert np.abs(errors).max() < 4.0
    assert np.mean(np.abs(errors) < 1.96) >= 0.85


@pytest.mark.parametrize("silent", [(), ("twist/linear",), ("specific_force",)])
def test_without_noise_the_load_is_exact(silent):
    log, answer = in_earnest(weighed, dataclasses.replace(REALISTIC, sensors="exact"), 1, silent)
    found, true = answer.robots["r1"], true_load(log)
    for quantity, value in true.items():
        # Knots are as wide as the noise floor of unstated sensors allows: a small share of a deviation is left, more
        # where one of the two signals that show the acceleration is missing.
        share = 0.2 if silent else 0.05
        atol = np.maximum(1e-6, share * found[quantity].std)
        assert np.all(np.abs(found[quantity].value - value) < atol)


def test_noise_of_the_paper_near_the_bound():
    """0.4 on every channel for 12 s: within 4 σ, and σ within 1.5 times the Cramér-Rao bound.

    That bound knows of no bias, scale, rotation or delay of the sensors, which are found beside the load: the scale of
    the accelerometer (1 %) alone doubles what is left of the mass.
    """
    hold = SpatialScenario()
    log, answer = in_earnest(weighed, hold, 2, (), True)  # the bound knows of no offset
    assert np.abs(sigmas(log, answer)).max() < 4.0  # of ten: by chance 6e-4
    found = answer.robots["r1"]
    bound = in_earnest(_bound, hold, 2)
    assert found["mass"].std < 2.0 * 2 * 2.0 * bound[0]
    assert np.all(found["com"].std < 1.5 * bound[7:])
    assert found["mass"].std > 0.7 * 2 * 2.0 * bound[0]
    assert found["inertia"].std.max() < 0.012


def _bound(hold: SpatialScenario, seed: int) -> np.ndarray:
    """Of the log-Cholesky coordinates, nothing known before."""
    truth, sizes = spatial_truth(hold, seed), np.repeat(hold.noises, 3)
    load = Inertia.from_com(float(truth.mass[0]), jnp.asarray(truth.com[0, 0]), jnp.asarray(truth.inertia[0, 0]))
    w, read = truth.wrenches[:, 0], truth.readings[:, 0]
    state = m.RigidLoadState(
        SO3.from_matrix(jnp.asarray(truth.attitude[0, 0])),
        jnp.asarray(read[0, :3]),
        jnp.asarray(read[0, 3:6]),
        log_cholesky(load),
        jnp.asarray(w[0]),
        jnp.zeros(0),
    )
    dt = np.diff(truth.time, prepend=0.0)
    samples = e.Sample(jnp.asarray(dt), jnp.asarray(w), jnp.asarray(read))
    noise = e.Noise(jnp.asarray(sizes[:9]), jnp.asarray(sizes[9:]), jnp.zeros(25), jnp.ones(6))
    std = jnp.asarray([0.5] * 3 + [4.0] * 6 + [np.inf] * 10 + [1.0] * 6)
    return cramer_rao(m.RigidLoad(), noise, e.Guess(state, std), samples).std_of("log_cholesky")


@pytest.mark.parametrize("silent", ["twist/linear", "specific_force"])
def test_an_imu_alone_or_a_twist_alone_will_do(silent):
    assert np.abs(sigmas(*in_earnest(weighed, REALISTIC, 3, (silent,)))).max() < 4.0  # of ten: by chance 6e-4


@pytest.mark.parametrize(
    ("motion", "unknown", "said"),
    [
        ("still", ("com", "inertia"), "hardly turned"),
        ("no-turning", ("inertia",), "hardly turned: turn it about every axis"),
        ("one-axis", ("inertia",), "hardly turned about"),
    ],
)
def test_what_a_motion_cannot_tell_is_no_number(motion, unknown, said):
    _, answer = in_earnest(
        weighed, dataclasses.replace(REALISTIC, motion=motion, duration=3.5), 4, (), motion != "one-axis"
    )
    found = {quantity: answer.robots["r1"][quantity] for quantity in ("mass", "com", "inertia")}
    assert {q for q in found if found[q].status == "not-identifiable"} == set(unknown)
    assert said in answer.verdict
    assert abs(found["mass"].value - 2.0) < 4 * found["mass"].std


def test_a_part_that_breaks_off_is_an_event_and_the_rest_is_weighed_anew():
    hold = dataclasses.replace(REALISTIC, duration=6.0, drop_share=0.4, drop_time=3.0)
    log, answer = in_earnest(weighed, hold, 1)
    assert [(event.kind, event.quantity) for event in answer.events] == [("change", "mass")]
    assert abs(answer.events[0].time - 3.0) < 0.05  # s: a knot of the fitted motion
    assert abs(answer.events[0].size + 0.8) < 0.01  # kg: half a percent of the whole load of 2 kg
    assert np.abs(sigmas(log, answer)).max() < 4.0  # of ten: by chance 6e-4


TOOL = dataclasses.replace(REALISTIC, mass=1.0, length=0.3, width=0.1, height=0.05, force=8.0)


def test_readings_that_no_load_explains_tell_no_number():
    """A tool spun at 100 rad/s, logged at 100 Hz: anything could have happened between two rows."""
    answer = in_earnest(weighed, dataclasses.replace(TOOL, torque=0.5, duration=2.5), 6)[1]
    assert {answer.robots["r1"][q].status for q in ("mass", "com", "inertia")} == {"failed"}
    assert "no load explains this log" in answer.verdict


@pytest.mark.parametrize("bias", [3.0, 6.0])
def test_constant_errors_of_every_sensor_are_found_and_do_not_bias_the_load(bias):
    """Every channel is off by a multiple of its noise; the force sensor's offset is among the answers."""
    hold = dataclasses.replace(REALISTIC, bias=bias)
    log, answer = in_earnest(weighed, hold, 6)
    assert np.abs(sigmas(log, answer)).max() < 4.0  # of ten: by chance 6e-4
    offset = answer.robots["r1"]["offset/wrench/force"]
    assert np.all(np.abs(np.abs(offset.value) - bias * hold.noises[4]) < 4.0 * offset.std)


def test_a_load_that_stands_still_cannot_be_told_from_an_offset():
    answer = in_earnest(weighed, dataclasses.replace(REALISTIC, motion="still", duration=3.5), 4)[1]
    assert answer.robots["r1"]["mass"].status == "not-identifiable"
    assert "tared" in answer.verdict


def touched(force: float, seed: int):
    """A hold of ten seconds in which something pushes along x from 5 to 5.8 s; importable, to be run in earnest."""
    hold = dataclasses.replace(REALISTIC, duration=10.0)
    log = log_of(hold, seed)
    columns = dict(log.columns)
    during = (log.time >= 5.0) & (log.time < 5.8)
    columns["r1/wrench/force/x"] = columns["r1/wrench/force/x"] + force * during
    log = Log(log.time, columns, "a touched hold")
    found = identify(log, "rigid-body", stated(hold))
    return log, dataclasses.replace(found, series={}, innovations={}, truth={})


def test_a_touch_is_an_event_and_does_not_count():
    log, answer = in_earnest(touched, 3.0, 2)
    assert [event.kind for event in answer.events] == ["contact"]
    assert 4.6 < answer.events[0].time < 5.1  # s: it begins at 5, and the search has windows of 0.4
    assert np.abs(sigmas(log, answer)).max() < 4.0  # of ten: by chance 6e-4


def opposite(seed: int):
    """A hold whose wrench is that of the load on the sensor; importable, to be run in earnest."""
    log = log_of(REALISTIC, seed)
    columns = {name: -values if "/wrench/" in name else values for name, values in log.columns.items()}
    return identify(Log(log.time, columns, "a hold"), "rigid-body", stated(REALISTIC)).verdict


def test_a_wrench_of_the_opposite_sign_is_named():
    assert "opposite sign" in in_earnest(opposite, 1)


def test_a_team_is_told_to_say_who_holds_a_load_alone():
    log = log_of(dataclasses.replace(REALISTIC, duration=1.0, robots=2), 0)
    with pytest.raises(BadInput, match="2 robots with a wrench"):
        identify(log, "rigid-body")
    with pytest.raises(BadInput, match="r9"):
        identify(log, "rigid-body", Config(team=Team(robots=("r9",))))


@pytest.mark.parametrize("missing", ["twist/angular", "wrench/torque"])
def test_a_missing_channel_is_told(missing):
    log = log_of(dataclasses.replace(REALISTIC, duration=0.5), 0, without=(missing,))
    with pytest.raises(BadInput, match=missing):
        identify(log, "rigid-body")


def printed(arguments: list[str]) -> str:
    """What a command prints that succeeds; importable, to be run in earnest."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(arguments) == 0
    return out.getvalue()


def test_from_simulation_to_urdf_by_the_command_line(tmp_path):
    log, urdf = str(tmp_path / "hold.csv"), tmp_path / "load.urdf"
    printed(["simulate", "spatial", "--sensors", "realistic", "--duration", "4", "--seed", "2", "-o", log])
    command = ["identify", log, "--as", "rigid-body", "--urdf", str(urdf), "--json", "--series"]
    answer = json.loads(in_earnest(printed, command))
    mass = answer["robots"]["r1"]["mass"]
    assert abs(mass["value"] - 2.0) < 4 * mass["std"]
    assert "Noise estimated" in answer["notes"][0]
    assert np.shape(answer["robots"]["r1"]["inertia"]["value"]) == (3, 3)
    assert len(answer["series"]["r1"]["mass"]["time"]) > 100
    assert "<inertial>" in urdf.read_text()
