"""How the arm's joints move: smooth functions of time, chosen by the seed, as fast as the scenario asks for."""

import numpy as np

from steelyard._rotations import matrices
from steelyard.worlds.wrist._arm import JOINTS, Arm, Joints
from steelyard.worlds.wrist._loads import WristLoad
from steelyard.worlds.wrist._scenario import WristScenario, chance
from steelyard.worlds.wrist._tuning import TUNING

_HOME = np.array(TUNING.home)
_SPEEDS = {"gentle": TUNING.gentle, "wild": TUNING.wild}
_FREQUENCIES = {"gentle": TUNING.gentle_frequencies, "wild": TUNING.wild_frequencies}
_DISTAL = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def joint_motion(scenario: WristScenario, seed: int) -> Joints:
    """Of the scenario's kind."""
    rng = chance(seed, 0)
    if scenario.motion == "still":
        return lambda time: (np.tile(_HOME, (len(time), 1)), np.zeros((len(time), 6)), np.zeros((len(time), 6)))
    if scenario.motion == "carry":
        return _from_pose_to_pose(scenario.duration, rng)
    return _waving(scenario, rng)


def _waving(scenario: WristScenario, rng: np.random.Generator) -> Joints:
    """Sines; the three joints near the wrist make the turning, the others the rest of the acceleration."""
    shape = (JOINTS, TUNING.sines)
    omega = 2.0 * np.pi * rng.uniform(*_FREQUENCIES[scenario.motion], shape)
    phase, size = rng.uniform(0.0, 2.0 * np.pi, shape), rng.uniform(0.5, 1.5, shape) / omega

    def motion(distal: float, proximal: float) -> Joints:
        amplitude = size * (distal * _DISTAL + proximal * (1.0 - _DISTAL))[:, None]

        def joints(time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            angle = omega * time[:, None, None] + phase
            q = _HOME + np.sum(amplitude * np.sin(angle), axis=2)
            velocity = np.sum(amplitude * omega * np.cos(angle), axis=2)
            return q, velocity, -np.sum(amplitude * omega**2 * np.sin(angle), axis=2)

        return joints

    probe = Arm(WristLoad(1.0, np.zeros(3), 0.01 * np.eye(3)), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    times = np.linspace(0.0, scenario.duration, 200)
    turning, speeding = _SPEEDS[scenario.motion]
    distal, proximal = 0.3 * turning, 0.3 * turning
    for _ in range(6):
        read = probe.readings(times, motion(distal, proximal))
        gravity = 9.81 * matrices(read.quaternion)[:, 2]  # the world's z in sensor axes
        distal *= turning / _rms(read.gyro)
        proximal *= np.clip(speeding / _rms(read.accelerometer - gravity), 0.3, 3.0)
    return motion(distal, proximal)


def _from_pose_to_pose(duration: float, rng: np.random.Generator) -> Joints:
    """Minimum-jerk moves between random poses, with rests."""
    span = TUNING.rest + TUNING.move
    count = int(np.ceil(duration / span)) + 1
    poses = _HOME + rng.uniform(-0.6, 0.6, (count + 1, JOINTS)) * np.array([1.0, 0.5, 0.5, 1.5, 1.5, 2.0])

    def joints(time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        k = np.clip((time // span).astype(int), 0, count - 1)
        u = np.clip((time - k * span - TUNING.rest) / TUNING.move, 0.0, 1.0)[:, None]
        step, start = poses[k + 1] - poses[k], poses[k]
        return (
            start + step * (10 * u**3 - 15 * u**4 + 6 * u**5),
            step * (30 * u**2 - 60 * u**3 + 30 * u**4) / TUNING.move,
            step * (60 * u - 180 * u**2 + 120 * u**3) / TUNING.move**2,
        )

    return joints


def _rms(vectors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1))))
