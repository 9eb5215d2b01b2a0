"""Rotations in NumPy, for recorded arrays and for steps too short for a call into JAX.

Their source is `geometry`, which has them in JAX; a test holds these to it.
"""

from typing import Any

import numpy as np


def skew(v: np.ndarray) -> np.ndarray:
    """(…, 3) to (…, 3, 3)."""
    out = np.zeros((*v.shape, 3), v.dtype)
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product a × b over the last axis; several times as quick as NumPy's on few rows."""
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)  # which takes longer than the sums
    out = np.empty(shape, a.dtype if a.dtype == b.dtype else np.result_type(a, b))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def exp_so3(v: np.ndarray) -> np.ndarray:
    """The rotation matrix of a rotation vector (rad), over leading axes."""
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    small = angle < 1e-8
    safe = np.where(small, 1.0, angle)
    W = skew(v)
    sine = np.where(small, 1.0, np.sin(safe) / safe)
    versine = np.where(small, 0.5, (1.0 - np.cos(safe)) / safe**2)
    return np.eye(3) + sine * W + versine * (W @ W)


def log_so3(R: np.ndarray) -> np.ndarray:
    """rad, over leading axes; the inverse of `exp_so3` for turns of less than half a revolution."""
    q = quaternion_from_matrix(R)
    if q.ndim == 1:
        return rotation_vector(q)
    sine = np.linalg.norm(q[..., 1:], axis=-1)
    small = sine < 1e-12
    return q[..., 1:] * np.where(small, 2.0, 2.0 * np.arctan2(sine, q[..., 0]) / np.where(small, 1.0, sine))[..., None]


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """rad, of one unit quaternion w, x, y, z: the shorter way round."""
    w, v = (q[0], q[1:]) if q[0] >= 0 else (-q[0], -q[1:])
    sine = float(np.linalg.norm(v))
    return v * (2.0 if sine < 1e-12 else 2.0 * np.arctan2(sine, w) / sine)


def quaternion_from_matrix(R: np.ndarray) -> np.ndarray:
    """Unit quaternions w, x, y, z, w not negative, of rotation matrices (…, 3, 3); NaN where a matrix has it.

    Four formulas divide by one component each; the one of the largest component is taken.
    """
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    best = np.argmax(np.array([xx + yy + zz, xx, yy, zz]), axis=0)
    if R.ndim == 2:
        q = _times_component(R, int(best))
        return q / np.copysign(np.linalg.norm(q), q[0] + 0.0)  # -0.0 counts as positive
    q = np.empty((*best.shape, 4))
    for k in range(4):
        q[best == k] = _times_component(R[best == k], k)
    return q / np.copysign(np.linalg.norm(q, axis=-1), q[..., 0] + 0.0)[..., None]


def _times_component(R: np.ndarray, k: int) -> np.ndarray:
    """The quaternions of matrices times four times their own component k."""
    q = np.empty((*R.shape[:-2], 4))
    if k == 0:
        q[..., 0] = 1.0 + (R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2])
        q[..., 1] = R[..., 2, 1] - R[..., 1, 2]
        q[..., 2] = R[..., 0, 2] - R[..., 2, 0]
        q[..., 3] = R[..., 1, 0] - R[..., 0, 1]
        return q
    i, j, m = k - 1, k % 3, (k + 1) % 3
    q[..., 0] = R[..., m, j] - R[..., j, m]
    q[..., 1 + i] = 1.0 + R[..., i, i] - R[..., j, j] - R[..., m, m]
    q[..., 1 + j], q[..., 1 + m] = R[..., i, j] + R[..., j, i], R[..., i, m] + R[..., m, i]
    return q


def matrices(q: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of unit quaternions w, x, y, z (n, 4)."""
    return np.stack([np.stack(row, axis=-1) for row in _matrix_rows(*q.T)], axis=-2)


def matrix(q: np.ndarray) -> np.ndarray:
    """(3, 3) of one unit quaternion w, x, y, z; several times as quick as `matrices`."""
    return np.array(_matrix_rows(*q.tolist()))


def quaternion_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """P ∘ q of quaternions w, x, y, z, over leading axes."""
    w, v, u, x = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate([w * u - np.sum(v * x, axis=-1, keepdims=True), w * x + u * v + cross(v, x)], axis=-1)


def _matrix_rows(w: Any, x: Any, y: Any, z: Any) -> list[list[Any]]:
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
