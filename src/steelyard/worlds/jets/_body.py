"""A flying multibody robot as MuJoCo moves it: its URDF on a free base, thrusts at sites, soles on a floor."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from steelyard.models import ThrusterMount
from steelyard.worlds.jets._tuning import WORLD
from steelyard.worlds.planar._body import load_mujoco


class FlyingBody:
    """A robot whose joints are held by servos; it starts at rest."""

    def __init__(
        self,
        urdf: str,
        thrusters: Sequence[ThrusterMount],
        feet: Sequence[str],
        posture: Mapping[str, float],
        position: Float[np.ndarray, "3"],
        attitude: Float[np.ndarray, "4"],
        floor: bool = True,
    ):
        mujoco = self._mujoco = load_mujoco()
        spec = mujoco.MjSpec.from_string(urdf)
        spec.compiler.fusestatic = False
        spec.option.timestep = WORLD.substep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        base = spec.worldbody.first_body()
        base.add_freejoint(name="free")
        if floor:
            spec.worldbody.add_geom(
                name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[50, 50, 1], friction=[1.0, 0.01, 0.001]
            )
        self.joints = tuple(joint.name for joint in spec.joints if joint.name != "free")
        for joint in spec.joints:
            if joint.name != "free":
                joint.armature = WORLD.joint_armature
                servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
                servo.set_to_position(kp=WORLD.joint_stiffness, kv=WORLD.joint_damping)
        for k, mount in enumerate(thrusters):
            spec.body(mount.frame).add_site(name=f"thrust/{k}")
            axis = np.asarray(mount.direction, float)
            motor = spec.add_actuator(name=f"thrust/{k}", target=f"thrust/{k}", trntype=mujoco.mjtTrn.mjTRN_SITE)
            motor.gear = [*(axis / np.linalg.norm(axis)), 0, 0, 0]
        for name in feet:
            spec.body(name).add_site(name=f"sole/{name}")
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._soles = [self._model.site(f"sole/{name}").id for name in feet]
        parents = [self._model.site_bodyid[sole] for sole in self._soles]
        self._feet = [self._model.body_parentid[parent] for parent in parents]  # the frame is fixed to the foot
        self._servo = {name: self._model.actuator(name).id for name in self.joints}
        self._mass = float(self._model.body_mass.sum())
        self._qpos = [self._model.joint(name).qposadr[0] for name in self.joints]
        self._dof = [self._model.joint(name).dofadr[0] for name in self.joints]
        self._data.qpos[:3], self._data.qpos[3:7] = position, attitude
        for name, angle in posture.items():
            self._data.qpos[self._model.joint(name).qposadr[0]] = angle
        self.hold(posture)
        self.thrust = np.zeros(len(thrusters))
        mujoco.mj_forward(self._model, self._data)

    @property
    def mass(self) -> float:
        """Of everything, kg."""
        return self._mass

    @property
    def position(self) -> Float[np.ndarray, "3"]:
        """Of the base, world, m."""
        return self._data.qpos[:3].copy()

    @property
    def attitude(self) -> Float[np.ndarray, "4"]:
        """Base to world, w, x, y, z."""
        return self._data.qpos[3:7].copy()

    @property
    def velocity(self) -> Float[np.ndarray, "3"]:
        """Of the base, world axes, m/s."""
        return self._data.qvel[:3].copy()

    @property
    def rates(self) -> Float[np.ndarray, "3"]:
        """Of the base, its own axes, rad/s."""
        return self._data.qvel[3:6].copy()

    @property
    def joint_position(self) -> Float[np.ndarray, " joint"]:
        """In the order of `joints`, rad."""
        return self._data.qpos[self._qpos]

    @property
    def joint_velocity(self) -> Float[np.ndarray, " joint"]:
        """In the order of `joints`, rad/s."""
        return self._data.qvel[self._dof]

    @property
    def com(self) -> Float[np.ndarray, "3"]:
        """World, m."""
        return self._data.subtree_com[1].copy()

    @property
    def momentum(self) -> Float[np.ndarray, "6"]:
        """Centroidal, (angular, linear), world axes."""
        for stage in ("mj_kinematics", "mj_comPos", "mj_comVel", "mj_subtreeVel"):  # a step leaves those of its start
            getattr(self._mujoco, stage)(self._model, self._data)
        return np.concatenate([self._data.subtree_angmom[1], self.mass * self._data.subtree_linvel[1]])

    def hold(self, posture: Mapping[str, float]) -> None:
        """Where the servos are to hold these joints, rad."""
        for name, angle in posture.items():
            self._data.ctrl[self._servo[name]] = angle

    def move(self, thrust: Float[np.ndarray, " engine"]) -> None:
        """One step of the integrator under these thrusts, N."""
        self._data.ctrl[len(self.joints) :] = thrust
        self.thrust = thrust
        self._mujoco.mj_step(self._model, self._data)

    def foot_wrenches(self) -> Float[np.ndarray, "foot 6"]:
        """What the floor does to each sole now: (torque, force) about the sole's origin, its own axes."""
        mujoco, data, model = self._mujoco, self._data, self._model
        mujoco.mj_forward(model, data)
        wrenches = np.zeros((len(self._soles), 6))
        if not data.ncon:
            return wrenches
        forces, six = np.zeros((data.ncon, 3)), np.zeros(6)
        for k in range(data.ncon):
            mujoco.mj_contactForce(model, data, k, six)
            forces[k] = six[:3]
        pushes = np.einsum("cij,ci->cj", data.contact.frame.reshape(-1, 3, 3), forces)  # on the second body, world
        bodies = model.geom_bodyid[data.contact.geom]
        for f, foot in enumerate(self._feet):
            sign = (bodies[:, 1] == foot).astype(float) - (bodies[:, 0] == foot)
            push = sign[:, None] * pushes
            R_wf = data.site_xmat[self._soles[f]].reshape(3, 3)
            torque = np.cross(data.contact.pos - data.site_xpos[self._soles[f]], push).sum(axis=0)
            wrenches[f] = np.concatenate([R_wf.T @ torque, R_wf.T @ push.sum(axis=0)])
        return wrenches
