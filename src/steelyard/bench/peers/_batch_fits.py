"""Libraries that fit a whole flight at once, its inputs taken as exact."""

import contextlib
import importlib
import io

import numpy as np

from steelyard.bench.peers._filters import mass_estimate, start
from steelyard.bench.peers._flight import GRAVITY, Flight, MassEstimate
from steelyard.bench.peers._tuning import PEERS


def by_ceres(flight: Flight) -> MassEstimate:
    """`pyceres`: first velocity and inverse mass by least squares over the whole flight, inputs taken as exact."""
    import pyceres

    moved = flight.dt * np.cumsum(flight.force[1:], axis=0)
    fallen = flight.dt * np.arange(1, len(flight.time))[:, None] * GRAVITY
    rows = len(moved)
    jacobian = np.concatenate([np.tile(np.eye(3), (rows, 1)), moved.reshape(-1, 1)], axis=1) / PEERS.velocity_std

    class Fit(pyceres.CostFunction):
        def __init__(self):
            super().__init__()
            self.set_num_residuals(3 * rows)
            self.set_parameter_block_sizes([4])

        def Evaluate(self, parameters, residuals, jacobians):
            x = parameters[0]
            expected = x[:3] + fallen + moved * x[3]
            residuals[:] = ((expected - flight.velocity[1:]) / PEERS.velocity_std).ravel()
            if jacobians is not None and jacobians[0] is not None:
                jacobians[0][:] = jacobian.ravel()
            return True

    problem, x, cost = pyceres.Problem(), start(flight)[0], Fit()
    problem.add_residual_block(cost, None, [x])
    options = pyceres.SolverOptions()
    options.linear_solver_type = pyceres.LinearSolverType.DENSE_QR
    options.logging_type = pyceres.LoggingType.SILENT
    options.minimizer_progress_to_stdout = False
    pyceres.solve(options, problem, pyceres.SolverSummary())
    return mass_estimate(x, np.linalg.inv(jacobian.T @ jacobian))


_BODY = """
<mujoco>
  <option gravity="0 0 -9.81" timestep="{dt!r}" integrator="Euler"><flag contact="disable"/></option>
  <worldbody>
    <body name="drone">
      <inertial pos="0 0 0" mass="{mass!r}" diaginertia="1 1 1"/>
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
    </body>
  </worldbody>
  <actuator><motor joint="x"/><motor joint="y"/><motor joint="z"/></actuator>
  <sensor><jointvel joint="x"/><jointvel joint="y"/><jointvel joint="z"/></sensor>
</mujoco>
"""


def by_mujoco_sysid(flight: Flight) -> MassEstimate:
    """`mujoco.sysid`: mass and first velocity by rollouts over the whole flight, its interval by its own formula."""
    mujoco = importlib.import_module("mujoco")
    sysid = importlib.import_module("mujoco.sysid")
    if not hasattr(sysid, "optimize"):
        raise ModuleNotFoundError("mujoco.sysid lacks its extra", name="mujoco[sysid]")
    spec = mujoco.MjSpec.from_string(_BODY.format(dt=flight.dt, mass=flight.guess))
    model = spec.compile()
    time = flight.dt * np.arange(len(flight.time))
    state = sysid.create_initial_state(model, np.zeros(3), flight.velocity[0])
    held = np.concatenate([flight.force[1:], flight.force[-1:]])  # by the motors, over the step that follows
    control = sysid.TimeSeries(time, held)
    readings = sysid.TimeSeries.from_names(time, flight.velocity, model)

    def set_mass(spec, parameter):
        spec.body("drone").mass = parameter.value[0]

    def weighted(parameters, predicted, measured, model, return_pred_all, state):
        velocity = state[:, 4:7] + parameters["start"].value  # after time and position
        return (velocity - measured.data[1:]) / PEERS.velocity_std, measured, measured

    parameters = sysid.ParameterDict()
    low, high = 0.2 * flight.guess, 5.0 * flight.guess
    parameters.add(sysid.Parameter("mass", flight.guess, low, high, modifier=set_mass))
    parameters.add(sysid.Parameter("start", np.zeros(3), np.full(3, -1.0), np.full(3, 1.0)))
    sequences = [sysid.ModelSequences("drone", spec, "flight", state, control, readings)]
    residual = sysid.build_residual_fn(
        models_sequences=sequences, modify_residual=weighted, resample_true=False, n_threads=1
    )
    with contextlib.redirect_stdout(io.StringIO()):  # its optimiser prints every iteration and cannot be told not to
        found, result = sysid.optimize(parameters, residual, verbose=False)
    residuals, _, _ = residual(result.x, found)
    covariance, _ = sysid.calculate_intervals(residuals, np.asarray(result.jac))
    return MassEstimate(float(found["mass"].value[0]), float(np.sqrt(covariance[0, 0])))
