"""A MuJoCo model flown with a log's thrust: logged and simulated velocity side by side.

Attitude is imposed as it was logged, since a log of commands has no torques; translation is MuJoCo's. The simulation
starts anew from the logged state every `window` seconds, for small errors of a force grow with time.
"""

import dataclasses

import numpy as np

from steelyard.logs import Log
from steelyard.worlds.planar._body import load_mujoco


@dataclasses.dataclass(frozen=True)
class FlownBack:
    """Logged and simulated, at each row."""

    time: np.ndarray
    logged: np.ndarray
    """(n, 3), velocity in the world, m/s."""
    simulated: np.ndarray
    window: float

    @property
    def rms(self) -> float:
        """Of the difference at the end of the windows, m/s an axis."""
        return float(np.sqrt(np.mean((self.simulated - self.logged) ** 2)))


def fly_back(mjcf: str, log: Log, robot: str, drag: tuple[float, float] = (0.0, 0.0), window: float = 1.0) -> FlownBack:
    """Applies `thrust` and `attitude` of a log in our columns to the model; `drag`: linear and quadratic."""
    mujoco = load_mujoco()
    model = mujoco.MjModel.from_xml_string(mjcf)
    data = mujoco.MjData(model)
    time, thrust = np.asarray(log.time), log.require(robot, "thrust")[:, 0]
    attitude, velocity = log.require(robot, "attitude"), log.require(robot, "linear_velocity", ("x", "y", "z"))
    simulated, begin = np.array(velocity), time[0]
    data.qvel[:3] = velocity[0]
    if model.na:
        data.act[:] = thrust[0]
    for k in range(1, len(time)):
        if time[k - 1] - begin >= window:
            begin = time[k - 1]
            data.qvel[:3] = np.mean(velocity[max(0, k - 3) : k + 2], axis=0)
        steps = max(1, round((time[k] - time[k - 1]) / model.opt.timestep))
        model.opt.timestep = (time[k] - time[k - 1]) / steps
        for i in range(steps):
            share = (i + 0.5) / steps
            q = (1.0 - share) * attitude[k - 1] + share * attitude[k]
            data.qpos[3:7] = q / np.linalg.norm(q)
            data.qvel[3:6] = 0.0
            data.ctrl[0] = (1.0 - share) * thrust[k - 1] + share * thrust[k]
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, data.qpos[3:7])
            R_wb = R.reshape(3, 3)
            v_b = R_wb.T @ data.qvel[:3]
            data.xfrc_applied[1, :3] = R_wb @ (-drag[0] * v_b * [1.0, 1.0, 0.0] - drag[1] * v_b * np.abs(v_b))
            mujoco.mj_step(model, data)
        simulated[k] = data.qvel[:3]
    return FlownBack(time, velocity, simulated, window)
