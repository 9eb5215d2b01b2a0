"""`mujoco.sysid` on a load at a wrist: its physically possible parameters, MuJoCo's inverse dynamics as its rollout.

Rollouts forward in time would drift away within a second: nothing but noise holds a free body in place. So each row is
an inverse-dynamics problem of its own, which its documentation leaves to a rollout of the user's.
"""

import contextlib
import importlib
import io

import numpy as np

from steelyard.bench.peers._scoreboard import Answer
from steelyard.bench.peers._tuning import PEERS
from steelyard.bench.peers._wrist import WristMotion

_LOAD = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="load">
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <site name="wrist"/>
    </body>
  </worldbody>
  <sensor><torque site="wrist"/><force site="wrist"/></sensor>
</mujoco>
"""

_GUESS, _RANGE = np.array(PEERS.mujoco_guess), np.array(PEERS.mujoco_range)


def by_mujoco_sysid(motion: WristMotion) -> Answer:
    """Pseudo-inertia and, unless the sensor was tared, offsets; intervals by its own formula."""
    from steelyard.bench.peers._wrist_methods import load_answer

    mujoco, sysid = importlib.import_module("mujoco"), importlib.import_module("mujoco.sysid")
    if not hasattr(sysid, "optimize"):
        raise ModuleNotFoundError("mujoco.sysid lacks its extra", name="mujoco[sysid]")
    trajectory = importlib.import_module("mujoco.sysid._src.trajectory")
    modifier = importlib.import_module("mujoco.sysid._src.model_modifier")
    spec = mujoco.MjSpec.from_string(_LOAD)
    model = spec.compile()
    omega, alpha, s = motion.smoothed()
    time = motion.dt * np.arange(motion.rows)

    def wrenches(body):
        data, found = mujoco.MjData(body), np.empty((motion.rows, 6))
        for k in range(motion.rows):
            data.qvel[3:], data.qacc[:3], data.qacc[3:] = omega[k], s[k], alpha[k]
            mujoco.mj_inverse(body, data)
            found[k, :3], found[k, 3:] = data.qfrc_inverse[3:], data.qfrc_inverse[:3]
        return found

    def rollout(models, control_signal, initial_states, **_):
        states = np.concatenate([time[:, None], np.zeros((motion.rows, body_states))], axis=1)
        return [
            trajectory.SystemTrajectory(
                model=body,
                control=control_signal[0],
                sensordata=sysid.TimeSeries(time, wrenches(body)),
                initial_state=initial_states[0],
                state=sysid.TimeSeries(time, states),
            )
            for body in models
        ]

    def weighted(parameters, predicted, measured, model, return_pred_all, state):
        offset = parameters["offset"].value if "offset" in parameters else 0.0
        return (predicted.data + offset - motion.wrench) / motion.noise, measured, measured

    def put_load(spec, parameter):  # its own modifier takes inertias from geoms, and a load has none
        pi, body = modifier.pi_from_theta(parameter.value), spec.body("load")
        c, about_origin = pi[1:4] / pi[0], pi[4:].reshape(3, 3)
        about = about_origin - pi[0] * (c @ c * np.eye(3) - np.outer(c, c))
        body.mass, body.ipos, body.explicitinertial = pi[0], c, True
        body.inertia[:], axes = principal(about)
        mujoco.mju_mat2Quat(body.iquat, axes.ravel())

    body_states = model.nq + model.nv
    parameters = sysid.ParameterDict()
    guess = modifier.theta_from_pseudoinertia(modifier.pseudoinertia_from_pi(_GUESS))
    parameters.add(sysid.Parameter("load", guess, guess - _RANGE, guess + _RANGE, modifier=put_load))
    if not motion.tared:
        limit = 3.0 * np.max(np.abs(motion.wrench), axis=0)
        parameters.add(sysid.Parameter("offset", np.zeros(6), -limit, limit))
    start = sysid.create_initial_state(model, np.array([0.0, 0, 0, 1, 0, 0, 0]), np.zeros(6))
    control = sysid.TimeSeries(time, np.zeros((motion.rows, 0)))
    readings = sysid.TimeSeries.from_names(time, motion.wrench, model)
    sequences = [sysid.ModelSequences("wrist", spec, "run", start, control, readings)]
    residual = sysid.build_residual_fn(
        models_sequences=sequences,
        custom_rollout=rollout,
        modify_residual=weighted,
        resample_true=False,
        n_threads=1,
    )
    with contextlib.redirect_stdout(io.StringIO()):  # its optimiser prints every iteration and cannot be told not to
        found, result = sysid.optimize(parameters, residual, verbose=False, x_scale="jac")
    residuals, _, _ = residual(result.x, found)
    covariance, _ = sysid.calculate_intervals(residuals, np.asarray(result.jac))

    def phi_of(theta):
        pi = modifier.pi_from_theta(theta)  # mass, first moment, the inertia about the origin as nine numbers
        return np.concatenate([pi[:4], pi[[4, 8, 12, 5, 6, 9]]])

    theta = result.x[:10]
    J = np.stack([(phi_of(theta + d) - phi_of(theta - d)) / 2e-6 for d in 1e-6 * np.eye(10)], axis=1)
    return load_answer(phi_of(theta), J @ covariance[:10, :10] @ J.T)


def principal(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and axes; of a flat load, too, they keep the triangle inequality that MuJoCo checks."""
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    spread, axes = np.linalg.eigh(second)
    spread = np.maximum(spread, PEERS.mujoco_flattest * spread[-1])
    return spread.sum() - spread, axes * np.linalg.det(axes)
