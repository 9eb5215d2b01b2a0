"""Rotations of whole recordings, in NumPy: (n, 4) quaternions w, x, y, z and (n, 3, 3) matrices."""

import itertools

import numpy as np

from steelyard._rotations import matrices as matrices
from steelyard._rotations import quaternion_from_matrix
from steelyard.errors import BadInput, nearest
from steelyard.logs.mapping._tuning import TUNING

FRAMES = {
    "ours": ("x", "y", "z"),
    "FLU": ("x", "y", "z"),
    "NWU": ("x", "y", "z"),
    "ENU": ("x", "y", "z"),
    "FRD": ("x", "-y", "-z"),
    "NED": ("x", "-y", "-z"),
    "RFU": ("y", "-x", "z"),
}
"""Our axes in those of each named frame. NED becomes north, west, up: the same flips as FRD to FLU."""


def frame_axes(frame: str) -> tuple[str, ...]:
    """Our axes in a named frame's."""
    if frame not in FRAMES:
        raise BadInput(f'Unknown frame "{frame}"; {nearest(frame, list(FRAMES))}')
    return FRAMES[frame]


def axes_matrix(axes: tuple[str, ...] | list[str]) -> np.ndarray:
    """(3, 3) of axes such as ("x", "-y", "-z"): v_ours = M v_recorded."""
    M = np.zeros((3, 3))
    for row, axis in enumerate(axes):
        name = axis.removeprefix("-").removeprefix("+")
        if name not in ("x", "y", "z") or row > 2:
            raise BadInput(f'axes holds "{axis}"; give three of x, y, z, each with a minus where it is turned round.')
        M[row, "xyz".index(name)] = -1.0 if axis.startswith("-") else 1.0
    if abs(abs(np.linalg.det(M)) - 1.0) > 1e-9:
        raise BadInput(f"axes = {list(axes)} names an axis twice; name each of x, y, z once.")
    return M


def axes_of(M: np.ndarray) -> tuple[str, ...]:
    """Names of a signed permutation matrix."""
    columns = np.argmax(np.abs(M), axis=1)
    return tuple(("-" if M[row, k] < 0 else "") + "xyz"[k] for row, k in enumerate(columns))


def _all_signed_permutations() -> np.ndarray:
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            M = np.zeros((3, 3))
            for row, (k, sign) in enumerate(zip(order, signs, strict=True)):
                M[row, k] = sign
            if np.linalg.det(M) > 0:
                found.append(M)
    return np.stack(found)


SIGNED_PERMUTATIONS = _all_signed_permutations()
"""(24, 3, 3): the rotations that only rename and turn round axes."""


def angle_between(A: np.ndarray, B: np.ndarray) -> float:
    """rad, of the rotation from one rotation matrix to another."""
    return float(np.arccos(np.clip((np.trace(A.T @ B) - 1) / 2, -1.0, 1.0)))


def normalised(q: np.ndarray) -> np.ndarray:
    """Unit quaternions; NaN where the norm is far from 1, or of counts (10000 or 2^14 for 1) far from the usual one."""
    norm = np.linalg.norm(q, axis=1, keepdims=True)
    usual = float(np.nanmedian(norm)) if np.isfinite(norm).any() else 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(
            np.abs(norm / (usual if usual > TUNING.counted_quaternion else 1.0) - 1) < 0.2, q / norm, np.nan
        )


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (n, 4) of rotations (n, 3, 3), neighbours on the same side."""
    return continuous(quaternion_from_matrix(R))


def continuous(q: np.ndarray) -> np.ndarray:
    """The same rotations, each quaternion on the side of the one before it, the first with w >= 0."""
    if len(q) == 0:
        return q
    dots = np.nan_to_num(np.sum(q[1:] * q[:-1], axis=1), nan=1.0)
    first = -1.0 if q[0, 0] < 0 else 1.0
    return q * np.cumprod(np.concatenate([[first], np.where(dots < 0, -1.0, 1.0)]))[:, None]


def quaternions_from_angles(angles: np.ndarray) -> np.ndarray:
    """Of roll, pitch, yaw (n, 3), rad: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, cp, cy = np.cos(angles / 2).T
    sr, sp, sy = np.sin(angles / 2).T
    return np.stack(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ],
        axis=1,
    )


def quaternions_from_vectors(vectors: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3), rad, as quaternions (n, 4)."""
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * vectors], axis=1)


def body_rates(time: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times (n−1,) half-way between samples and the body's angular velocity (n−1, 3), rad/s, over each step."""
    q = continuous(q)
    w, v = q[:-1, :1], q[:-1, 1:]
    w2, v2 = q[1:, :1], q[1:, 1:]
    vector = w * v2 - w2 * v - np.cross(v, v2)  # of conj(q_k) q_k+1
    scalar = np.sum(q[:-1] * q[1:], axis=1, keepdims=True)
    size = np.linalg.norm(vector, axis=1, keepdims=True)
    angle = 2 * np.arctan2(size, scalar)
    with np.errstate(invalid="ignore", divide="ignore"):
        turn = np.where(size > 1e-12, vector / size * angle, 2 * vector)
    dt = np.diff(time)
    return 0.5 * (time[1:] + time[:-1]), turn / dt[:, None]
