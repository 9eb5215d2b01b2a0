"""The set-up of the thrust filter for a record: model, noise, priors, first guess and samples."""

import dataclasses

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import Guess, Noise, Sample
from steelyard.geometry import tangent_names
from steelyard.models import (
    FlyingControl,
    FlyingReading,
    FlyingState,
    RobotPose,
    ThrustInput,
    some_state,
    steady_thrust,
)
from steelyard.problems.jets._reading import JetsRecord
from steelyard.problems.jets._robot import ConfiguredRobot
from steelyard.problems.jets._thrust_filter import ThrustBelief, ThrustFilter
from steelyard.problems.jets._tuning import ThrustTuning


@dataclasses.dataclass(frozen=True, eq=False)
class ThrustRun:
    """A filter with the samples of a record."""

    estimator: ThrustFilter
    belief: ThrustBelief
    samples: Sample
    names: tuple[str, ...]
    """Of the state's coordinates."""
    guess: Guess


def thrust_run(
    record: JetsRecord,
    robot: ConfiguredRobot,
    config: Config,
    tuning: ThrustTuning,
    unmodelled: np.ndarray | None = None,
) -> ThrustRun:
    """Model, noise, first guess and samples; `unmodelled` (n, 6, event) as `FlyingControl` has it."""
    engines, feet = robot.model.engines, len(robot.feet)
    unknown = tuple(part for part in tuning.unknown if feet or part not in ("wrench", "foot_bias"))
    speeds = record.rpm.shape[1] if tuning.uses_speed else 0
    state = some_state(_first_thrust(record, robot), len(engines.jets), feet, unknown, speeds)
    state = dataclasses.replace(state, momentum=_first(record.momentum))
    if "wrench" in unknown:
        state = dataclasses.replace(state, wrench=_first(record.wrench))
    if tuning.detection == "speed" and not record.rpm.shape[1]:
        tuning = dataclasses.replace(tuning, detection="none")
    std, drift = _priors(state, record, robot, config, tuning)
    noise = Noise(
        measurement=_measured(state, record),
        control=np.concatenate([np.zeros(len(robot.names)), _wrench_noise(record, feet)]),
        drift=drift,
        blind=np.concatenate([np.full(len(robot.names), 30.0), np.tile([20.0, 20.0, 20.0, 100.0, 100.0, 400.0], feet)]),
    )
    estimator = ThrustFilter(robot.model, noise, tuning.detection)
    guess = Guess(state, std)
    belief = estimator.init(guess, 0 if unmodelled is None else unmodelled.shape[2])
    samples = _samples(state, record, tuning, unmodelled)
    return ThrustRun(estimator, belief, samples, tuple(tangent_names(state)), guess)


def _first_thrust(record: JetsRecord, robot: ConfiguredRobot) -> np.ndarray:
    """Where the first throttles would settle; an engine without throttle is off."""
    thrusts = []
    for e, kind in enumerate(robot.kinds):
        throttle = record.throttle[:, e][np.isfinite(record.throttle[:, e])]
        u = float(throttle[0]) if throttle.size else 0.0
        if kind is None:
            thrusts.append(robot.maximum[e] * (0.01 * u) ** 2)
        else:
            thrusts.append(0.0 if u <= 0 else steady_thrust(kind, u) or kind.idle)
    return np.array(thrusts)


def offset_sizes(robot: ConfiguredRobot, share: float) -> np.ndarray:
    """Prior standard deviations of the engines' offsets: of the highest derivative at half the maximum thrust.

    Each coefficient is off by up to a share of itself, evenly: the terms of T̈ at a steady thrust add up squared.
    """
    sizes = []
    for e, kind in enumerate(robot.kinds):
        if kind is None:
            lag = float(np.asarray(robot.model.engines.lag)[e])
            sizes.append(share / np.sqrt(3.0) * 0.5 * robot.maximum[e] / lag)
            continue
        K_T, K_TT, _, _, _, B_U, B_T, _, _, c_jet = kind.jet_parameters
        T = 0.5 * kind.maximum
        effect = -(K_T * T + K_TT * T**2 + c_jet) / (B_U + B_T * T)
        terms = (K_T * T, K_TT * T**2, B_U * effect, B_T * T * effect, c_jet)
        sizes.append(share / np.sqrt(3.0) * float(np.linalg.norm(terms)))
    return np.array(sizes)


