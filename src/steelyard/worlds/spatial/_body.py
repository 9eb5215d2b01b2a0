"""A rigid load as MuJoCo moves it: a free body, wrenches and sensors at sites."""

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from steelyard.worlds.planar._body import load_mujoco
from steelyard.worlds.spatial._scenario import Box
from steelyard.worlds.spatial._tuning import WORLD

Wrenches = Callable[["SpatialBody", float], Float[np.ndarray, "robot 6"]]
"""What every robot applies in a state of the load at a time (s): (torque, force), its sensor axes, N m and N."""


class SpatialBody:
    """A load that is held at sensor frames; it starts with the body's axes along the world's."""

    def __init__(
        self,
        box: Box,
        positions: Float[np.ndarray, "robot 3"],
        attitudes: Float[np.ndarray, "robot 4"],
        gravity: Float[np.ndarray, "3"],
        wrenches: Wrenches,
    ):
        self.box, self.positions, self.attitudes, self.gravity = box, positions, attitudes, gravity
        self._wrenches = wrenches
        self._mujoco = load_mujoco()
        self._compile()
        self._tell()

    @property
    def position(self) -> Float[np.ndarray, "3"]:
        """Of the body's origin, world, m."""
        return self._data.qpos[:3]

    @property
    def velocity(self) -> Float[np.ndarray, "3"]:
        """Of the body's origin, world, m/s."""
        return self._data.qvel[:3]

    @property
    def angular_velocity(self) -> Float[np.ndarray, "3"]:
        """Body axes, rad/s."""
        return self._data.qvel[3:]

    @property
    def attitude(self) -> Float[np.ndarray, "4"]:
        """Body to world, w, x, y, z."""
        return self._data.qpos[3:]

    @property
    def wrenches(self) -> Float[np.ndarray, "robot 6"]:
        """What every robot applies now: (torque, force), sensor axes."""
        return self._data.ctrl.reshape(-1, 6)

    @property
    def readings(self) -> Float[np.ndarray, "robot 9"]:
        """Of every robot now, sensor axes: angular velocity, velocity, specific force."""
        return self._data.sensordata.reshape(-1, 9)

    def spin(self, angular_velocity: Float[np.ndarray, "3"]) -> None:
        """Sets it turning about its origin, body axes, rad/s."""
        self._data.qvel[3:] = angular_velocity
        self._tell()

    def move(self, seconds: float) -> None:
        """Moves on."""
        substeps = max(1, math.ceil(seconds / WORLD.substep - 1e-9))
        self._model.opt.timestep = seconds / substeps
        mujoco = self._mujoco
        mujoco.set_mjcb_control(self._control)
        try:
            for _ in range(substeps):
                mujoco.mj_step(self._model, self._data)
        finally:
            mujoco.set_mjcb_control(None)
        self._tell()

    def lose(self, share: float) -> None:
        """A share of the box breaks off; what is left keeps its motion."""
        self.box = self.box.without(share)
        before = self._data
        self._compile()
        self._data.time = before.time
        self._data.qpos[:], self._data.qvel[:] = before.qpos, before.qvel
        self._tell()

    def _control(self, model, data) -> None:
        data.ctrl[:] = np.ravel(self._wrenches(self, data.time))

    def _tell(self) -> None:
        """Makes wrenches and readings those of this instant."""
        self._data.ctrl[:] = np.ravel(self._wrenches(self, self._data.time))
        self._mujoco.mj_forward(self._model, self._data)

    def _compile(self) -> None:
        mujoco = self._mujoco
        spec = mujoco.MjSpec()
        spec.option.gravity = self.gravity
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        load = spec.worldbody.add_body(name="load", mass=self.box.mass, explicitinertial=True)
        load.ipos, load.inertia = self.box.com, self.box.inertia
        load.add_freejoint()
        kinds = mujoco.mjtSensor
        sensors = (kinds.mjSENS_GYRO, kinds.mjSENS_VELOCIMETER, kinds.mjSENS_ACCELEROMETER)
        for i, (position, attitude) in enumerate(zip(self.positions, self.attitudes, strict=True)):
            name = f"r{i + 1}"
            load.add_site(name=name, pos=position, quat=attitude)
            for part in range(6):
                motor = spec.add_actuator(name=f"{name}/{part}", target=name)
                motor.trntype = mujoco.mjtTrn.mjTRN_SITE
                motor.gear = np.roll(np.eye(6), 3, axis=1)[part]  # MuJoCo's gears are force first
            for kind in sensors:
                spec.add_sensor(name=f"{name}/{kind.name}", type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=name)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
