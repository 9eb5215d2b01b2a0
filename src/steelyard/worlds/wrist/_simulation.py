"""Logs of an arm that moves a load: exact readings, and what real sensors make of them."""

import dataclasses
import math

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.worlds.wrist._arm import Arm, Readings
from steelyard.worlds.wrist._loads import WristLoad, loads_of
from steelyard.worlds.wrist._motion import joint_motion
from steelyard.worlds.wrist._scenario import WristScenario, chance, check_wrist, direction
from steelyard.worlds.wrist._tuning import TUNING

_PAIRS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@dataclasses.dataclass(frozen=True, eq=False)
class WristTruth:
    """What truly happened, at every row; force sensor's axes and origin but for the inertial sensor's readings."""

    time: np.ndarray
    """(n,), s."""
    wrench: Readings
    """At the times of the rows."""
    motion: Readings
    """At the times that the delayed motion sensors show."""
    acceleration: np.ndarray
    """(n, 3), rad/s², the angular acceleration at the times that the motion sensors show, force sensor's axes."""
    loads: list[WristLoad]
    """One a row."""
    errors: dict[str, np.ndarray]
    """By name: the sensor errors that the seed chose, SI units."""


def wrist_truth(scenario: WristScenario, seed: int) -> WristTruth:
    """The arm's true motion and the exact readings."""
    check_wrist(scenario)
    time = np.arange(round(scenario.duration * scenario.rate) + 1) / scenario.rate
    errors = _sensor_errors(scenario, seed)
    joints = joint_motion(scenario, seed)
    turn = Rotation.from_rotvec(errors["mounting"])
    quaternion = turn.as_quat()[[3, 0, 1, 2]]
    before, after = loads_of(scenario)
    holding = np.zeros(len(time), bool)
    if scenario.pick_mass > 0.0:
        holding = (time >= scenario.pick_time) & (time < scenario.put_time)
    push = _push(scenario, time, seed)
    wrench = Arm(before, errors["lever"], quaternion).readings(time, joints, push)
    if holding.any():
        heavy = Arm(after, errors["lever"], quaternion).readings(time, joints, push)
        wrench = Readings(
            *(
                np.where(holding[:, None], getattr(heavy, f.name), getattr(wrench, f.name))
                for f in dataclasses.fields(Readings)
            )
        )
    arm, shown = Arm(before, errors["lever"], quaternion), time - scenario.delay
    motion, step = arm.readings(shown, joints), 1e-4
    omega = [arm.readings(shown + side * step, joints).gyro for side in (-1.0, 1.0)]
    acceleration = turn.apply((omega[1] - omega[0]) / (2.0 * step))
    loads = [after if held else before for held in holding]
    return WristTruth(time, wrench, motion, acceleration, loads, errors)


def simulate_wrist(scenario: WristScenario, seed: int) -> dict[str, np.ndarray]:
    """Columns by their log names, truth included."""
    return wrist_columns(scenario, wrist_truth(scenario, seed), seed)


def wrist_columns(scenario: WristScenario, truth: WristTruth, seed: int) -> dict[str, np.ndarray]:
    """The log of a motion that has been computed, with the noise of a seed."""
    rng, time, errors, noise = chance(seed, 2), truth.time, truth.errors, scenario.noise

    def noisy(signal: str, value: np.ndarray) -> np.ndarray:
        return value + noise.get(signal, 0.0) * rng.standard_normal(value.shape)

    walk = np.cumsum(rng.standard_normal((len(time), 3)), axis=0) * scenario.drift * math.sqrt(1.0 / scenario.rate / 60)
    shaking = scenario.vibration * np.sin(2.0 * np.pi * 17.0 * time[:, None] + rng.uniform(0.0, 2.0 * np.pi, 3))
    force = (1.0 + scenario.force_scale) * truth.wrench.force + errors["force_offset"] + walk + shaking
    torque = (1.0 + scenario.force_scale) * truth.wrench.torque + errors["torque_offset"]
    accelerometer = (1.0 + scenario.accelerometer_scale) * truth.motion.accelerometer + errors["accelerometer_bias"]
    signals = {
        "wrench/torque": noisy("wrench/torque", torque),
        "wrench/force": noisy("wrench/force", force),
        "twist/angular": noisy("twist/angular", truth.motion.gyro + errors["gyro_bias"]),
        "specific_force": noisy("specific_force", accelerometer + 0.1 * shaking),
    }
    if scenario.velocity:
        signals["twist/linear"] = noisy("twist/linear", truth.motion.velocity)
    columns = {"time": time}
    for signal, value in signals.items():
        columns |= {f"r1/{signal}/{axis}": value[:, a] for a, axis in enumerate("xyz")}
    if scenario.orientation:
        turns = Rotation.from_rotvec(noisy("attitude", np.zeros((len(time), 3))))
        shown = (Rotation.from_quat(truth.motion.quaternion[:, [1, 2, 3, 0]]) * turns).as_quat()
        columns |= {f"r1/attitude/{axis}": shown[:, a] for axis, a in zip("wxyz", (3, 0, 1, 2), strict=True)}
    return columns | _truth_columns(scenario, truth)


def _truth_columns(scenario: WristScenario, truth: WristTruth) -> dict[str, np.ndarray]:
    rows = len(truth.time)
    columns = {"truth/mass": np.array([load.mass for load in truth.loads])}
    for a, axis in enumerate("xyz"):
        columns[f"truth/r1/com/{axis}"] = np.array([load.com[a] for load in truth.loads])
    for axes, pair in _PAIRS.items():
        columns[f"truth/r1/inertia/{axes}"] = np.array([load.inertia[pair] for load in truth.loads])
    known = {"offset/wrench/force": "force_offset", "offset/wrench/torque": "torque_offset"}
    known |= {"bias/specific_force": "accelerometer_bias", "bias/twist/angular": "gyro_bias"}
    for quantity, name in known.items():
        columns |= {f"truth/r1/{quantity}/{x}": np.full(rows, truth.errors[name][a]) for a, x in enumerate("xyz")}
    return columns | {"truth/r1/delay": np.full(rows, scenario.delay)}


def _sensor_errors(scenario: WristScenario, seed: int) -> dict[str, np.ndarray]:
    rng = chance(seed, 1)
    sizes = {
        "force_offset": scenario.force_offset,
        "torque_offset": scenario.torque_offset,
        "accelerometer_bias": scenario.accelerometer_bias,
        "gyro_bias": scenario.gyro_bias,
        "mounting": math.radians(scenario.mounting),
        "lever": scenario.lever,
    }
    return {name: size * direction(rng) for name, size in sizes.items()}


def _push(scenario: WristScenario, time: np.ndarray, seed: int) -> np.ndarray | None:
    """(n, 6): force and torque at the load's centre of mass, world axes."""
    if scenario.touch_force == 0.0:
        return None
    rng = chance(seed, 3)
    force, lever = scenario.touch_force * direction(rng), TUNING.touch_lever * direction(rng)
    since = np.minimum(time - scenario.touch_time, scenario.touch_time + scenario.touch_length - time)
    size = np.sin(0.5 * np.pi * np.clip(since / TUNING.touch_edge, 0.0, 1.0)) ** 2
    return size[:, None] * np.concatenate([force, np.cross(lever, force)])
