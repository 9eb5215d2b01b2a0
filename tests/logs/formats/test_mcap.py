"""MCAP with ROS 2 messages holds what CSV holds, and survives a process that was killed."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from steelyard import logs, worlds
from steelyard.errors import BadInput


def a_log(columns: dict) -> logs.Log:
    time = columns.pop("time")
    return logs.Log(time, columns, "made up")


PLANAR = worlds.simulate_planar(worlds.PlanarScenario(robots=2, duration=0.3), 1)
SPATIAL = worlds.simulate_spatial(worlds.SpatialScenario(robots=2, duration=0.3), 1)


@pytest.mark.parametrize("columns", [PLANAR, SPATIAL], ids=["planar", "spatial"])
def test_what_is_written_comes_back(tmp_path: Path, columns: dict):
    log = a_log(dict(columns))
    logs.write(log, tmp_path / "log.mcap")
    back = logs.read(tmp_path / "log.mcap")
    assert set(back.columns) == set(log.columns)
    np.testing.assert_allclose(back.time, log.time, atol=1e-9)
    for name, values in log.columns.items():
        np.testing.assert_array_equal(back.columns[name], values)


def test_missing_samples_stay_missing(tmp_path: Path):
    log = logs.Log(np.array([0.0, 1.0, 2.0]), {"r1/thrust": np.array([1.0, np.nan, 3.0])}, "made up")
    logs.write(log, tmp_path / "log.mcap")
    assert len(logs.read(tmp_path / "log.mcap")) == 2


def test_the_usual_reader_reads_it(tmp_path: Path):
    from rosbags.highlevel import AnyReader

    bag = logs.Bag(tmp_path / "bag")
    bag.signals(1.5, "r1", {"wrench/torque/x": 1.0, "wrench/force/z": 2.0})
    bag.close()
    with AnyReader([tmp_path / "bag"]) as reader:
        (connection, time, data) = next(reader.messages())
        message = reader.deserialize(data, connection.msgtype)
    assert (connection.topic, connection.msgtype) == ("/r1/wrench", "geometry_msgs/msg/WrenchStamped")
    assert (time, message.wrench.torque.x, message.wrench.force.z) == (1_500_000_000, 1.0, 2.0)


def test_a_bag_that_was_never_closed_is_whole_up_to_its_last_flush(tmp_path: Path):
    bag = logs.Bag(tmp_path / "r1")
    for k in range(30):
        bag.signals(0.01 * k, "r1", {"velocity/x": float(k), "velocity/y": 0.0})
        if k == 19:
            bag.flush()
    file = tmp_path / "r1" / "r1.mcap"
    bag._writer.storage.abort()  # closes the file and writes no more, as the end of a process does
    with file.open("ab") as half:
        half.write(b"\x06\xff\xff")
    back = logs.read(file)
    assert back.columns["r1/velocity/x"].tolist() == [float(k) for k in range(20)]
    assert len(logs.read(tmp_path)) == 20, "a folder of bags is read like a file"


def test_files_that_are_no_mcap_are_told(tmp_path: Path):
    (tmp_path / "a.mcap").write_bytes(b"hello")
    with pytest.raises(BadInput, match="no readable MCAP"):
        logs.read(tmp_path / "a.mcap")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"without \.mcap files"):
        logs.read(tmp_path / "empty")


def test_a_damaged_name_of_a_number_is_no_column():
    """Found by fuzzing: a definition whose field is called `data` and nothing more than a bracket."""
    from steelyard.logs.formats._mcap_signals import _name

    kind = "std_msgs/msg/Float64MultiArray"
    assert _name(kind, "r1/rpm", "data[2]") == "r1/rpm/3"
    assert _name(kind, "r1/rpm", "data[") is None
    assert _name(kind, "r1/rpm", "datal.x") is None
