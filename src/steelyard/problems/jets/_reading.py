"""From the columns of a robot on jets to a record: its kinematics at every row, and noise levels."""

import dataclasses
from collections.abc import Callable

import numpy as np

from steelyard._rotations import matrices
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.models import RobotMotion
from steelyard.problems._channel_noise import attitude_noise, vector_noise
from steelyard.problems._tuning import TUNING as SHARED
from steelyard.problems.jets._robot import ConfiguredRobot
from steelyard.problems.jets._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class JetsRecord:
    """What one robot on jets recorded, row by row; NaN where a sample is missing."""

    robot: str
    time: np.ndarray
    """(n,), s."""
    throttle: np.ndarray
    """(n, engine), percent."""
    wrench: np.ndarray
    """(n, 6 feet), (torque, force) on each sole in its own axes, N m and N."""
    rpm: np.ndarray
    """(n, engine with a map), thousands of rpm; (n, 0) where none is used."""
    momentum: np.ndarray
    """(n, 6), centroidal, (angular, linear), N m s and N s, world axes."""
    thrust_matrix: np.ndarray
    """(n, 6, engine): A(q), the momentum's rate by each thrust, (torque, force) rows."""
    foot_matrix: np.ndarray
    """(n, 6, 6 feet): the momentum's rate by each foot's wrench."""
    contact: np.ndarray
    """(n, foot), whether a sole is on the ground."""
    noise: dict[str, float]
    """One standard deviation, by signal."""
    zero_order_hold: bool
    """Whether a throttle acts unchanged until the next row."""
    notes: tuple[str, ...]


def read_jets_record(
    log: Log,
    robot: str,
    configured: ConfiguredRobot,
    config: Config,
    progress: Callable[[int], None] = lambda rows: None,
) -> JetsRecord:
    """Reads a robot's columns and computes its kinematics; what cannot be read is a `BadInput`."""
    if len(log) < TUNING.fewest_rows:
        raise BadInput(
            f"{log.origin} has {len(log)} rows; estimating thrusts takes {TUNING.fewest_rows} rows at least."
        )
    throttle = _throttle(log, robot, configured)
    motions = _motions(log, robot, configured)
    wrench = [log.require(robot, f"{foot}/wrench/{part}") for foot in configured.feet for part in ("torque", "force")]
    feet = np.concatenate(wrench, axis=1) if wrench else np.zeros((len(log), 0))
    computed = []
    for k, motion in enumerate(motions):
        computed.append(configured.multibody.at(motion))
        if k % 500 == 499:
            progress(250)
    momentum = np.stack([one.momentum for one in computed])
    _possible(log, robot, momentum, configured.multibody.mass)
    momentum[_silent(log, robot, configured)] = np.nan
    soles = np.stack([one.soles for one in computed])
    rpm = _rpm(log, robot, configured, config)
    noise, notes = _noise(log, robot, config, momentum, feet, rpm)
    return JetsRecord(
        robot=robot,
        time=np.asarray(log.time),
        throttle=throttle,
        wrench=feet,
        rpm=rpm,
        momentum=momentum,
        thrust_matrix=np.stack([one.thrust_matrix for one in computed]),
        foot_matrix=np.stack([one.foot_matrix for one in computed]),
        contact=standing(feet, soles),
        noise=noise,
        zero_order_hold=config.inputs.hold == "step",
        notes=notes,
    )


def _possible(log: Log, robot: str, momentum: np.ndarray, mass: float) -> None:
    """Refuses a motion that is not finite or beyond every robot."""
    with np.errstate(over="ignore", invalid="ignore"):
        bad = ~(np.abs(momentum).max(axis=1) < TUNING.fastest * mass)
    if bad.any():
        row = int(np.argmax(bad))
        raise BadInput(
            f"{log.origin}: in row {row + 1} {robot} would move faster than {TUNING.fastest:g} m/s or turn faster than "
            f"{TUNING.fastest:g} rad/s; look at the units and the numbers of base/… and joint/…/velocity there."
        )


def standing(wrench: np.ndarray, soles: np.ndarray) -> np.ndarray:
    """Which soles (n, foot) are on the ground: they carry something, or have not risen since they did.

    Where it is uncertain a sole stands: in the air its reading is only bias and noise, and does no harm; but a standing
    sole that is taken for one in the air hides a force. A log that begins with nothing on a sole begins in the air; a
    sole that rose stands again once it carries something, not when it comes near the ground.
    """
    n, feet = soles.shape[:2]
    force = np.linalg.norm(np.nan_to_num(wrench.reshape(n, feet, 6)[:, :, 3:]), axis=2)
    on_ground = np.zeros((n, feet), bool)
    for f in range(feet):
        stood_at = -np.inf
        for k in range(n):
            if force[k, f] > TUNING.unloaded_below:
                stood_at = soles[k, f, 2]
            elif soles[k, f, 2] >= stood_at + TUNING.lifted_above:
                stood_at = -np.inf
            on_ground[k, f] = np.isfinite(stood_at)
    return on_ground


