"""A look at a log before the estimate: faults are named, certain ones mended, and clean logs are left alone."""

import numpy as np
import pytest

from steelyard.bench.faults import TRIED
from steelyard.bench.faults._edits import columns_of
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems._limits import check_sizes
from steelyard.problems.preflight import OWN, outliers, preflight
from steelyard.problems.preflight._channels import blanks, channel_findings, limited, stuck_spans
from steelyard.problems.preflight._flight_readings import _scale_readings

TIME = 0.01 * np.arange(1000)


def faulty(problem: str, name: str, seed: int, strength: str = "strong") -> tuple[Log, Log]:
    """The clean log, and the one with the fault."""
    tried = TRIED[problem]
    log = tried.clean(seed)
    fault = next(one for one in tried.faults if one.name == name)
    return log, fault.strengths[strength](log, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_found_in_a_clean_flight(seed):
    """A hundred clean flights had no finding; with the tuning's margin six are enough to notice a slip."""
    found = preflight(TRIED["multirotor"].clean(seed), "multirotor", Config())
    assert not found.findings
    assert not found.mended


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("time in ms", "time-unit"),
        ("quaternion xyzw", "quaternion-order"),
        ("quaternion inverse", "quaternion-inverse"),
        ("rates in degrees", "rates-degrees"),
        ("rates' sign", "rates-axes"),
        ("velocity in body axes", "velocity-body"),
        ("velocity axes", "velocity-axes"),
        ("body FRD only", "body-axes"),
        ("rows doubled", "doubled-rows"),
    ],
)
def test_a_fault_of_a_flight_is_named_and_mending_undoes_it(name, code):
    clean, log = faulty("multirotor", name, 1)
    found = preflight(log, "multirotor", Config())
    assert [one.code for one in found.findings] == [code]
    mended = preflight(log, "multirotor", Config(), mend=True)
    assert not mended.findings
    assert len(mended.mended) == 1
    np.testing.assert_allclose(mended.log.time, clean.time, atol=1e-9)
    for column in (
        name for signal in ("attitude", "rates", "linear_velocity") for name in columns_of(clean, signal)[0]
    ):
        sign = np.sign(np.dot(mended.log.columns[column], clean.columns[column])) if "attitude" in column else 1.0
        np.testing.assert_allclose(sign * mended.log.columns[column], clean.columns[column], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "strength", "code"),
    [
        ("NED and FRD", "strong", "ned"),
        ("world NED only", "strong", "world-axes"),
        ("thrust in grams", "strong", "thrust-unit"),
        ("thrust of 0 to 1", "strong", "thrust-unit"),
        ("battery sags", "strong", "thrust-sag"),
        ("velocity scale", "strong", "velocity-scale"),
        ("clock jumps", "strong", "clock-jump"),
        ("attitude stuck", "strong", "stuck"),
        ("attitude outliers", "strong", "outliers"),
        ("wind", "strong", "wind"),
        ("attitude tilted", "mild", "tilt"),
    ],
)
def test_a_fault_of_a_flight_is_named_first(name, strength, code):
    found = preflight(faulty("multirotor", name, 0, strength)[1], "multirotor", Config())
    assert found.findings[0].code == code


@pytest.mark.parametrize(
    ("problem", "name", "code"),
    [
        ("rigid-body", "wrench on the sensor", "wrench-sign"),
        ("rigid-body", "accelerometer in g", "accelerometer-unit"),
        ("rigid-body", "rates in degrees", "rates-degrees"),
        ("rigid-body", "velocity in other axes", "velocity-axes"),
        ("planar-load", "velocity sign", "velocity-sign"),
        ("planar-load", "force sign", "force-sign"),
        ("planar-load", "friction", "friction"),
        ("planar-load", "force scale", "force-scale"),
    ],
)
def test_a_fault_of_a_load_is_named_and_its_robot_too(problem, name, code):
    clean, log = faulty(problem, name, 1)
    assert not preflight(clean, problem, Config()).findings
    first = preflight(log, problem, Config()).findings[0]
    assert first.code == code
    assert first.robot in ("r1" if problem == "rigid-body" else "r2", None)


