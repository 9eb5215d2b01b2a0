"""A flying machine's acceleration in the world: as attitude and force state it, and as velocity or position show it."""

import numpy as np

from steelyard.logs.mapping._compare import Track, derivative
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._rotations import matrices
from steelyard.logs.mapping._tuning import TUNING


def acceleration(exam: Examination, robot: str, attitude: Track | None = None) -> Track | None:
    """World acceleration, gravity in it, from the attitude and the specific force, else the thrust.

    A thrust is scaled to carry the weight on average.
    """
    attitude = attitude or exam.track(f"{robot}/attitude")
    force = exam.track(f"{robot}/specific_force") or _along_z(exam.track(f"{robot}/thrust"))
    if attitude is None or force is None:
        return None
    slow, fast = (attitude, force) if attitude.rate < force.rate else (force, attitude)
    times = slow.time[(slow.time >= fast.time[0]) & (slow.time <= fast.time[-1])]
    if len(times) < 30:
        return None
    q = np.stack([np.interp(times, attitude.time, c) for c in attitude.values.T], 1)
    s = np.stack([np.interp(times, force.time, c) for c in force.values.T], 1)
    R = matrices(q / np.linalg.norm(q, axis=1, keepdims=True))
    return Track(times, np.einsum("nij,nj->ni", R, s))


def _along_z(thrust: Track | None) -> Track | None:
    if thrust is None:
        return None
    T = thrust.values[:, :1]
    size = np.abs(T)
    usual = float(np.median(size[size > 0.3 * size.max()])) if size.max() > 0 else 1.0
    return Track(thrust.time, T * (9.81 / usual) * np.array([0.0, 0.0, 1.0]))


def observed_acceleration(exam: Examination, robot: str) -> Track | None:
    """The velocity's derivative, else the position's second one, in the axes as recorded."""
    v, p = exam.track(f"{robot}/linear_velocity"), exam.track(f"{robot}/position")
    if v is not None:
        return derivative(v, 0.1)
    return None if p is None else derivative(derivative(p, TUNING.curvature), TUNING.curvature)
