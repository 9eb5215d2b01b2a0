"""Every format's own library, or a writer of ours, wrote it; what is read is what was written."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from log_files import (
    numbers,
    write_crazyflie,
    write_dataflash,
    write_long_mcap,
    write_long_ulog,
    write_ros1,
    write_ros2,
    write_ulog,
)

from steelyard.logs import Limits, Log, read_recording, write

ROWS = 120


def values(rows: int, columns: int) -> np.ndarray:
    return numbers(rows, columns)


@pytest.fixture(params=["mcap", "sqlite", "ros1", "ros1-bz2", "ros1-lz4"])
def bag(request, tmp_path: Path) -> Path:
    kind = request.param
    if kind.startswith("ros1"):
        return write_ros1(tmp_path / "run.bag", ROWS, kind.partition("-")[2] or "none")
    return write_ros2(tmp_path / "run", ROWS, kind)


def test_a_bag_gives_every_topic_by_its_definition_in_the_file(bag: Path):
    found, x = read_recording(bag), values(ROWS, 20)
    assert found.system == ("ros1" if bag.suffix == ".bag" else "ros2")
    assert {stream.name for stream in found.streams} == {"/imu", "/joint_states", "/own", "/odom", "/mass"}
    imu = found["/imu"]
    assert (imu.kind, imu.clock, imu.rows) == ("sensor_msgs/msg/Imu", "header", ROWS)
    np.testing.assert_allclose(imu.time, 1_700_000_000 + np.arange(ROWS) / 100, atol=1e-6)
    np.testing.assert_array_equal(imu.fields["angular_velocity.y"], x[:, 1])
    np.testing.assert_array_equal(imu.fields["linear_acceleration.z"], x[:, 5])
    joints = found["/joint_states"]
    np.testing.assert_array_equal(joints.fields["joint.elbow.position"], x[:, 7])
    np.testing.assert_array_equal(joints.fields["joint.shoulder.effort"], x[:, 10])
    odometry = found["/odom"]
    np.testing.assert_array_equal(odometry.fields["pose.pose.position.x"], x[:, 0])
    np.testing.assert_array_equal(odometry.fields["twist.twist.linear.x"], x[:, 3])
    assert found.texts["child_frame_id /odom"] == "base_link"
    mass = found["/mass"]
    assert mass.clock == "received"
    np.testing.assert_allclose(mass.time, 1_700_000_000.5 + np.arange(ROWS) / 100, atol=1e-6)
    np.testing.assert_array_equal(mass.fields["data"], x[:, 0])


def test_a_type_that_nobody_knows_is_read_by_its_definition(bag: Path):
    own, x = read_recording(bag)["/own"], values(ROWS, 20)
    np.testing.assert_array_equal(own.fields["mass"], x[:, 12])
    np.testing.assert_array_equal(own.fields["inner.b"], x[:, 13])
    np.testing.assert_array_equal(own.fields["pair[0].b"], x[:, 14])
    np.testing.assert_array_equal(own.fields["inner.a"], np.arange(ROWS) % 100)
    np.testing.assert_array_equal(own.fields["several[1]"], x[:, 16].astype(np.float32))
    third = own.fields["several[2]"]  # in every second message only
    assert np.isnan(third[::2]).all()
    np.testing.assert_array_equal(third[1::2], x[1::2, 17].astype(np.float32))


def test_the_referee_reads_the_same_numbers(tmp_path: Path):
    """`rosbags` decodes message by message; the arrays are the same."""
    from rosbags.highlevel import AnyReader

    file = write_ros2(tmp_path / "run", ROWS)
    found = read_recording(file)
    with AnyReader([file.parent]) as reader:
        odometry = [
            reader.deserialize(data, one.msgtype).twist.twist.angular.z
            for one, _, data in reader.messages()
            if one.topic == "/odom"
        ]
    np.testing.assert_array_equal(found["/odom"].fields["twist.twist.angular.z"], odometry)


def test_the_files_of_a_folder_are_one_recording(tmp_path: Path):
    for name in ("a", "b"):
        write_ros2(tmp_path / "bags" / name, 30)
    (imu,) = [stream for stream in read_recording(tmp_path / "bags").streams if stream.name == "/imu"]
    assert imu.rows == 60
    assert len(imu.fields["angular_velocity.x"]) == len(imu.time) == 60


def test_several_files_are_one_recording_with_names_that_differ(tmp_path: Path):
    first, second = (write_ros2(tmp_path / name, 30) for name in ("a", "b"))
    found = read_recording(first, second)
    assert found.files == (str(first), str(second))
    names = [stream.name for stream in found.streams]
    assert len(set(names)) == len(names) == 10
    assert "a.mcap:/imu" in names


def test_a_large_bag_is_decoded_when_it_is_asked_for(tmp_path: Path):
    """The same numbers, whether topics are decoded at once or one by one in little memory."""
    for compression in ("", "zstd", "lz4"):
        file = write_long_mcap(tmp_path / f"long{compression}.mcap", 40, topics=6, rate=50, compression=compression)
        whole, lean = read_recording(file), read_recording(file, limits=Limits(memory=200_000))
        for ours, other in zip(whole.streams, lean.streams, strict=True):
            assert (ours.name, ours.clock, ours.rows) == (other.name, other.clock, other.rows)
            np.testing.assert_array_equal(ours.time, other.time)
            np.testing.assert_allclose(other.fields["vector.y"], 1 + np.sin(ours.time), atol=1e-9)


def test_a_ulog_gives_topics_instances_and_parameters(tmp_path: Path):
    found, x = read_recording(write_ulog(tmp_path / "log.ulg", ROWS)), values(ROWS, 8).astype(np.float32)
    assert found.system == "px4"
    assert found.parameters == {"MPC_THR_HOVER": 0.5}
    assert found.texts == {"sys_name": "PX4"}
    assert found.notes == ("1 dropouts, 0.25 s together, in which nothing was logged",)
    assert [stream.name for stream in found.streams] == ["battery_status", "battery_status#1", "cells"]
    second, cells = found["battery_status#1"], found["cells"]
    assert (second.kind, second.clock) == ("battery_status", "boot")
    np.testing.assert_allclose(second.time, 2 + 0.004 * np.arange(ROWS))
    np.testing.assert_array_equal(second.fields["voltage_v"], x[:, 1])
    assert list(cells.fields) == ["cell[0].u", "cell[0].k", "cell[1].u", "cell[1].k", "q[0]", "q[1]", "q[2]"]
    np.testing.assert_array_equal(cells.fields["q[2]"], x[::5, 6])


def test_damage_in_a_ulog_is_passed_over_and_noted(tmp_path: Path):
    found = read_recording(write_ulog(tmp_path / "log.ulg", ROWS, damage=b"\xde\xad\xbe" * 30))
    assert found["battery_status"].rows == ROWS
    assert any("90 bytes" in note for note in found.notes)


@pytest.mark.parametrize("rows", [ROWS, 6000])
def test_a_ulog_is_what_pyulog_reads(tmp_path: Path, rows: int):
    pyulog = pytest.importorskip("pyulog")
    file = write_ulog(tmp_path / "log.ulg", rows)
    found = read_recording(file)
    for data in pyulog.ULog(str(file)).data_list:
        stream = found[data.name if data.multi_id == 0 else f"{data.name}#{data.multi_id}"]
        np.testing.assert_allclose(stream.time, data.data["timestamp"] * 1e-6)
        for name, column in stream.fields.items():
            np.testing.assert_array_equal(column, data.data[name])


def test_a_long_ulog_is_decoded_in_little_memory(tmp_path: Path):
    file = write_long_ulog(tmp_path / "long.ulg", 100, topics=5, rate=50)
    found = read_recording(file, limits=Limits(memory=1_500_000))
    for stream in found.streams:
        assert stream.rows == 5000
        np.testing.assert_allclose(stream.fields["xyz[1]"], 1 + np.sin(stream.time), atol=1e-6)


def test_a_dataflash_log_gives_instances_units_and_parameters(tmp_path: Path):
    found, x = read_recording(write_dataflash(tmp_path / "log.bin", ROWS)), values(ROWS, 14)
    assert found.system == "ardupilot"
    assert [stream.name for stream in found.streams] == ["ATT", "IMU", "IMU#1"]
    assert found.parameters == {"MOT_THST_HOVER": pytest.approx(0.35)}
    assert found.texts == {"MSG 0": "ArduCopter V4.5.1"}
    imu, attitude = found["IMU#1"], found["ATT"]
    assert imu.units == {
        **dict.fromkeys(("GyrX", "GyrY", "GyrZ"), "rad/s"),
        **dict.fromkeys(("AccX", "AccY", "AccZ"), "m/s/s"),
    }
    np.testing.assert_allclose(imu.time, 5.000003 + 0.01 * np.arange(ROWS))
    np.testing.assert_array_equal(imu.fields["AccY"], x[:, 10].astype(np.float32))
    np.testing.assert_allclose(attitude.fields["Pitch"], np.trunc(100 * x[:, 13]) / 100)


def test_a_dataflash_log_is_what_pymavlink_reads(tmp_path: Path):
    reader = pytest.importorskip("pymavlink.DFReader")
    file = write_dataflash(tmp_path / "log.bin", ROWS)
    found = read_recording(file)
    log = reader.DFReader_binary(str(file))
    rows: dict[str, list] = {"ATT": [], "IMU": [], "IMU#1": []}
    while (message := log.recv_msg()) is not None:
        kind = message.get_type()
        if kind in ("ATT", "IMU"):
            rows[f"IMU#{message.I}" if kind == "IMU" and message.I else kind].append(message.to_dict())
    log.filehandle.close()
    for name, several in rows.items():
        for field, column in found[name].fields.items():
            np.testing.assert_allclose(column, [one[field] for one in several], rtol=1e-6)


def test_damage_in_a_dataflash_log_is_passed_over_and_noted(tmp_path: Path):
    found = read_recording(write_dataflash(tmp_path / "log.bin", ROWS, damage=b"\xa3\x95\x01" * 30))
    assert found["IMU"].rows == found["ATT"].rows == ROWS
    assert found.notes == ("90 bytes are damaged or cut off and were left out",)


def test_a_dataflash_log_as_text(tmp_path: Path):
    lines = ["FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns", "FMT, 129, 31, PARM, QNf, TimeUS,Name,Value"]
    lines += ["FMT, 130, 30, IMU, QBfff, TimeUS,I,AccX,AccY,AccZ", "PARM, 10, MOT_PWM_MIN, 1000.0"]
    lines += [f"IMU, {1_000_000 + 10_000 * k}, {k % 2}, {k}.5, 0, -9.81" for k in range(20)]
    (tmp_path / "1.log").write_text("\n".join(lines))
    found = read_recording(tmp_path / "1.log")
    assert found.parameters == {"MOT_PWM_MIN": 1000.0}
    assert [stream.name for stream in found.streams] == ["IMU", "IMU#1"]
    np.testing.assert_allclose(found["IMU#1"].time, 1.01 + 0.02 * np.arange(10))
    np.testing.assert_array_equal(found["IMU#1"].fields["AccX"], 1.5 + 2 * np.arange(10))


@pytest.mark.parametrize("version", [1, 2])
def test_both_versions_of_crazyflie_logs(tmp_path: Path, version: int):
    time = 10 + np.arange(ROWS) / 100
    columns = {"acc.x": ("f", np.sin(time)), "motor.m1": ("H", np.arange(ROWS))}
    found = read_recording(write_crazyflie(tmp_path / "log00", columns, time, version))
    (stream,) = found.streams
    assert (found.system, stream.name, stream.clock) == ("crazyflie", "fixedFrequency", "boot")
    np.testing.assert_allclose(stream.time, time, atol=1e-9)
    np.testing.assert_array_equal(stream.fields["acc.x"], np.sin(time).astype(np.float32))
    np.testing.assert_array_equal(stream.fields["motor.m1"], np.arange(ROWS))


def test_a_crazyflie_log_without_its_end_is_read_and_noted(tmp_path: Path):
    time = np.arange(ROWS) / 100
    file = write_crazyflie(tmp_path / "log00", {"acc.x": ("f", time)}, time)
    file.write_bytes(file.read_bytes()[:-9])
    found = read_recording(file)
    assert found.streams[0].rows == ROWS - 1
    assert "checksum" in found.notes[0]


def test_parquet_with_any_columns(tmp_path: Path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    time = np.arange(50)
    table = pa.table(
        {
            "timestamp": pa.array(time * 10_000, pa.timestamp("us")),
            "acc_x [g]": time * 0.5,
            "armed": time > 20,
            "mode": ["STAB"] * 50,
            "pose": [{"x": float(k), "q": {"w": 1.0}} for k in time],
        }
    )
    pq.write_table(table, tmp_path / "run.parquet")
    (stream,) = read_recording(tmp_path / "run.parquet").streams
    assert (stream.name, stream.kind, stream.clock) == ("run", "parquet", "column timestamp")
    np.testing.assert_allclose(stream.time, time / 100)
    assert list(stream.fields) == ["acc_x", "armed", "pose.x", "pose.q.w"]
    assert stream.units == {"acc_x": "g"}
    np.testing.assert_array_equal(stream.fields["pose.x"], time)
    assert any("mode" in note for note in stream.notes)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".mcap"])
def test_our_own_logs_are_known_as_such(tmp_path: Path, ending: str):
    time = np.arange(20) / 10
    log = Log(time, {"r1/velocity/x": np.sin(time), "r1/velocity/y": np.cos(time), "r1/thrust": time}, "made")
    write(log, tmp_path / f"log{ending}")
    found = read_recording(tmp_path / f"log{ending}")
    assert found.system == "steelyard"
    for stream in found.streams:
        np.testing.assert_allclose(stream.time, time, atol=1e-9)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_files_of_every_format(tmp_path: Path, kind: str):
    time = np.arange(30) / 10
    log = Log(time, {"r1/thrust": time}, "made")
    files = [
        write_ulog(tmp_path / "a.ulg", 20),
        write_dataflash(tmp_path / "a.bin", 20),
        write_ros1(tmp_path / "a.bag", 20),
    ]
    files += [write_ros2(tmp_path / "m", 20), write_ros2(tmp_path / "s", 20, "sqlite")]
    for ending in (".csv", ".parquet"):
        files.append(tmp_path / f"log{ending}")
        write(log, files[-1])
    for file in files:
        plain = file.read_bytes()
        packed = tmp_path / f"{file.name}.{kind}"
        packed.write_bytes(gzip.compress(plain) if kind == "gz" else _zstd(plain))
        ours, theirs = read_recording(packed), read_recording(file)
        assert [stream.name for stream in ours.streams] == [stream.name for stream in theirs.streams]
        for one, other in zip(ours.streams, theirs.streams, strict=True):
            np.testing.assert_array_equal(one.time, other.time)


def _zstd(data: bytes) -> bytes:
    from backports import zstd

    return zstd.compress(data)
