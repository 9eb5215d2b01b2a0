"""A neighbour's pose from both robots' twists, by dual quaternions: a smallest eigenvector and a small linear system.

The sums that the paper keeps, P_k⁻¹ and S_k, are linear in the second moments of the four measured velocities, so those
are what is stored: one outer product a sample, and the eigenvector only when somebody asks.
"""

import functools

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
from jaxtyping import Array, Float

from steelyard.geometry import Twist, dual_quaternion_from_twist, minus_matrix, plus_matrix, quaternion_left_matrix
from steelyard.papers.fan17.robots._tuning import TUNING


def H_pose(twist_i: Twist, twist_j: Twist) -> Float[Array, "8 8"]:
    """H with H (q_r, q_d) = 0 for the dual quaternion that takes twists from i to j [fan17, Eq. (15)]."""
    return plus_matrix(dual_quaternion_from_twist(twist_j)) - minus_matrix(dual_quaternion_from_twist(twist_i))


class PoseSums(msgspec.Struct, frozen=True):
    """All that a robot keeps of its own and a neighbour's twists."""

    moments: np.ndarray
    """Σ z zᵀ of z = (ω_i, ω_j, v_i, v_j): i the neighbour, whose coordinates the pose takes to those of j, the own."""
    samples: int

    @staticmethod
    def nothing() -> "PoseSums":
        """Before the first pair of samples."""
        return PoseSums(np.zeros((12, 12)), 0)

    def add(self, twist_i: np.ndarray, twist_j: np.ndarray) -> "PoseSums":
        """With a pair of twists (angular, linear) of the same time: the recursion of [fan17, Eqs. (38), (40)]."""
        z = np.concatenate([twist_i[:3], twist_j[:3], twist_i[3:], twist_j[3:]])
        return PoseSums(self.moments + z[:, None] * z, self.samples + 1)


class PoseFit(msgspec.Struct, frozen=True):
    """A pose g_ji = (R_ji, t_ji) from the neighbour's frame i to the own j, and how well it is known."""

    q_real: np.ndarray
    """The unit quaternion of R_ji, w positive."""
    t_ji: np.ndarray
    """m."""
    position_std: np.ndarray
    """m, own axes; as all deviations here, of the least squares: the bias of squared noise is not in it."""
    rotation_std: np.ndarray
    """rad, about the own axes."""

    @property
    def known(self) -> bool:
        """False while the motion so far leaves another pose nearly as likely: two eigenvalues are too close."""
        return bool(self.rotation_std.max() < TUNING.rotation_known and self.position_std.max() < TUNING.position_known)


def fit_pose(sums: PoseSums, angular_noise: float, linear_noise: float) -> PoseFit:
    """The smallest eigenvector [fan17, Eq. (38)], then q_d under its constraint [fan17, Eqs. (39)-(40)].

    R_k is a number times 1. By Proposition 2 it is 2 σ² (1 − q qᵀ) for the rows of q_r; with the full unit matrix noise
    adds the same to every eigenvalue, so that it does not move the eigenvector, and the sums need no estimate. It does
    pull q_d towards zero, by the share of the noise in P_k⁻¹: the paper's filter has that bias.
    """
    G, M = _blocks(), sums.moments
    Lambda = np.einsum("abk,acl,kl->bc", G, G, M[:6, :6])
    C = -np.einsum("abk,acl,kl->bc", G, G, M[:6, 6:])
    eigenvalues, vectors = np.linalg.eigh(Lambda)
    q_r = vectors[:, 0] * (1.0 if vectors[0, 0] >= 0.0 else -1.0)
    system = np.block([[Lambda, q_r[:, None]], [q_r[None, :], np.zeros((1, 1))]])
    q_d = np.linalg.lstsq(system, np.append(C @ q_r, 0.0), rcond=1e-12)[0][:4]  # singular while nothing has turned
    B = (_products() @ q_r).T  # columns (0, e_k) ∘ q_r: turning by δ adds B δ / 2 to q_r
    noise = 2.0 * max(angular_noise, 1e-9) ** 2
    gaps = np.maximum(eigenvalues[1:] - eigenvalues[0], 1e-100)
    spread = (vectors[:, 1:] * (noise * np.maximum(eigenvalues[1:], gaps) / gaps**2)) @ vectors[:, 1:].T
    moving = 2.0 * (max(linear_noise, 1e-9) ** 2 + (q_d @ q_d) * max(angular_noise, 1e-9) ** 2)
    scatter = (vectors[:, 1:] * (moving * np.maximum(eigenvalues[1:], gaps) / gaps**2)) @ vectors[:, 1:].T
    return PoseFit(
        q_real=q_r,
        t_ji=2.0 * B.T @ q_d,
        position_std=2.0 * np.sqrt(np.diag(B.T @ scatter @ B)),
        rotation_std=2.0 * np.sqrt(np.diag(B.T @ spread @ B)),
    )


@functools.cache
def _blocks() -> np.ndarray:
    """G with H_q(a, b) = Σ_k G[:, :, k] (a, b)_k, the block of H for angular velocities a and b [fan17, Eq. (14)]."""
    still = jnp.zeros(3)
    return np.asarray(jax.jacobian(lambda ab: H_pose(Twist(ab[:3], still), Twist(ab[3:], still))[:4, :4])(jnp.zeros(6)))


@functools.cache
def _products() -> np.ndarray:
    """Q with (0, e_k) ∘ q = Q[k] @ q."""
    return np.stack([np.asarray(quaternion_left_matrix(unit)) for unit in jnp.eye(4)[1:]])
