"""A load on a plane as MuJoCo moves it: two slides and a hinge, forces at sites."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from steelyard.errors import BadInput
from steelyard.worlds.planar._tuning import WORLD


def load_mujoco() -> Any:
    """The simulator, or an error that states how to install it."""
    try:
        import mujoco
    except ImportError:
        raise BadInput('MuJoCo is not installed, and it moves the load: pip install "steelyard[sim]".') from None
    return mujoco


class PlanarBody:
    """A load, pushed step by step: for those who decide on forces while it moves.

    It starts at rest, its centre of mass at the origin and its axes along the world's.
    """

    def __init__(
        self,
        contacts: Float[np.ndarray, "robot 2"],
        mass: float,
        inertia: float,
        friction: tuple[float, float] = (0.0, 0.0),
        friction_radius: float = 1.0,
    ):
        self.contacts, self.mass, self.inertia = contacts, mass, inertia
        self.friction, self.friction_radius = friction, friction_radius
        self._mujoco = load_mujoco()
        self._compile()

    @property
    def position(self) -> Float[np.ndarray, "2"]:
        """Of the centre of mass, world, m."""
        return self._data.qpos[:2].copy()

    @property
    def heading(self) -> float:
        """Angle of the body axes from the world's, rad, whole turns counted."""
        return float(self._data.qpos[2])

    @property
    def velocity(self) -> Float[np.ndarray, "2"]:
        """Of the centre of mass, world, m/s."""
        return self._data.qvel[:2].copy()

    @property
    def angular_velocity(self) -> float:
        """Counter-clockwise, rad/s."""
        return float(self._data.qvel[2])

    @property
    def contact_velocities(self) -> Float[np.ndarray, "robot 2"]:
        """World, m/s."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        x, y = self.contacts.T
        arms = np.stack([c * x - s * y, s * x + c * y], axis=1)
        return self.velocity + self.angular_velocity * np.stack([-arms[:, 1], arms[:, 0]], axis=1)

    def set_motion(self, angular_velocity: float, velocity: Float[np.ndarray, "2"]) -> None:
        """Sets the load moving: rad/s, and m/s of the centre of mass in world axes."""
        self._data.qvel[:] = [*velocity, angular_velocity]

    def push(self, forces: Callable[[float], Float[np.ndarray, "robot 2"]], seconds: float) -> None:
        """Moves on; `forces` gives them (world, N) at so many seconds after this call."""
        substeps = max(1, math.ceil(seconds / WORLD.substep - 1e-9))
        h = seconds / substeps
        model, data, mujoco = self._model, self._data, self._mujoco
        model.opt.timestep = h
        for k in range(substeps):
            data.ctrl[:] = np.ravel(forces((k + 0.5) * h))
            if self.friction[1] > 0.0:
                # MuJoCo's own frictionloss knows no direction in the plane: it would resist each axis by itself.
                data.qfrc_applied[:] = self._coulomb(data.qvel)
                mujoco.mj_forward(model, data)
                data.qfrc_applied[:] = self._coulomb(data.qvel + 0.5 * h * data.qacc)
            mujoco.mj_step(model, data)

    def drop(self, share: float) -> None:
        """Loses a share of mass, inertia and weight; centre and motion stay."""
        viscous, coulomb = self.friction
        self.mass, self.inertia = self.mass * (1.0 - share), self.inertia * (1.0 - share)
        self.friction = (viscous, coulomb * (1.0 - share))
        qpos, qvel = self._data.qpos.copy(), self._data.qvel.copy()
        self._compile()
        self._data.qpos[:], self._data.qvel[:] = qpos, qvel

    def _coulomb(self, qvel: np.ndarray) -> np.ndarray:
        stretch = np.array([1.0, 1.0, self.friction_radius])
        sliding = math.sqrt(float(np.sum((stretch * qvel) ** 2)) + WORLD.least_speed**2)
        return -self.friction[1] / sliding * stretch**2 * qvel

    def _compile(self) -> None:
        mujoco = self._mujoco
        spec = mujoco.MjSpec()
        spec.option.gravity = [0.0, 0.0, 0.0]  # the plane is level
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.worldbody.add_site(name="world")
        load = spec.worldbody.add_body(name="load", mass=self.mass, explicitinertial=True)
        load.inertia = [self.inertia] * 3  # only the last is ever felt; three equal ones are always possible
        viscous = self.friction[0]
        slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
        load.add_joint(name="x", type=slide, axis=[1, 0, 0], damping=[viscous, 0, 0])
        load.add_joint(name="y", type=slide, axis=[0, 1, 0], damping=[viscous, 0, 0])
        turning = viscous * self.friction_radius**2
        load.add_joint(name="heading", type=hinge, axis=[0, 0, 1], damping=[turning, 0, 0])
        for i, contact in enumerate(self.contacts):
            load.add_site(name=f"r{i + 1}", pos=[*contact, 0.0])
            for axis in range(2):
                # Seen from a site of the world, a site's force keeps the world's axes while the load turns.
                motor = spec.add_actuator(name=f"r{i + 1}/{axis}", target=f"r{i + 1}", refsite="world")
                motor.trntype = mujoco.mjtTrn.mjTRN_SITE
                motor.gear = np.eye(6)[axis]
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
