"""A stream has the numbers of a replay, takes samples as they come, and loses nothing to a bad one."""

import functools
import math

import numpy as np
import pytest

import steelyard as sy
from steelyard._face._inputs import config_from
from steelyard._face._stream import FilterStream
from steelyard.problems import StreamFilter, stream_filter

NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
CONFIG = {"noise": NOISE}
SIGNALS = {"thrust": ("",), "attitude": "wxyz", "position": "xyz", "linear_velocity": "xyz", "rates": "xyz"}


@pytest.fixture(scope="module")
def flight() -> sy.Log:
    """A flight with jumps of the mass, a channel that falls silent, and one that comes at a tenth of the rate."""
    log = sy.simulate("multirotor", duration=5.0, seed=3)
    columns = {name: np.array(values) for name, values in log.columns.items()}
    for axis in "xyz":
        columns[f"r1/linear_velocity/{axis}"][250:300] = np.nan
        columns[f"r1/position/{axis}"][np.arange(len(log)) % 10 != 0] = np.nan
    return sy.Log(log.time, columns, "flight")


def rows(log: sy.Log) -> list[dict]:
    """As vectors, with the robot's name."""
    names = {f"r1/{name}": [f"r1/{name}/{a}".rstrip("/") for a in axes] for name, axes in SIGNALS.items()}
    return [
        {"time": float(log.time[k])}
        | {name: np.array([log.columns[column][k] for column in columns]) for name, columns in names.items()}
        for k in range(len(log))
    ]


@functools.cache
def compiled(method: str) -> StreamFilter:
    """A filter has no state of its own, so that one serves many streams; making one compiles its step."""
    return stream_filter("multirotor", config_from(CONFIG), method)


def fed(samples, method="ekf"):
    stream = FilterStream(compiled(method), None, late=0.5)
    return stream, [stream.step(sample) for sample in samples]


def numbers(estimates) -> dict:
    """All there are, known or doubtful: a stream looks at its last second, `identify` at the whole log."""
    pairs = {
        name: (one.value, one.std) if one.value is not None else (one.doubtful_value, one.doubtful_std)
        for name, one in estimates.items()
    }
    return {name: (float(value), float(std)) for name, (value, std) in pairs.items() if value is not None}


@pytest.mark.parametrize("method", ["adaptive", "ekf", "msckf"])
def test_the_numbers_are_those_of_a_replay(flight, method):
    found = sy.identify(flight, "multirotor", CONFIG, method)
    stream, steps = fed(rows(flight), method=method)
    assert steps[-1].status == "running"
    assert stream.notes == ()
    expected = numbers(found["r1"])  # a filter that expects no jump is doubted here
    assert {"mass", "drag"} <= expected.keys() == numbers(steps[-1].estimates).keys()
    for name, pair in numbers(steps[-1].estimates).items():
        np.testing.assert_allclose(pair, expected[name], rtol=1e-9)
    mass = found.series["r1"]["mass"].value
    for k, step in enumerate(steps):
        if step.status == "running" and step.estimates.mass.value is not None:
            np.testing.assert_allclose(step.estimates.mass.value, mass[k], rtol=1e-9)
    ours = {(e.kind, e.quantity, round(e.time, 6)) for step in steps for e in step.events}
    assert ours == {(e.kind, e.quantity, round(e.time, 6)) for e in found.events}


def test_a_filters_step_is_pure_and_a_stream_keeps_copies(flight):
    """Equal arguments give equal states, whatever was computed meanwhile; a caller may use its arrays again."""
    samples = rows(flight)[:140]
    stream, _ = fed(samples[:-1])
    before, new = stream._entries[-1], compiled("ekf").read("r1", *bare(samples[-1]))
    once = compiled("ekf").step(before.state, before.row, new)
    compiled("ekf").step(before.state, before.row, stream._entries[-2].row)
    again = compiled("ekf").step(before.state, before.row, new)
    np.testing.assert_array_equal(once.packed, again.packed)
    buffer = {name: np.array(value) for name, value in samples[0].items()}
    reused = FilterStream(compiled("ekf"), None, late=0.5)
    for sample in samples:
        for name, value in sample.items():
            buffer[name][...] = value
        last = reused.step(buffer)
    assert numbers(last.estimates) == numbers(fed(samples)[1][-1].estimates)


def bare(sample: dict) -> tuple[float, dict]:
    """Time and values, by signal."""
    return sample["time"], {name.removeprefix("r1/"): value for name, value in sample.items() if name != "time"}


def test_the_first_second_is_the_first_guess(flight):
    _, steps = fed(rows(flight)[:110])
    assert [step.status for step in steps[:101]] == ["starting"] * 101
    assert steps[50].estimates.mass.status == "not-yet-known"
    assert steps[50].estimates.mass.reason
    assert steps[101].status == "running"


def test_columns_vectors_and_names_without_robot_are_the_same(flight):
    samples = rows(flight)[:130]
    short = [{name.removeprefix("r1/"): value for name, value in sample.items()} for sample in samples]
    columns = [
        {"time": s["time"]}
        | {f"r1/{n}/{a}".rstrip("/"): float(s[f"r1/{n}"][i]) for n, axes in SIGNALS.items() for i, a in enumerate(axes)}
        for s in samples
    ]
    ends = [numbers(fed(each)[1][-1].estimates) for each in (samples, short, columns)]
    assert ends[0] == ends[1] == ends[2]


def test_none_nan_and_absent_are_missing(flight):
    samples = rows(flight)[:130]
    for spoil in (lambda s: s | {"r1/rates": None}, lambda s: {n: v for n, v in s.items() if n != "r1/rates"}):
        got = numbers(fed([*samples[:120], *map(spoil, samples[120:])])[1][-1].estimates)
        nan = [s | {"r1/rates": [math.nan] * 3} for s in samples[120:]]
        assert got == numbers(fed([*samples[:120], *nan])[1][-1].estimates)