def _throttle(log: Log, robot: str, configured: ConfiguredRobot) -> np.ndarray:
    count = len(configured.names)
    throttle = log.require(robot, "throttle", [str(e + 1) for e in range(count)])
    with np.errstate(invalid="ignore"):
        rows, engines = np.nonzero((throttle < 0) | (throttle > 100))
    if rows.size:
        row, e = int(rows[0]), int(engines[0])
        raise BadInput(
            f"{log.origin}: {robot}/throttle/{e + 1} is {throttle[row, e]:g} at {log.time[row]:g} s, out of the range "
            "from 0 to 100; throttles are in percent."
        )
    return throttle


def _motions(log: Log, robot: str, configured: ConfiguredRobot) -> list[RobotMotion]:
    """Configuration and velocity at every row; a missing sample is filled with the last one."""
    names = configured.multibody.joints
    missing = [name for name in names if not log.has(robot, f"joint/{name}/position")]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise BadInput(
            f'{log.origin}: joint "{missing[0]}"{more} of the URDF has no samples in the log (column '
            f"{robot}/joint/{missing[0]}/position); record it, or make it fixed in the URDF."
        )
    joints = [np.concatenate([log.signal(robot, f"joint/{n}/{kind}") for n in names], axis=1) for kind in _KINDS]
    base = [log.require(robot, f"base/{signal}") for signal in ("position", "attitude", "linear_velocity", "rates")]
    position, attitude, velocity, rates, q, q_dot = (_filled(values) for values in (*base, *joints))
    size = np.linalg.norm(attitude, axis=1, keepdims=True)
    if (bad := size[:, 0] < TUNING.least_quaternion).any():
        row = int(np.argmax(bad))
        raise BadInput(
            f"{log.origin}: {robot}/base/attitude is no rotation in {100 * bad.mean():.3g} % of the rows, first in row "
            f"{row + 1}: all four numbers are zero; leave the cells empty where a sample is missing."
        )
    R_wb = matrices(attitude / size)
    return [RobotMotion(*row) for row in zip(position, R_wb, velocity, rates, q, q_dot, strict=True)]


_KINDS = ("position", "velocity")


def _silent(log: Log, robot: str, configured: ConfiguredRobot) -> np.ndarray:
    """(n,): rows in which a part of the motion is missing for so long that the last sample says nothing of it."""
    signals = ["base/attitude", "base/linear_velocity", "base/rates"]
    signals += [f"joint/{name}/position" for name in configured.multibody.joints]
    time, silent = np.asarray(log.time), np.zeros(len(log), bool)
    for signal in signals:
        heard = np.flatnonzero(np.isfinite(log.signal(robot, signal)).all(axis=1))
        if len(heard):
            after = np.searchsorted(heard, np.arange(len(log)))
            before = heard[np.maximum(np.searchsorted(heard, np.arange(len(log)), side="right") - 1, 0)]
            next_ = heard[np.minimum(after, len(heard) - 1)]
            silent |= np.minimum(np.abs(time - time[before]), np.abs(time - time[next_])) > 0.5 * SHARED.silent_for
    return silent


def _rpm(log: Log, robot: str, configured: ConfiguredRobot, config: Config) -> np.ndarray:
    chosen = configured.model.engines.with_speed
    columns = [str(e + 1) for e in chosen]
    if not (config.jets.rotor_speed and columns and log.has(robot, "rpm", columns)):
        return np.zeros((len(log), 0))
    return 1e-3 * log.signal(robot, "rpm", columns)


def _noise(log: Log, robot: str, config: Config, momentum, feet, rpm) -> tuple[dict[str, float], tuple[str, ...]]:
    """Noise levels of momentum, feet, rotor speeds and attitude, stated or estimated, and a note on it."""
    time = np.asarray(log.time)
    torque = feet.reshape(len(time), -1, 2, 3)[:, :, 0].reshape(len(time), -1)
    force = feet.reshape(len(time), -1, 2, 3)[:, :, 1].reshape(len(time), -1)
    levels = {
        "momentum/angular": (None, vector_noise(time, momentum[:, :3])),
        "momentum/linear": (None, vector_noise(time, momentum[:, 3:])),
        "wrench/torque": (config.noise.wrench_torque, vector_noise(time, torque)),
        "wrench/force": (config.noise.wrench_force, vector_noise(time, force)),
        "rpm": (config.noise.rpm, 1e3 * vector_noise(time, rpm)),
        "attitude": (config.noise.attitude, attitude_noise(time, log.signal(robot, "base/attitude"))),
    }
    noise, estimated = {}, []
    for signal, (stated, found) in levels.items():
        least = TUNING.least_noise.get(signal, 1e-5)
        noise[signal] = stated if stated is not None else (max(found, least) if np.isfinite(found) else least)
        if stated is None and np.isfinite(found):
            estimated.append(f"{signal} {noise[signal]:.2g}")
    notes = (f"{robot}: noise estimated from the log: {', '.join(estimated)}.",) if estimated else ()
    return noise, notes


def _filled(values: np.ndarray) -> np.ndarray:
    """Missing samples filled with the last one before them, or the first after."""
    present = np.isfinite(values)
    if present.all():
        return values
    rows = np.where(present, np.arange(len(values))[:, None], 0)
    rows = np.maximum.accumulate(rows, axis=0)
    rows = np.maximum(rows, np.argmax(present, axis=0)[None, :])
    return np.where(np.any(present, axis=0)[None, :], np.take_along_axis(values, rows, axis=0), 0.0)
