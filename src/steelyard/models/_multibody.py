"""Kinematics of a flying multibody robot from its URDF: what its thrusts and feet do to its centroidal momentum.

iDynTree computes; it is imported where it is used, so that nobody else needs it.
"""

import dataclasses
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from steelyard._rotations import cross
from steelyard.errors import BadInput
from steelyard.models._urdf import Urdf


@dataclasses.dataclass(frozen=True)
class ThrusterMount:
    """Where an engine sits, and which way it pushes."""

    frame: str
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """In the frame's axes; its length does not matter."""


@dataclasses.dataclass(frozen=True, eq=False)
class RobotMotion:
    """Configuration and velocity of a robot at one instant."""

    position: Float[np.ndarray, "3"]
    """Of the base, world, m."""
    R_wb: Float[np.ndarray, "3 3"]
    """Attitude of the base."""
    velocity: Float[np.ndarray, "3"]
    """Of the base, world axes, m/s."""
    rates: Float[np.ndarray, "3"]
    """Angular velocity of the base in its own axes, rad/s."""
    joint_position: Float[np.ndarray, " joint"]
    """rad, in the order of the URDF's moving joints."""
    joint_velocity: Float[np.ndarray, " joint"]
    """rad/s."""


@dataclasses.dataclass(frozen=True, eq=False)
class Kinematics:
    """What follows from a motion; world axes, about the centre of mass, (torque, force) and (angular, linear)."""

    com: Float[np.ndarray, "3"]
    """World, m."""
    thrust_matrix: Float[np.ndarray, "6 engine"]
    """Wrench of unit thrusts, A(q) of [ironcub, Eq. (3)]."""
    foot_matrix: Float[np.ndarray, "6 feet"]
    """From the wrenches at the soles, their own axes, one after the other."""
    momentum: Float[np.ndarray, "6"]
    """Centroidal [ironcub, Eq. (7)], kg m²/s and kg m/s."""
    soles: Float[np.ndarray, "foot 3"]
    """Where the soles are, world, m."""


class Multibody:
    """A robot from its URDF; one instance computes one motion at a time."""

    def __init__(self, urdf: Urdf, thrusters: Sequence[ThrusterMount], feet: Sequence[str] = ()):
        self.urdf, self.thrusters, self.feet = urdf, tuple(thrusters), tuple(feet)
        self._axes = [_unit(mount) for mount in thrusters]
        frames = [urdf.frame(mount.frame, "a thruster") for mount in thrusters]
        frames += [urdf.frame(name, "a foot") for name in feet]
        idyntree = _idyntree()
        loader = idyntree.ModelLoader()
        if not loader.loadModelFromString(urdf.text):
            raise BadInput(f"{urdf.origin} is no URDF that iDynTree can load; check it with a URDF viewer.")
        model = loader.model()
        self._computer = idyntree.KinDynComputations()
        self._computer.loadRobotModel(model)
        self._computer.setFrameVelocityRepresentation(idyntree.MIXED_REPRESENTATION)
        self._frames = [model.getFrameIndex(name) for name in frames]
        own = [model.getJointName(i) for i in range(model.getNrOfDOFs())]
        self._order = [urdf.joints.index(name) for name in own]
        self._matrix = idyntree.MatrixDynSize(6, 6 + len(own))
        self.mass = float(model.getTotalMass())
        if len(own) != len(urdf.joints) or abs(self.mass - urdf.mass) > 1e-6 * max(urdf.mass, 1e-9):
            raise BadInput(
                f"{urdf.origin}: iDynTree reads {len(own)} moving joints and {self.mass:g} kg from it, and the file "
                f"has {len(urdf.joints)} and {urdf.mass:g} kg; check it with a URDF viewer."
            )

    def __reduce__(self) -> tuple:
        return Multibody, (self.urdf, self.thrusters, self.feet)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order in which motions have them."""
        return self.urdf.joints

    def at(self, motion: RobotMotion) -> Kinematics:
        """All that a filter needs of one sample."""
        self._set(motion)
        com = self._computer.getCenterOfMassPosition().toNumPy()
        poses = [self._computer.getWorldTransform(f).asHomogeneousTransform().toNumPy() for f in self._frames]
        thrust = np.empty((6, len(self.thrusters)))
        for e, (pose, axis) in enumerate(zip(poses, self._axes, strict=False)):
            thrust[3:, e] = pose[:3, :3] @ axis
            thrust[:3, e] = cross(pose[:3, 3] - com, thrust[3:, e])
        feet = np.zeros((6, 6 * len(self.feet)))
        for k, pose in enumerate(poses[len(self.thrusters) :]):
            R_wf, arm = pose[:3, :3], pose[:3, 3] - com
            feet[:3, 6 * k : 6 * k + 3] = feet[3:, 6 * k + 3 : 6 * k + 6] = R_wf
            feet[:3, 6 * k + 3 : 6 * k + 6] = cross(arm, R_wf.T).T
        L = self._computer.getCentroidalTotalMomentum().toNumPy()
        soles = np.array([pose[:3, 3] for pose in poses[len(self.thrusters) :]]).reshape(-1, 3)
        return Kinematics(com, thrust, feet, np.concatenate([L[3:], L[:3]]), soles)

    def momentum_matrix(self, motion: RobotMotion) -> Float[np.ndarray, "6 velocity"]:
        """From base twist (angular, linear; world axes) and joint velocities to the momentum [ironcub, Eq. (7)]."""
        self._set(motion)
        self._computer.getCentroidalTotalMomentumJacobian(self._matrix)
        M = np.array(self._matrix.toNumPy())
        M = np.concatenate([M[3:], M[:3]])
        joints = np.empty((6, len(self._order)))
        joints[:, self._order] = M[:, 6:]
        return np.concatenate([M[:, 3:6], M[:, :3], joints], axis=1)

    def _set(self, motion: RobotMotion) -> None:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = motion.R_wb, motion.position
        twist = np.concatenate([motion.velocity, motion.R_wb @ motion.rates])
        joints, speeds = motion.joint_position[self._order], motion.joint_velocity[self._order]
        self._computer.setRobotState(pose, joints, twist, speeds, np.array([0.0, 0.0, -9.81]))


def _unit(mount: ThrusterMount) -> Float[np.ndarray, "3"]:
    axis = np.asarray(mount.direction, float)
    length = float(np.linalg.norm(axis))
    if not (length > 0 and np.isfinite(length)):
        raise BadInput(
            f'The direction of the thruster at "{mount.frame}" is {list(mount.direction)}, which points nowhere; '
            "give the direction in which it pushes, such as [0, 0, 1]."
        )
    return axis / length


def _idyntree() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its wrapper warns as it loads, and dies where warnings are errors
            import idyntree.bindings as idyntree
    except ImportError:
        raise BadInput(
            'iDynTree is not installed, and it reads the URDF: pip install "steelyard[multibody]".'
        ) from None
    return idyntree