def test_late_samples_are_taken_at_their_own_time(flight):
    samples = rows(flight)[:160]
    swapped = [*samples[:140], samples[145], *samples[140:145], *samples[146:]]
    stream, steps = fed(swapped)
    assert [step.status for step in steps[141:146]] == ["late"] * 5
    assert stream.counts == {"in order": 155, "late": 5}
    expected = numbers(fed(samples)[1][-1].estimates)
    for name, pair in numbers(steps[-1].estimates).items():
        np.testing.assert_allclose(pair, expected[name], rtol=1e-12)


def test_a_late_channel_fills_its_row_and_a_repeated_sample_is_ignored(flight):
    samples = rows(flight)[:160]
    without = {name: value for name, value in samples[150].items() if name != "r1/linear_velocity"}
    velocity = {name: samples[150][name] for name in ("time", "r1/linear_velocity")}
    stream, steps = fed([*samples[:150], without, *samples[151:155], velocity, velocity, samples[152], *samples[155:]])
    assert [step.status for step in steps[155:158]] == ["late", "repeated", "repeated"]
    assert stream.counts["repeated"] == 2
    assert numbers(steps[156].estimates) == numbers(steps[155].estimates) == numbers(steps[157].estimates)
    expected = numbers(fed(samples)[1][-1].estimates)
    for name, pair in numbers(steps[-1].estimates).items():
        np.testing.assert_allclose(pair, expected[name], rtol=1e-12)


BAD = {
    "no time": ({"thrust": 9.8}, "no time"),
    "time is text": ({"time": "now"}, "number of seconds"),
    "time is none": ({"time": None}, "number of seconds"),
    "time is not finite": ({"time": math.inf}, "finite"),
    "time goes backwards": ({"time": 0.2, "thrust": 9.8}, "backwards"),
    "wrong shape": ({"time": 1.5, "attitude": [1, 0, 0]}, "4 numbers"),
    "a matrix": ({"time": 1.5, "rates": np.eye(3)}, "3 numbers"),
    "text": ({"time": 1.5, "thrust": "much"}, "give numbers"),
    "infinite": ({"time": 1.5, "thrust": math.inf}, "infinite"),
    "no unit quaternion": ({"time": 1.5, "attitude": [1, 1, 0, 0]}, "no unit quaternion"),
    "time beyond all numbers": ({"time": 10**400}, "number of seconds"),
    "beyond all numbers": ({"time": 1.5, "thrust": 10**400}, "give numbers"),
    "a list of text": ({"time": 1.5, "rates": ["0", "0", "0"]}, "give numbers"),
    "a date": ({"time": 1.5, "thrust": np.datetime64("2026-11-18")}, "give numbers"),
    "no dictionary": (None, "dictionary of signals"),
    "a name that is a number": ({"time": 1.5, 3: 9.8}, "names of signals"),
    "another robot": ({"time": 1.5, "r2/thrust": 9.8}, "one robot"),
}


@pytest.mark.parametrize("spoilt", BAD)
def test_a_bad_sample_raises_one_sentence_and_changes_nothing(flight, spoilt):
    sample, sentence = BAD[spoilt]
    samples = rows(flight)[:130]
    stream, _ = fed(samples[:120])
    before = (stream.counts, stream.notes, stream.robot)
    with pytest.raises(sy.BadInput, match=sentence) as error:
        stream.step(sample)
    assert "\n" not in str(error.value)
    assert (stream.counts, stream.notes, stream.robot) == before
    last = [stream.step(sample) for sample in samples[120:]][-1]
    assert numbers(last.estimates) == numbers(fed(samples)[1][-1].estimates)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sy.stream("jets"), '"jets" cannot be streamed yet; "multirotor" and "rigid-body" can'),
        (lambda: sy.stream("multirotr"), 'Unknown problem "multirotr"; did you mean "multirotor"'),
        (lambda: sy.stream("rigid-body", method="ekf"), 'Unknown method "ekf" for rigid-body'),
        (lambda: sy.stream("multirotor", method="rls"), '"rls" does not stream'),
        (lambda: sy.stream("multirotor", late=-1.0), "late is -1.0"),
        (lambda: sy.stream("multirotor", {"team": {"robots": ["r1", "r2"]}}), "one robot"),
    ],
)
def test_a_stream_that_cannot_be_is_one_sentence(call, sentence):
    with pytest.raises(sy.BadInput, match=sentence):
        call()


def test_noise_by_default_and_names_that_are_not_read_are_noted(flight):
    stream = sy.stream("multirotor", method="ekf")
    for sample in rows(flight)[:5]:
        stream.step(sample | {"thrsut": 1.0, "truth/mass": 1.0})
    assert "position 0.01 m" in stream.notes[0]
    assert "thrust 3 % of its mean" in stream.notes[0]
    assert stream.notes[1:] == ('"thrsut" is not read; did you mean "thrust"?',)


def test_a_vehicle_on_the_ground_is_waited_for(flight):
    """Without thrust nothing can be learnt of the mass: the run begins with the first thrust."""
    samples = rows(flight)[:140]
    ground = [samples[0] | {"time": -3.0 + 0.1 * k, "r1/thrust": 0.0} for k in range(30)]
    _, steps = fed([*ground, *samples])
    assert steps[-1].status == "running"
    expected = numbers(fed(samples)[1][-1].estimates)
    for name, pair in numbers(steps[-1].estimates).items():
        np.testing.assert_allclose(pair, expected[name], rtol=1e-12)
