"""The unknowns beside the motion: ten inertial parameters, and what real sensors get wrong."""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.problems.rigid_body._tuning import SENSOR_ERRORS, SensorErrors

MOTION_SIGNALS = ("twist/angular", "twist/linear", "specific_force", "attitude")
"""What may show how the sensor frame moves; each may be late against the wrench."""


@dataclasses.dataclass(frozen=True)
class Layout:
    """Where each unknown lies in the vector of unknowns, and its standard deviation beforehand."""

    slices: dict[str, slice]
    prior: np.ndarray

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.prior)

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def __contains__(self, name: str) -> bool:
        return name in self.slices


def layout(
    signals: tuple[str, ...], tared: bool, calibrated: bool = False, errors: SensorErrors = SENSOR_ERRORS
) -> Layout:
    """For a log with these motion signals; a tared force sensor has no offset, calibrated motion sensors no errors."""
    parts: list[tuple[str, int, float]] = [("mass", 1, 100.0), ("first_moment", 3, 10.0), ("moments", 6, 1.0)]
    if not tared:
        parts += [("torque_offset", 3, errors.torque_offset), ("force_offset", 3, errors.force_offset)]
    if calibrated:
        signals = ()
    if "twist/angular" in signals:
        parts.append(("gyro_bias", 3, errors.gyro_bias))
    if "twist/linear" in signals:
        parts.append(("velocity_bias", 3, errors.velocity_bias))
    if "specific_force" in signals:
        parts += [("accelerometer_bias", 3, errors.accelerometer_bias), ("accelerometer_scale", 1, errors.scale)]
        parts += [("rotation", 3, errors.rotation), ("lever", 3, errors.lever)]
    if "attitude" in signals:
        parts.append(("attitude_rotation", 3, errors.attitude_rotation))
    parts += [(f"delay/{signal}", 1, errors.delay) for signal in signals]
    slices, begin = {}, 0
    for name, size, _ in parts:
        slices[name] = slice(begin, begin + size)
        begin += size
    return Layout(slices, np.concatenate([np.full(size, std) for _, size, std in parts]))


@dataclasses.dataclass(frozen=True, eq=False)
class Unknowns:
    """Their values; those that a log does not have are zero."""

    load: np.ndarray
    """(10,): mass m (kg), first moment m c (kg m), moments about the sensor's origin xx, yy, zz, xy, xz, yz (kg m²)."""
    torque_offset: np.ndarray
    """(3,), N m: what the sensor adds."""
    force_offset: np.ndarray
    """(3,), N."""
    gyro_bias: np.ndarray
    """(3,), rad/s."""
    velocity_bias: np.ndarray
    """(3,), m/s."""
    accelerometer_bias: np.ndarray
    """(3,), m/s²."""
    accelerometer_scale: float
    """How much too large it reads: a share."""
    rotation: np.ndarray
    """(3, 3): from the axes of the force sensor to those of the inertial sensor."""
    lever: np.ndarray
    """(3,), m: from the force sensor's origin to the inertial sensor, force sensor's axes."""
    attitude_rotation: np.ndarray
    """(3, 3): from the axes whose orientation was recorded to those of the force sensor."""
    mounting: np.ndarray
    """(3, 3): the rotation that the prior is about."""
    delays: dict[str, float]
    """s, by signal: how late each is against the wrench."""
    expected_delays: dict[str, float]
    """s: what the prior is about."""

    @staticmethod
    def start(load: np.ndarray, mounting: np.ndarray, delays: dict[str, float]) -> "Unknowns":
        """Perfect sensors, but for delays that are known roughly."""
        zero = np.zeros(3)
        return Unknowns(load, zero, zero, zero, zero, zero, 0.0, mounting, zero, np.eye(3), mounting, delays, delays)

    def moved(self, at: Layout, step: np.ndarray) -> "Unknowns":
        """After a step in the vector of unknowns."""

        def part(name: str, default: np.ndarray) -> np.ndarray:
            return step[at[name]] if name in at else default

        zero = np.zeros(3)
        return dataclasses.replace(
            self,
            load=self.load + step[:10],
            torque_offset=self.torque_offset + part("torque_offset", zero),
            force_offset=self.force_offset + part("force_offset", zero),
            gyro_bias=self.gyro_bias + part("gyro_bias", zero),
            velocity_bias=self.velocity_bias + part("velocity_bias", zero),
            accelerometer_bias=self.accelerometer_bias + part("accelerometer_bias", zero),
            accelerometer_scale=self.accelerometer_scale + float(part("accelerometer_scale", np.zeros(1))[0]),
            rotation=self.rotation @ Rotation.from_rotvec(part("rotation", zero)).as_matrix(),
            attitude_rotation=self.attitude_rotation
            @ Rotation.from_rotvec(part("attitude_rotation", zero)).as_matrix(),
            lever=self.lever + part("lever", zero),
            delays={s: d + float(part(f"delay/{s}", np.zeros(1))[0]) for s, d in self.delays.items()},
        )

    def vector(self, at: Layout) -> np.ndarray:
        """(size,): distances from where the prior has its mean."""
        turned = Rotation.from_matrix(self.mounting.T @ self.rotation).as_rotvec()
        known = {
            "torque_offset": self.torque_offset,
            "force_offset": self.force_offset,
            "gyro_bias": self.gyro_bias,
            "velocity_bias": self.velocity_bias,
            "accelerometer_bias": self.accelerometer_bias,
            "accelerometer_scale": np.array([self.accelerometer_scale]),
            "rotation": turned,
            "lever": self.lever,
            "attitude_rotation": Rotation.from_matrix(self.attitude_rotation).as_rotvec(),
            **{f"delay/{s}": np.array([delay - self.expected_delays[s]]) for s, delay in self.delays.items()},
        }
        values = np.zeros(at.size)
        values[:10] = self.load
        for name, value in known.items():
            if name in at:
                values[at[name]] = value
        return values
