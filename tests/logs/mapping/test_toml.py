"""A mapping that was written is read back the same, and mistakes in one are a sentence each."""

import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.logs import Recording, Stream
from steelyard.logs.mapping import SignalMapping, SignalSource, TimeSource, read_mapping, table_of, to_toml


def recording() -> Recording:
    t = np.arange(0, 5, 0.01)
    wrench = Stream("wrench", "wrench.csv", "csv", t, "column t", {name: np.sin(t + k) for k, name in enumerate("abc")})
    imu = Stream("imu", "imu.csv", "csv", 1e6 * t + 3000.0, "column t", {"#1": np.cos(t), "#2": t, "#3": -t})
    return Recording(("wrench.csv", "imu.csv"), "table", (wrench, imu))


def mapping() -> SignalMapping:
    force = SignalSource(
        "r1/wrench/force", ("wrench:a", "wrench:b", "wrench:c"), "N", "Stated.", axes=("-x", "-y", "-z")
    )
    acc = SignalSource("r1/specific_force", ("imu:#1", "imu:#2", "imu:#3"), "g", "Stated.", delay=0.008)
    return SignalMapping({one.signal: one for one in (force, acc)}, {"imu": TimeSource("imu", "us", "Stated.")})


def test_a_mapping_comes_back_as_it_was_written(tmp_path):
    path = tmp_path / "map.toml"
    path.write_text(to_toml(mapping()), encoding="utf-8")
    again = read_mapping(path, recording(), SignalMapping({}, {}))
    for signal, one in mapping().signals.items():
        other = again.signals[signal]
        assert (one.source, one.unit, one.axes, one.delay) == (other.source, other.unit, other.axes, other.delay)
    assert again.times["imu"].unit == "us"
    first, second = (table_of(recording(), one) for one in (mapping(), again))
    np.testing.assert_array_equal(first.time, second.time)
    for name in first.columns:
        np.testing.assert_array_equal(first.columns[name], second.columns[name])


def test_samples_keep_their_own_times_and_nothing_is_invented():
    log = table_of(recording(), mapping())
    force, acc = log.columns["r1/wrench/force/x"], log.columns["r1/specific_force/x"]
    assert np.isfinite(force).sum() == 500
    assert np.isfinite(acc).sum() == 500
    np.testing.assert_allclose(force[np.isfinite(force)], -np.sin(np.arange(0, 5, 0.01)))
    times = log.time[np.isfinite(acc)]
    np.testing.assert_allclose(times, np.arange(0, 5, 0.01) + 0.003 - 0.008, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["r1/wrench/force"]\nsource = ["wrench:d"]', ('no field "d"',)),
        ('["r1/wrench/force"]\nsource = ["wrnch:a"]', ('"wrnch"', "wrench")),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\nunit = "furlong"', ("furlong",)),
        ('["r1/wrench/force"]\nsorce = ["wrench:a"]', ('"sorce"', "source")),
        ('["r1/wrensh/force"]\nsource = ["wrench:a"]', ("no signal of ours",)),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\naxes = ["x", "x", "z"]', ("twice",)),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\nframe = "FRU"', ('"FRU"',)),
        ('["imu"]\ntime = {offset = "abc"}', ("offset", "number of seconds")),
        ('["imu"]\ntime = {unit = 5}', ("unit", "in quotes")),
        ('["imu"]\ntime = {rate = inf}', ("rate", "Hz")),
        ('["r1/wrench/force"]\nsource = ["wrench:a", "wrench:b"]', ("2 fields", "needs 3")),
        ('["r1/attitude"]\nsource = ["wrench:a", "wrench:b", "wrench:c"]', ("3 fields", "needs 4")),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\ndelay = "x"', ("delay", "number of seconds")),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\ndelay = nan', ("delay", "number of seconds")),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\naxes = 5', ("axes", "three axes")),
        ('["r1/wrench/force"]\nsource = ["wrench:a"]\nrotation = [[1, 2], [3, 4]]', ("rotation", "three rows")),
        ('["r1/attitude"]\nsource = ["wrench:a"]\norder = 5', ("order", "wxyz")),
        ('["imu"]\ntime = {unit = "us", rat = 3}', ('"rat"',)),
        ("[", ("no TOML",)),
        ("", ("maps no signal",)),
    ],
)
def test_mistakes_are_one_sentence(text: str, words: tuple[str, ...], tmp_path):
    path = tmp_path / "map.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_mapping(path, recording(), SignalMapping({}, {}))
    for word in words:
        assert word in str(caught.value)
