"""Named conversions that are more than a factor; a mapping states them by name."""

from collections.abc import Callable, Mapping

import numpy as np


def crazyflie_thrust(raw: np.ndarray) -> np.ndarray:
    """Collective thrust, N, from four PWM commands of 0..65535 and a battery's voltage as fifth column.

    The voltage is in V, or in mV where it is above 100, and may be left out.

    Förster 2015: rpm = 0.2685 p + 4070.3 and 3.16e-10 N a rpm² and rotor, at 3.8 V; p is scaled by V / 3.8. A motor
    at 0 stands still.
    """
    p = raw[:, :4]
    if raw.shape[1] > 4:
        volts = raw[:, 4:5]
        p = p * np.where(volts > 100, 1e-3 * volts, volts) / 3.8
    rpm = np.where(p > 0, 0.2685 * p + 4070.3, 0.0)
    return np.sum(3.16e-10 * rpm**2, axis=1, keepdims=True)


def rotated_to_world(raw: np.ndarray) -> np.ndarray:
    """A body's velocity (first three columns) in world axes, by its quaternion w, x, y, z (last four)."""
    from steelyard.logs.mapping._rotations import matrices, normalised

    return np.einsum("nij,nj->ni", matrices(normalised(raw[:, 3:7])), raw[:, :3])


def summed(raw: np.ndarray) -> np.ndarray:
    """The collective thrust of rotors whose thrusts are logged."""
    return np.sum(raw, axis=1, keepdims=True)


def negated(raw: np.ndarray) -> np.ndarray:
    """The opposite sign: a thrust that is logged along a z axis that points down."""
    return -raw


def legacy_pitch(raw: np.ndarray) -> np.ndarray:
    """Roll, pitch, yaw with the pitch turned round: the Crazyflie's old body axes."""
    return raw * np.array([1.0, -1.0, 1.0])


CONVERSIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "crazyflie-2-thrust": crazyflie_thrust,
    "body-to-world": rotated_to_world,
    "negative": negated,
    "sum": summed,
    "legacy-pitch": legacy_pitch,
}
"""By name; each takes the recorded columns (n, k)."""
