"""Kinematics from a URDF, refereed by Pinocchio and MuJoCo; and what a URDF must have."""

from importlib.util import find_spec

import numpy as np
import pytest
from pinocchio_referee import pinocchio_says

from steelyard.errors import BadInput
from steelyard.models import Multibody, RobotMotion, ThrusterMount, read_urdf
from steelyard.worlds import FlyingBody, aerial_arm, humanoid


def multibody(robot):
    return Multibody(read_urdf(robot.urdf), robot.mounts, tuple(robot.feet.values()))


def some_motion(joints: int, seed: int) -> RobotMotion:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    R_wb = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    velocity, rates, position = rng.normal(size=(3, 3))
    return RobotMotion(position, R_wb, velocity, rates, 0.5 * rng.normal(size=joints), rng.normal(size=joints))


@pytest.mark.skipif(find_spec("pinocchio") is None, reason="pinocchio is not installed")
@pytest.mark.parametrize("robot", [humanoid(), aerial_arm()], ids=["humanoid", "aerial arm"])
def test_pinocchio_agrees(robot):
    ours = multibody(robot)
    motions = [some_motion(len(ours.joints), seed) for seed in (1, 2, 3)]
    frames = [*robot.engines, *robot.feet.values()]
    referee = pinocchio_says(robot.urdf, ours.joints, [tuple(vars(motion).values()) for motion in motions], frames)
    for motion, (momentum, com, places) in zip(motions, referee, strict=True):
        told = ours.at(motion)
        np.testing.assert_allclose(told.momentum, momentum, atol=1e-9)
        np.testing.assert_allclose(told.com, com, atol=1e-9)
        for e, mount in enumerate(robot.mounts):
            R_wf, place = places[e]
            axis = R_wf @ np.array(mount.direction) / np.linalg.norm(mount.direction)
            np.testing.assert_allclose(told.thrust_matrix[:, e], [*np.cross(place - com, axis), *axis], atol=1e-9)
        for f in range(len(robot.feet)):
            R_wf, place = places[len(robot.engines) + f]
            torque, force = R_wf @ [1.0, 2.0, 3.0], R_wf @ [4.0, 5.0, 6.0]
            got = told.foot_matrix[:, 6 * f : 6 * f + 6] @ np.arange(1.0, 7.0)
            np.testing.assert_allclose(got, [*torque + np.cross(place - com, force), *force], atol=1e-9)
        configuration_velocity = [*motion.R_wb @ motion.rates, *motion.velocity, *motion.joint_velocity]
        np.testing.assert_allclose(ours.momentum_matrix(motion) @ configuration_velocity, momentum, atol=1e-9)


def test_the_humanoid_has_the_published_figures():
    ours = multibody(humanoid())
    joints = np.array([humanoid().posture.get(name, 0.0) for name in ours.joints])
    flying = RobotMotion(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3), joints, np.zeros(23))
    told = ours.at(flying)
    assert len(ours.joints) == 23
    assert ours.mass == pytest.approx(43.3, abs=1e-6)
    np.testing.assert_allclose(ours.momentum_matrix(flying)[:3, :3], np.diag([3.12, 2.85, 0.68]), atol=2e-3)
    axis = np.array([[0.300, 0.197, 0.933], [0.300, -0.197, 0.933], [-0.174, 0, 0.985], [-0.174, 0, 0.985]])
    np.testing.assert_allclose(told.thrust_matrix[3:].T, axis, atol=1e-3)
    arm = np.array([[-0.201, -0.236, -0.140], [-0.201, 0.236, -0.140], [0.111, -0.170, 0.036], [0.111, 0.170, 0.036]])
    np.testing.assert_allclose(told.thrust_matrix[:3].T, np.cross(arm, axis), atol=1e-3)
    np.testing.assert_allclose(told.soles - told.com, [[0.004, -0.070, -0.571], [0.004, 0.070, -0.571]], atol=1e-3)
    sizes = np.linalg.svd(told.thrust_matrix, compute_uv=False)
    np.testing.assert_allclose(sizes, [1.92, 0.54, 0.43, 0.16], atol=6e-3)


def test_mujoco_moves_the_momentum_as_the_wrenches_say():
    """Free fall with thrusts: what the momentum gains in a short time is A(q) T and the weight."""
    robot = humanoid()
    ours = multibody(robot)
    body = FlyingBody(
        robot.urdf, robot.mounts, (), robot.posture, np.array([0, 0, 2.0]), np.array([1.0, 0, 0, 0]), False
    )
    thrust = np.array([80.0, 100.0, 110.0, 130.0])
    joints = dict(zip(body.joints, body.joint_position, strict=True))
    motion = RobotMotion(
        body.position,
        np.eye(3),
        body.velocity,
        body.rates,
        np.array([joints[name] for name in ours.joints]),
        np.zeros(23),
    )
    before = body.momentum
    wrench = ours.at(motion).thrust_matrix @ thrust - [0, 0, 0, 0, 0, 9.81 * ours.mass]
    body.move(thrust)
    np.testing.assert_allclose((body.momentum - before) / 2e-3, wrench, atol=0.05)  # of first order in the step


URDF = humanoid().urdf


@pytest.mark.parametrize(
    ("urdf", "words"),
    [
        ("<robot", "is not XML"),
        ("<robot name='x'/>", "describes no robot"),
        (URDF.replace('name="root"', 'name="world"').replace('link="root"', 'link="world"'), "has a fixed base"),
        (URDF.replace('<mass value="2.300000"/>', '<mass value="0"/>'), "has no mass"),
        (URDF.replace('<mass value="2.300000"/>', '<mass value="much"/>'), 'is "much"'),
        (URDF.replace('child link="l_foot"', 'child link="l_fot"'), '"l_fot" that is not there'),
        ("no_such_file.urdf", "does not exist"),
    ],
)
def test_a_bad_urdf_is_told_in_a_sentence(urdf, words):
    with pytest.raises(BadInput, match=words):
        read_urdf(urdf)


def test_a_frame_that_is_not_there_is_told_with_the_nearest_one():
    with pytest.raises(BadInput, match='no frame "l_arm_jett", which a thruster names; did you mean "l_arm_jet"'):
        Multibody(read_urdf(URDF), [ThrusterMount("l_arm_jett")])


def test_a_thruster_must_point_somewhere():
    with pytest.raises(BadInput, match="points nowhere"):
        Multibody(read_urdf(URDF), [ThrusterMount("l_arm_jet", (0.0, 0.0, 0.0))])