@pytest.mark.parametrize(("scale", "noise", "codes"), [
    (1.0, 0.0, set()),
    (1.0, 0.35, set()),  # noise alone makes the one 6 % larger than the other
    (1.2, 0.1, {"velocity-scale", "position-scale", "clock"}),
])  # fmt: skip
def test_a_velocity_and_a_position_of_different_noise_are_no_clocks_fault(scale, noise, codes):
    """At 10 Hz differences of positions are noisy: they move by more than the velocity states, whatever the clock."""
    from types import SimpleNamespace

    rng, t = np.random.default_rng(1), 0.1 * np.arange(300)[:, None]
    velocity = np.sin(t * [0.7, 0.9, 1.1])
    own = SimpleNamespace(
        velocity=velocity, moving=scale * velocity + rng.normal(0, noise * np.std(velocity), (300, 3))
    )
    assert {one.code for one in _scale_readings(own)} == codes


def test_a_few_outliers_are_left_out_and_noted():
    _, log = faulty("multirotor", "velocity outliers", 0, "mild")
    found = preflight(log, "multirotor", Config())
    assert not found.findings
    assert "outliers" in found.mended[0]
    assert np.isnan(found.log.columns["r1/linear_velocity/x"]).mean() == pytest.approx(0.01, abs=0.006)


def test_time_in_milliseconds_is_refused_with_the_line_that_mends_it():
    _, log = faulty("multirotor", "time in ms", 0)
    with pytest.raises(BadInput, match='unit = "ms"'):
        identify(log, "multirotor")


def test_a_faulty_flight_is_doubtful_with_the_cause_first_and_known_once_mended():
    _clean, log = faulty("multirotor", "quaternion inverse", 0)
    mass = identify(log, "multirotor").robots["r1"]["mass"]
    assert mass.status in ("doubtful", "failed")
    assert mass.trust.reasons[0].code == "quaternion-inverse"
    found = identify(log, "multirotor", mend=True)
    assert found.robots["r1"]["mass"].status == "known"
    assert any("inverse" in note for note in found.notes)


def test_single_wild_samples_are_outliers_and_steps_are_not():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((1000, 2))
    assert not outliers(TIME, values).any()
    values[500:] += 40.0
    assert not outliers(TIME, values).any()
    values[[100, 700]] += 60.0
    assert list(np.flatnonzero(outliers(TIME, values))) == [100, 700]


def test_a_wild_sample_of_a_command_that_stands_still_is_an_outlier():
    """Its neighbours say nothing of a sensor's noise, but a sample that was filled in on a sloped line says less."""
    steps = np.where(TIME < 5.0, 3.0, 6.0)[:, None] * np.ones((1, 2))
    assert not outliers(TIME, steps).any()
    steps[[200, 800], 1] += 40.0
    assert list(np.flatnonzero(outliers(TIME, steps))) == [200, 800]
    chance = np.random.default_rng(5)
    for quantum in (0.01, 0.02):  # flickers between two values, where nothing or little moves
        noisy = 10.0 + (quantum > 0.01) * 0.02 * np.sin(TIME) + 0.003 * chance.standard_normal(len(TIME))
        rounded = quantum * np.round(noisy / quantum)[:, None]
        assert not outliers(TIME, rounded).any()
        rounded[300] += 5.0
        assert list(np.flatnonzero(outliers(TIME, rounded))) == [300]
    slow = np.interp(TIME, TIME[::4], np.random.default_rng(4).standard_normal(250))[:, None]  # 25 Hz on 100 Hz
    assert not outliers(TIME, slow).any()


def test_zeros_for_missing_samples_are_blank_and_an_input_that_is_off_is_not():
    rng = np.random.default_rng(2)
    weight = [0.0, 0.0, 10.0] + 0.1 * rng.standard_normal((1000, 3))
    assert not blanks(weight).any()
    dropped = rng.random(1000) < 0.1
    dropped[[0, -1]] = False
    assert np.array_equal(blanks(np.where(dropped[:, None], 0.0, weight)), dropped)
    pulses = np.where(TIME[:, None] % 1.0 < 0.5, 5.0, 0.0) * np.ones(2) + 0.01 * (TIME[:, None] % 1.0 < 0.5)
    assert not blanks(pulses * (1.0 + 0.01 * rng.standard_normal((1000, 1)))).any()
    switched = np.where(TIME[:, None] % 0.5 < 0.42, [2.0, 1.0], 0.0)  # a command, off for 0.08 s at a time
    assert not blanks(switched, command=True).any()
    assert blanks(switched).any(), "of a sensor, even one that is slower than the rows, they are missing samples"
    swing = np.round(np.stack([np.sin(3.0 * TIME), np.sin(3.0 * TIME)], axis=1), 2)  # zero of itself, twice a turn
    assert np.any(np.all(swing == 0.0, axis=1))
    assert not blanks(swing).any()


