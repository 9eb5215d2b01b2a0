"""A load at a wrist, sample by sample: the numbers of `identify`, whatever the order of the samples."""

import numpy as np
import pytest

import steelyard as sy
from steelyard.worlds.wrist import WristScenario, simulate_wrist

SCENARIO = WristScenario(duration=6.0, com_x=0.05, force_offset=5.0, torque_offset=0.3, delay=0.005)


def samples_of(scenario: WristScenario, seed: int = 0) -> tuple[sy.Log, list[dict]]:
    columns = {name: value for name, value in simulate_wrist(scenario, seed).items() if not name.startswith("truth/")}
    time = columns.pop("time")
    signals = sorted({name.rpartition("/")[0] for name in columns})
    values = {name: np.stack([columns[f"{name}/{axis}"] for axis in "xyz"], axis=1) for name in signals}
    rows = [{"time": float(t)} | {name: values[name][k] for name in signals} for k, t in enumerate(time)]
    return sy.Log(time, columns, "stream"), rows


def configured(scenario: WristScenario) -> dict:
    return {"noise": {signal.replace("/", "_"): level for signal, level in scenario.noise.items()}}


@pytest.fixture(scope="module")
def moved():
    return samples_of(SCENARIO)


def test_a_replay_has_the_numbers_of_identify_and_the_last_answer_is_near(moved):
    log, samples = moved
    stream = sy.stream("rigid-body", configured(SCENARIO))
    steps = [stream.step(sample) for sample in samples]
    assert steps[50].status == "starting"
    assert steps[50].estimates.mass.status == "not-yet-known"
    assert [step.events for step in steps if step.events] == []
    expected = sy.identify(log, "rigid-body", configured(SCENARIO))["r1"]
    replayed = stream.identification()["r1"]
    last = steps[-1].estimates
    for quantity in ("mass", "com", "inertia"):
        np.testing.assert_array_equal(replayed[quantity].value, expected[quantity].value)
        np.testing.assert_array_equal(replayed[quantity].std, expected[quantity].std)
        apart = (last[quantity].value - expected[quantity].value) / expected[quantity].std
        assert np.abs(apart).max() < 0.3  # one step a second is all that the answer was given
        np.testing.assert_allclose(last[quantity].std, expected[quantity].std, rtol=0.1)


def test_missing_late_and_repeated_samples_are_put_where_they_belong(moved):
    _, samples = moved
    samples = samples[:301]
    stream = sy.stream("rigid-body", configured(SCENARIO))
    tidy = sy.stream("rigid-body", configured(SCENARIO))
    for sample in samples:
        tidy.step(sample)
    velocity = {name: samples[150][name] for name in ("time", "r1/twist/linear")}
    lacking = {name: value for name, value in samples[150].items() if name != "r1/twist/linear"}
    order = [*samples[:150], lacking, *samples[151:200], velocity, velocity, *samples[201:220], samples[200]]
    statuses = [stream.step(sample).status for sample in [*order, *samples[220:]]]
    assert (statuses.count("late"), statuses.count("repeated")) == (2, 1)
    assert stream.counts["late"] == 2
    mine, theirs = stream.identification()["r1"], tidy.identification()["r1"]
    np.testing.assert_array_equal(mine.mass.value, theirs.mass.value)


def test_a_push_and_a_pick_up_are_events_while_they_happen():
    pushed = WristScenario(duration=7.0, touch_force=3.0, touch_time=3.5, touch_length=0.8)
    stream = sy.stream("rigid-body", configured(pushed))
    events = [
        (step.time, event)
        for sample in samples_of(pushed)[1]
        for step in [stream.step(sample)]
        for event in step.events
    ]
    assert [event.kind for _, event in events] == ["contact"]
    assert abs(events[0][1].time - 3.5) < 0.4  # s: half of the push, whose beginning is gentle
    assert events[0][0] <= 3.5 + 0.4 + 1.0  # s: half of the push, and answers come once a second
    picked = WristScenario(duration=7.0, pick_mass=0.5, pick_time=3.6)
    stream = sy.stream("rigid-body", configured(picked))
    steps = [stream.step(sample) for sample in samples_of(picked)[1]]
    changes = [(step.time, event) for step in steps for event in step.events]
    # Until it has lasted for a second, another load is not told from something that touches this one.
    assert [(event.kind, event.quantity) for _, event in changes] == [("contact", "wrench"), ("change", "mass")]
    assert abs(changes[1][1].time - 3.6) < 0.1  # s: two knots of the fitted motion
    assert changes[1][0] <= 3.6 + 1.0 + 1.0  # s: it has lasted for one, and answers come once a second
    mass = steps[-1].estimates.mass
    assert abs(mass.value - 1.5) < 4.0 * mass.std  # by chance 6e-5


@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        ({"time": 0.1, "wrench/force": [0, 0, 1]}, "backwards"),
        ({"time": 1.9, "attitude": [1, 1, 0, 0]}, "no unit quaternion"),
        ({"time": 1.9, "wrench/force": [0, 1]}, "3 numbers"),
    ],
)
def test_a_bad_sample_raises_one_sentence_and_changes_nothing(moved, sample, sentence):
    stream = sy.stream("rigid-body", configured(SCENARIO))
    for row in moved[1][:180]:
        stream.step(row)
    before = stream.counts
    with pytest.raises(sy.BadInput, match=sentence):
        stream.step(sample)
    assert stream.counts == before


def test_a_channel_that_falls_silent_is_a_fault():
    samples = samples_of(WristScenario(duration=2.0))[1]
    stream = sy.stream("rigid-body", configured(SCENARIO))
    events = []
    for k, sample in enumerate(samples):
        silent = 80 < k < 120
        kept = {name: value for name, value in sample.items() if not (silent and "specific" in name)}
        events += stream.step(kept).events
    assert [(event.kind, event.quantity) for event in events] == [
        ("fault", "specific_force"),
        ("recovered", "specific_force"),
    ]
