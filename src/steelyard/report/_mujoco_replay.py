"""A MuJoCo model flown with a log's thrust: logged and simulated velocity side by side.

Attitude is imposed as it was logged, since a log of commands has no torques; translation is MuJoCo's. The simulation
starts anew from the logged velocity every `REPLAY.window` seconds, for small errors of a force grow with time.
"""

import dataclasses

import numpy as np

from steelyard.problems import Replay
from steelyard.report._tuning import REPLAY
from steelyard.worlds.planar._body import load_mujoco


@dataclasses.dataclass(frozen=True)
class FlownBack:
    """Logged and simulated, at each row."""

    time: np.ndarray
    logged: np.ndarray
    """(n, 3), velocity in the world, m/s."""
    simulated: np.ndarray
    """NaN before the first logged velocity."""
    window: float

    @property
    def rms(self) -> float:
        """Of the difference, m/s an axis."""
        return float(np.sqrt(np.nanmean((self.simulated - self.logged) ** 2)))


def fly_back(mjcf: str, flight: Replay) -> FlownBack:
    """Applies a flight's thrust and attitude to the model, whose mass follows the identified one over time."""
    mujoco = load_mujoco()
    model = mujoco.MjModel.from_xml_string(mjcf)
    data = mujoco.MjData(model)
    time, velocity = flight.time, flight.velocity
    simulated, begin = np.full_like(velocity, np.nan), -np.inf
    if model.na:
        data.act[:] = flight.thrust[0]
    for k in range(1, len(time)):
        if time[k - 1] - begin >= REPLAY.window:
            near = velocity[max(0, k - 1 - REPLAY.start_rows) : k + REPLAY.start_rows]
            near = near[np.isfinite(near).all(axis=1)]
            if len(near):
                begin, data.qvel[:3] = time[k - 1], near.mean(axis=0)
        model.body_mass[1] = flight.mass[k - 1]
        steps = max(1, int(np.ceil((time[k] - time[k - 1]) / REPLAY.longest_step)))
        model.opt.timestep = (time[k] - time[k - 1]) / steps
        q_before, q_after = flight.attitude[k - 1], flight.attitude[k]
        q_after = q_after * np.sign(q_before @ q_after)
        for i in range(steps):
            share = (i + 0.5) / steps
            q = (1.0 - share) * q_before + share * q_after
            data.qpos[3:7] = q / np.linalg.norm(q)
            data.qvel[3:6] = 0.0
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, data.qpos[3:7])
            R_wb = R.reshape(3, 3)
            v_b = R_wb.T @ data.qvel[:3]
            lost = flight.losses[0] * np.linalg.norm(v_b) + flight.losses[1] * v_b[2]
            thrust = (1.0 - share) * flight.thrust[k - 1] + share * flight.thrust[k]
            data.ctrl[0] = (1.0 - lost) * thrust
            drag = -flight.drag[0] * v_b * [1.0, 1.0, 0.0] - flight.drag[1] * v_b * np.abs(v_b)
            data.xfrc_applied[1, :3] = R_wb @ drag
            mujoco.mj_step(model, data)
        if np.isfinite(begin):
            simulated[k] = data.qvel[:3]
    return FlownBack(time, velocity, simulated, REPLAY.window)
