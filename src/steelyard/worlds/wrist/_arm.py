"""An arm of six joints in MuJoCo: what its sensors read where its joints are led along a given motion.

The motion is prescribed, so nothing is integrated: MuJoCo's inverse dynamics gives the exact wrench between wrist and
load, and the exact readings of the inertial sensor, at any time.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from steelyard.worlds.planar._body import load_mujoco
from steelyard.worlds.wrist._loads import WristLoad
from steelyard.worlds.wrist._tuning import TUNING

JOINTS = 6
_AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
_SENSORS = ("torque", "force", "gyro", "accelerometer", "velocimeter", "framequat")

Joints = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""Times (n,), s, to joint angles, velocities and accelerations, (n, joints) each."""


@dataclasses.dataclass(frozen=True, eq=False)
class Readings:
    """Exact, at each of some times."""

    torque: np.ndarray
    """(n, 3), N m, on the load about the force sensor's origin, its axes."""
    force: np.ndarray
    """(n, 3), N."""
    gyro: np.ndarray
    """(n, 3), rad/s, in the inertial sensor's axes."""
    accelerometer: np.ndarray
    """(n, 3), m/s², at the inertial sensor, in its axes."""
    velocity: np.ndarray
    """(n, 3), m/s, of the force sensor's origin, its axes."""
    quaternion: np.ndarray
    """(n, 4), w, x, y, z: the force sensor's axes to the world's."""


class Arm:
    """With one load; the inertial sensor sits at `lever` (m) from the force sensor, turned by `turn` (quaternion)."""

    def __init__(self, load: WristLoad, lever: np.ndarray, turn: np.ndarray):
        mujoco = self._mujoco = load_mujoco()
        spec = mujoco.MjSpec()
        spec.option.gravity = (0.0, 0.0, -9.81)
        body, reach = spec.worldbody, 0.0
        for k, (length, axis) in enumerate(zip(TUNING.links, _AXES, strict=True)):
            body = body.add_body(name=f"link{k + 1}", pos=(0.0, 0.0, reach))
            body.mass, body.ipos, body.inertia, body.explicitinertial = 2.0, (0.0, 0.0, length / 2), (0.02,) * 3, True
            body.add_joint(name=f"joint{k + 1}", axis=axis)
            reach = length
        tool = body.add_body(name="load", pos=(0.0, 0.0, reach))
        tool.mass, tool.ipos, tool.explicitinertial = load.mass, load.com, True
        I = load.inertia
        tool.fullinertia = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        tool.add_site(name="wrist")
        tool.add_site(name="imu", pos=lever, quat=turn)
        kinds, objects = mujoco.mjtSensor, mujoco.mjtObj
        for name in _SENSORS:
            site = "imu" if name in ("gyro", "accelerometer") else "wrist"
            kind = getattr(kinds, f"mjSENS_{name.upper()}")
            spec.add_sensor(name=name, type=kind, objtype=objects.mjOBJ_SITE, objname=site)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._load = int(self._model.body("load").id)

    def readings(self, time: np.ndarray, joints: Joints, push: np.ndarray | None = None) -> Readings:
        """At times (n,), s, while `push` (n, 6: force N, torque N m, world axes, at the centre of mass) acts on it."""
        mujoco, model, data = self._mujoco, self._model, self._data
        rows = np.empty((len(time), model.nsensordata))
        for k, (q, velocity, acceleration) in enumerate(zip(*joints(time), strict=True)):
            data.qpos[:], data.qvel[:], data.qacc[:] = q, velocity, acceleration
            data.xfrc_applied[self._load] = 0.0 if push is None else push[k]
            mujoco.mj_inverse(model, data)
            rows[k] = data.sensordata
        parts = np.split(rows, [3, 6, 9, 12, 15], axis=1)
        return Readings(*parts)
