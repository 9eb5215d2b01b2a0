"""The unknowns beside the motion: ten inertial parameters, and what real sensors get wrong."""

import dataclasses

import numpy as np

from steelyard._rotations import exp_so3, log_so3
from steelyard.problems.rigid_body._tuning import SENSOR_ERRORS

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
    signals: tuple[str, ...],
    tared: bool,
    calibrated: bool = False,
    drift: "Drift | None" = None,
) -> Layout:
    """For a log with these motion signals; a tared force sensor has no offset, calibrated motion sensors no errors."""
    errors = SENSOR_ERRORS
    parts: list[tuple[str, int, float]] = [("mass", 1, 100.0), ("first_moment", 3, 10.0), ("moments", 6, 1.0)]
    if not tared:
        parts += [("torque_offset", 3, errors.torque_offset), ("force_offset", 3, errors.force_offset)]
    if drift is not None:
        parts += [
            ("torque_drift", 3 * drift.count, drift.torque_std),
            ("force_drift", 3 * drift.count, drift.force_std),
        ]
    if calibrated:
        signals = ()
    if "twist/angular" in signals:
        parts.append(("gyro_bias", 3, errors.gyro_bias))
    if "twist/linear" in signals:
        parts.append(("velocity_bias", 3, errors.velocity_bias))
    if "specific_force" in signals:
        parts += [("accelerometer_bias", 3, errors.accelerometer_bias), ("accelerometer_scale", 1, errors.scale)]
        parts.append(("lever", 3, errors.lever))
    if "specific_force" in signals or "twist/angular" in signals:
        parts.append(("rotation", 3, errors.rotation))
    if "attitude" in signals:
        parts.append(("attitude_rotation", 3, errors.attitude_rotation))
    parts += [(f"delay/{signal}", 1, errors.delay) for signal in signals]
    slices, begin = {"load": slice(0, 10)}, 0
    for name, size, _ in parts:
        slices[name] = slice(begin, begin + size)
        begin += size
    return Layout(slices, np.concatenate([np.full(size, std) for _, size, std in parts]))


@dataclasses.dataclass(frozen=True)
class Drift:
    """Offsets of a force sensor that wander: a random walk, straight between times that are equally far apart."""

    start: float
    """s."""
    step: float
    """s, between two of these times."""
    count: int
    """How many steps there are."""
    force_std: float
    """N, of one step beforehand."""
    torque_std: float
    """N m."""

    def shares(self, time: np.ndarray) -> np.ndarray:
        """(n, count): how much of each step has been made."""
        return np.clip((time[:, None] - self.start) / self.step - np.arange(self.count), 0.0, 1.0)

    def by_steps(self, time: np.ndarray, torque: bool) -> np.ndarray:
        """(n, 6, 3 count): how torque and force depend on the steps of one of them."""
        turned = np.einsum("nj,ab->najb", self.shares(time), np.eye(3)).reshape(len(time), 3, 3 * self.count)
        nothing = np.zeros_like(turned)
        return np.concatenate([turned, nothing] if torque else [nothing, turned], axis=1)


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
    tool: np.ndarray
    """(10,): parameters of a tool that is known, and carried beside the load."""
    drift: Drift | None = None
    torque_steps: np.ndarray | None = None
    """(count, 3), N m: of the torque's drift."""
    force_steps: np.ndarray | None = None
    """(count, 3), N."""

    @property
    def carried(self) -> np.ndarray:
        """(10,): parameters of load and tool together."""
        return self.load + self.tool

    def offsets(self, time: np.ndarray) -> np.ndarray:
        """(n, 6): what the sensor adds to torque and force."""
        constant = np.broadcast_to(np.concatenate([self.torque_offset, self.force_offset]), (len(time), 6))
        if self.drift is None or self.torque_steps is None or self.force_steps is None:
            return constant
        return constant + self.drift.shares(time) @ np.concatenate([self.torque_steps, self.force_steps], axis=1)

    @staticmethod
    def start(
        load: np.ndarray, mounting: np.ndarray, delays: dict[str, float], tool: np.ndarray, drift: Drift | None
    ) -> "Unknowns":
        """Perfect sensors, but for delays that are known roughly."""
        zero, steps = np.zeros(3), None if drift is None else np.zeros((drift.count, 3))
        perfect = (zero, zero, zero, zero, zero, 0.0, mounting, zero, np.eye(3), mounting)
        return Unknowns(load, *perfect, delays, delays, tool, drift, steps, steps)

    def moved(self, at: Layout, step: np.ndarray) -> "Unknowns":
        """After a step in the vector of unknowns."""

        def part(name: str, default: np.ndarray) -> np.ndarray:
            return step[at[name]] if name in at else default

        zero, steps = np.zeros(3), {}
        if self.torque_steps is not None and self.force_steps is not None:
            steps["torque_steps"] = self.torque_steps + step[at["torque_drift"]].reshape(-1, 3)
            steps["force_steps"] = self.force_steps + step[at["force_drift"]].reshape(-1, 3)
        return dataclasses.replace(
            self,
            **steps,
            load=self.load + step[:10],
            torque_offset=self.torque_offset + part("torque_offset", zero),
            force_offset=self.force_offset + part("force_offset", zero),
            gyro_bias=self.gyro_bias + part("gyro_bias", zero),
            velocity_bias=self.velocity_bias + part("velocity_bias", zero),
            accelerometer_bias=self.accelerometer_bias + part("accelerometer_bias", zero),
            accelerometer_scale=self.accelerometer_scale + float(part("accelerometer_scale", np.zeros(1))[0]),
            rotation=self.rotation @ exp_so3(part("rotation", zero)),
            attitude_rotation=self.attitude_rotation @ exp_so3(part("attitude_rotation", zero)),
            lever=self.lever + part("lever", zero),
            delays={s: d + float(part(f"delay/{s}", np.zeros(1))[0]) for s, d in self.delays.items()},
        )

    def vector(self, at: Layout) -> np.ndarray:
        """(size,): distances from where the prior has its mean."""
        known = {
            "torque_offset": self.torque_offset,
            "force_offset": self.force_offset,
            "gyro_bias": self.gyro_bias,
            "velocity_bias": self.velocity_bias,
            "accelerometer_bias": self.accelerometer_bias,
            "accelerometer_scale": np.array([self.accelerometer_scale]),
            "lever": self.lever,
            **{f"delay/{s}": np.array([delay - self.expected_delays[s]]) for s, delay in self.delays.items()},
        }
        if self.torque_steps is not None and self.force_steps is not None:
            known |= {"torque_drift": self.torque_steps.ravel(), "force_drift": self.force_steps.ravel()}
        if "rotation" in at:
            known["rotation"] = log_so3(self.mounting.T @ self.rotation)
        if "attitude_rotation" in at:
            known["attitude_rotation"] = log_so3(self.attitude_rotation)
        values = np.zeros(at.size)
        values[:10] = self.load
        for name, value in known.items():
            if name in at:
                values[at[name]] = value
        return values
