"""Standard messages feed every problem: bags written by `rosbags`, identified as they are."""

from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.bench.disguises import flight, hold, signal
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.logs.mapping import prepare
from steelyard.logs.mapping._rotations import matrices

rosbag2 = pytest.importorskip("rosbags.rosbag2", reason="bags are written with rosbags")


class Bag:
    """A ROS 2 bag under construction."""

    def __init__(self, path: Path):
        from rosbags.typesys import Stores, get_typestore

        self.store = get_typestore(Stores.ROS2_JAZZY)
        self.writer = rosbag2.Writer(path, version=9, storage_plugin=rosbag2.StoragePlugin.MCAP)

    def make(self, kind: str, *parts):
        package, name = kind.split("/")
        return self.store.types[f"{package}/msg/{name}"](*parts)

    def xyz(self, values, kind: str = "geometry_msgs/Vector3"):
        return self.make(kind, *(float(one) for one in values))

    def wrench(self, force, torque):
        return self.make("geometry_msgs/Wrench", self.xyz(force), self.xyz(torque))

    def header(self, time: float, frame: str):
        stamp = self.make("builtin_interfaces/Time", int(time), int(1e9 * (time % 1.0)))
        return self.make("std_msgs/Header", stamp, frame)

    def write(self, topic: str, kind: str, messages) -> None:
        """Messages with their times, s."""
        full = kind.replace("/", "/msg/")
        connection = self.writer.add_connection(topic, full, typestore=self.store)
        for time, message in messages:
            self.writer.write(connection, int(1e9 * time), self.store.serialize_cdr(message, full))


def test_an_imu_and_a_wrench_three_milliseconds_apart_weigh_a_load(tmp_path: Path):
    """No sample is lost: each keeps its stamp, and the wrench of a load is not compensated."""
    columns = hold(1)
    time, nine = 1_700_000_000.0 + columns["time"], np.zeros(9)
    force, torque = signal(columns, "wrench/force"), signal(columns, "wrench/torque")
    between = [np.stack([np.interp(time + 0.003, time, v) for v in one.T], 1) for one in (force, torque)]
    bag, none = Bag(tmp_path / "wrist"), np.r_[-1.0, np.zeros(8)]
    with bag.writer:
        q = bag.make("geometry_msgs/Quaternion", 0.0, 0.0, 0.0, 1.0)
        rates, acc = signal(columns, "twist/angular"), signal(columns, "specific_force")
        bag.write("/imu", "sensor_msgs/Imu", (
            (t, bag.make("sensor_msgs/Imu", bag.header(t, "imu"), q, none, bag.xyz(w), nine, bag.xyz(a), nine))
            for t, w, a in zip(time, rates, acc, strict=True)
        ))  # fmt: skip
        bag.write("/wrench", "geometry_msgs/WrenchStamped", (
            (t, bag.make("geometry_msgs/WrenchStamped", bag.header(t, "ft"), bag.wrench(f, m)))
            for t, f, m in zip(time[:-1] + 0.003, between[0][:-1], between[1][:-1], strict=True)
        ))  # fmt: skip
    log = sy.read(tmp_path / "wrist")
    assert np.isfinite(log.columns["r1/specific_force/x"]).sum() == len(time)
    assert np.isfinite(log.columns["r1/wrench/force/x"]).sum() == len(time) - 1
    found = sy.identify(log)
    mass = found["r1"].mass
    assert found.problem == "rigid-body"
    assert mass.status == "known"
    assert abs(mass.value - columns["truth/mass"][0]) < 3.5 * mass.std


def test_an_odometry_and_a_thrust_weigh_a_multirotor(tmp_path: Path):
    """Its twist is in the child frame."""
    columns = flight(2)
    time, many = 50.0 + columns["time"], np.zeros(36)
    q, p, v = (signal(columns, name) for name in ("attitude", "position", "linear_velocity"))
    body = np.einsum("nji,nj->ni", matrices(q), v)
    bag = Bag(tmp_path / "flight")

    def message(t, q, p, v, w):
        at = bag.make("geometry_msgs/Quaternion", *(float(one) for one in q[[1, 2, 3, 0]]))
        pose = bag.make("geometry_msgs/Pose", bag.xyz(p, "geometry_msgs/Point"), at)
        twist = bag.make("geometry_msgs/Twist", bag.xyz(v), bag.xyz(w))
        pose = bag.make("geometry_msgs/PoseWithCovariance", pose, many)
        twist = bag.make("geometry_msgs/TwistWithCovariance", twist, many)
        return bag.make("nav_msgs/Odometry", bag.header(t, "odom"), "base_link", pose, twist)

    with bag.writer:
        rows = zip(time, q, p, body, signal(columns, "rates"), strict=True)
        bag.write("/odom", "nav_msgs/Odometry", ((t, message(t, *rest)) for t, *rest in rows))
        rows = zip(time, signal(columns, "thrust")[:, 0], strict=True)
        bag.write("/thrust", "std_msgs/Float64", ((t, bag.make("std_msgs/Float64", float(f))) for t, f in rows))
    log = sy.read(tmp_path / "flight")
    np.testing.assert_allclose(log.signal("r1", "linear_velocity")[: len(v)], v, atol=1e-9)
    prepared = prepare(log, None, Config())
    assert prepared.problem == "multirotor"
    assert len(prepared.log) == len(time)
    assert {"thrust", "attitude", "rates", "position", "linear_velocity"} <= set(prepared.log.signals("r1"))


def test_joint_states_are_an_arms_and_the_sentence_says_that_nothing_answers_it(tmp_path: Path):
    bag, time = Bag(tmp_path / "arm"), np.arange(0.0, 5.0, 0.01)
    with bag.writer:

        def state(t):
            numbers = np.sin([t, 2 * t]), np.cos([t, 2 * t]), np.sin([3 * t, t])
            return bag.make("sensor_msgs/JointState", bag.header(t, ""), ["shoulder", "elbow"], *numbers)

        bag.write("/joint_states", "sensor_msgs/JointState", ((t, state(t)) for t in time))
    with pytest.raises(BadInput, match=r'"arm" reads \(/joint_states: position, effort\).*no method'):
        sy.identify(tmp_path / "arm")


@pytest.mark.parametrize("problem", ["planar-load", "spatial-load"])
def test_absurd_clocks_are_one_sentence(problem: str):
    time = np.arange(400) / 100
    with pytest.raises(BadInput, match="faster than any robot"):
        prepare(Log(1e-9 * np.arange(400), {"r1/velocity/x": time}), problem, Config())
    with pytest.raises(BadInput, match=r"one gap lasts 1e\+06 s"):
        prepare(Log(time + 1e6 * (time > 2), {"r1/velocity/x": time}), problem, Config())