def test_a_velocity_in_coarse_steps_is_said_and_fine_ones_are_not():
    """Of half a metre a second, which made a mass wrong by 7 deviations, and of a twentieth, which its noise blurs."""
    for strength, codes in (("strong", ["coarse"]), ("mild", [])):
        _, log = faulty("multirotor", "velocity quantised", 84000, strength)
        assert [one.code for one in preflight(log, "multirotor", Config()).findings] == codes


def test_a_limit_is_an_extreme_that_comes_again_and_again():
    values = np.random.default_rng(1).standard_normal((1000, 1))
    assert not limited(values).any()
    assert limited(np.clip(values, -1.5, None)).mean() == pytest.approx(np.mean(values < -1.5))


def test_a_stuck_span_begins_with_the_value_that_is_repeated():
    same = np.zeros(1000, bool)
    same[301:341] = True
    assert stuck_spans(TIME, same) == [(pytest.approx(3.0), pytest.approx(3.4))]


def test_a_repair_that_is_made_in_two_rounds_is_said_once_a_robot():
    from steelyard.problems.preflight._preflight import _NUMBERS

    said = [
        f"{share} % of the samples of {robot}/rates are outliers, far from both neighbours."
        for share, robot in ((0.0079, "r1"), (2e-05, "r1"), (0.1, "r2"))
    ]
    assert len({_NUMBERS.sub("", sentence) for sentence in said}) == 2


def test_numbers_beyond_any_reading_are_refused_where_something_reads_them():
    log = Log(TIME, {"r1/thrust": np.full(1000, 10.0), "r1/debug/x": np.full(1000, 3.4e38), "truth/mass": TIME * 1e35})
    check_sizes(log, "multirotor")
    with pytest.raises(BadInput, match="column r1/debug/x"):
        check_sizes(log, OWN)  # a robot of one's own may read any column
    with pytest.raises(BadInput, match="column r1/thrust"):
        check_sizes(Log(TIME, {"r1/thrust": np.full(1000, 1e38)}), "multirotor")


def test_rotors_at_rest_and_a_coarse_sensor_at_rest_are_not_stuck():
    """A flight with its time on the ground: rotors read zero there, and millimetres repeat."""
    time = 0.01 * np.arange(1000)
    rng = np.random.default_rng(3)
    flies = ((time > 2.0) & (time < 8.0))[:, None]
    rpm = np.where(flies, 16000.0 + 50.0 * rng.standard_normal((1000, 4)), 0.0)
    place = 1.0 - np.cos(np.outer(np.clip(time - 2.0, 0.0, 2.0 * np.pi), [1.0, 2.0, 3.0]))
    columns = {f"r1/rpm/{k + 1}": rpm[:, k] for k in range(4)}
    columns |= {f"r1/position/{a}": np.round(place[:, k], 3) for k, a in enumerate("xyz")}
    found = channel_findings(Log(time, columns, "test"))
    assert not [f for f in found if f.code in ("stuck", "held") or "rpm" in f.sentence]
    columns["r1/position/x"][400:450] = columns["r1/position/x"][400]
    columns["r1/position/y"][400:450] = columns["r1/position/y"][400]
    columns["r1/position/z"][400:450] = columns["r1/position/z"][400]
    assert "stuck" in [f.code for f in channel_findings(Log(time, columns, "test"))]


def test_a_channel_that_is_constant_throughout_is_no_finding():
    """A gyroscope that is not connected: whether the motion allows that is the question of another check."""
    time = 0.01 * np.arange(1000)
    columns = {f"r1/rates/{a}": np.full(1000, value) for a, value in zip("xyz", (0.0, 0.1, 0.0), strict=True)}
    assert channel_findings(Log(time, columns, "test")) == []