def _priors(state: FlyingState, record: JetsRecord, robot: ConfiguredRobot, config: Config, tuning: ThrustTuning):
    """First standard deviations, and random walks per √s, of every coordinate."""
    jets = config.jets
    off = record.throttle[0] <= 0
    moving = np.where(off, 0.1, 0.05 * robot.maximum)
    weight = robot.multibody.mass * float(np.linalg.norm(config.gravity))
    step = float(np.median(np.diff(record.time)))
    # The attitude is noisy, so at every row the thrust that carries the weight points slightly elsewhere.
    tilting = weight * record.noise["attitude"] * np.sqrt(0.5 * step)
    foot = np.tile(np.repeat([0.05, 1.0], 3), len(robot.feet))
    sizes = offset_sizes(robot, jets.engine_error)
    sizes = np.where(
        np.isin(np.arange(len(sizes)), robot.model.engines.jets), np.maximum(sizes, 0.5), np.maximum(sizes, 0.05)
    )
    is_jet = np.isin(np.arange(len(robot.names)), robot.model.engines.jets)
    share = np.where(is_jet, 1.0, 0.01 * robot.maximum)
    momentum = np.repeat([record.noise["momentum/angular"], record.noise["momentum/linear"]], 3)
    std = FlyingState(
        thrust=moving,
        thrust_rate=np.full(state.thrust_rate.shape, 1.0),
        momentum=momentum,
        wrench=5.0 * np.ones(state.wrench.shape),
        log_mass=np.full(state.log_mass.shape, jets.mass_error),
        offset=sizes[: state.offset.shape[0]],
        foot_bias=(jets.foot_bias * foot)[: state.foot_bias.shape[0]],
        speed_scale=np.full(state.speed_scale.shape, 0.02),
    )
    drift = FlyingState(
        thrust=tuning.thrust_drift * share,
        thrust_rate=np.full(state.thrust_rate.shape, tuning.rate_drift),
        momentum=np.repeat([0.02 * tilting + 1e-3, tilting + 1e-2], 3),
        wrench=(tuning.wrench_drift * foot)[: state.wrench.shape[0]],
        log_mass=np.zeros(state.log_mass.shape),
        offset=tuning.offset_drift * sizes[: state.offset.shape[0]],
        foot_bias=(2e-3 * foot)[: state.foot_bias.shape[0]],
        speed_scale=np.full(state.speed_scale.shape, 1e-4),
    )
    return _flat(std), _flat(drift)


def _measured(state: FlyingState, record: JetsRecord) -> np.ndarray:
    """Noise of momentum, wrenches and rotor speeds (thousands of rpm), in the order of the readings."""
    momentum = np.repeat([record.noise["momentum/angular"], record.noise["momentum/linear"]], 3)
    measured = state.wrench if state.wrench.size else state.foot_bias
    feet = _wrench_noise(record, measured.shape[0] // 6)
    return np.concatenate([momentum, feet, np.full(state.speed_scale.shape, 1e-3 * record.noise["rpm"])])


def _wrench_noise(record: JetsRecord, feet: int) -> np.ndarray:
    return np.tile(np.repeat([record.noise["wrench/torque"], record.noise["wrench/force"]], 3), feet)


def _samples(state: FlyingState, record: JetsRecord, tuning: ThrustTuning, unmodelled: np.ndarray | None) -> Sample:
    """Row by row: the inputs since the row before, and the readings at the row."""
    n = len(record.time)
    contact = np.repeat(record.contact.astype(float), 6, axis=1)
    trust = np.full(record.throttle.shape, 1.0 if tuning.uses_engines else 0.0)
    pose = RobotPose(
        _between(record.thrust_matrix), _between(record.foot_matrix), np.maximum(contact, _before(contact)), trust
    )
    throttle = _before(record.throttle) if record.zero_order_hold else _between(record.throttle)
    control = FlyingControl(ThrustInput(throttle, _between(record.wrench)), pose, unmodelled)
    wrench = np.zeros((n, 0))
    if state.wrench.size:
        wrench = record.wrench
    elif state.foot_bias.size:  # in the air a reading is its bias; on the ground it is the control already
        wrench = np.where(np.maximum(contact, _before(contact)) > 0, np.nan, record.wrench)
    rpm = record.rpm if tuning.uses_speed or tuning.detection == "speed" else np.zeros((n, 0))
    momentum = record.momentum if tuning.uses_momentum else np.full((n, 6), np.nan)
    return Sample(np.diff(record.time, prepend=record.time[0]), control, FlyingReading(momentum, wrench, rpm))


def _before(values: np.ndarray) -> np.ndarray:
    return np.concatenate([values[:1], values[:-1]])


def _between(values: np.ndarray) -> np.ndarray:
    """The mean of a row and the one before."""
    return 0.5 * (values + _before(values))


def _first(values: np.ndarray) -> np.ndarray:
    """The first row without a missing value."""
    whole = np.isfinite(values).all(axis=1)
    if not whole.any():
        raise BadInput("No row of the log has all of the base, the joints and the feet; record them together.")
    return values[int(whole.argmax())]


def _flat(state: FlyingState) -> np.ndarray:
    fields = (getattr(state, field.name) for field in dataclasses.fields(state))
    return np.concatenate([np.ravel(field) for field in fields])
