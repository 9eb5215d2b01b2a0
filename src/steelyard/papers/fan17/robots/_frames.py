"""Poses of neighbours, as the matrices by which a robot takes what they send into its own frame."""

import jax.numpy as jnp
import msgspec
import numpy as np

from steelyard.geometry import SE3, SO3, adjoint, coadjoint, matrix_from_moments, moments_from_matrix


class Neighbour(msgspec.Struct, frozen=True):
    """g_ij of a neighbour j in every form that a step of robot i needs."""

    R_ij: np.ndarray
    t_ij: np.ndarray
    """m."""
    coadjoint_ij: np.ndarray
    """Wrenches from j to i: the transpose of Ad_ji [fan17, Eq. (22)]."""
    row_ij: np.ndarray
    """(9, 9), wrench and angular acceleration from j to i."""
    inertia_ij: np.ndarray
    """(6, 6), moments about the centre of mass from j to i."""
    H_alpha: np.ndarray
    """[t_ij]× R_ij: how α in the axes of j shows in the difference of the two accelerometers [fan17, Eq. (17)]."""


def neighbour_from_pose(q_ij: np.ndarray, t_ij: np.ndarray) -> Neighbour:
    """From the unit quaternion and the position (m) of the neighbour's frame in the own."""
    pose_ij = SE3.from_rotation_and_translation(SO3(jnp.asarray(q_ij)), jnp.asarray(t_ij))
    R = pose_ij.rotation().as_matrix()
    turned = [moments_from_matrix(R @ matrix_from_moments(unit) @ R.T) for unit in jnp.eye(6)]
    R_ij = np.asarray(R)
    wrenches = np.asarray(coadjoint(pose_ij))
    return Neighbour(
        R_ij=R_ij,
        t_ij=np.asarray(t_ij, float),
        coadjoint_ij=wrenches,
        row_ij=np.block([[wrenches, np.zeros((6, 3))], [np.zeros((3, 6)), R_ij]]),
        inertia_ij=np.stack(turned, axis=1),
        H_alpha=np.asarray(adjoint(pose_ij))[3:, :3],
    )


def move_load(neighbour: Neighbour, load_j: np.ndarray) -> np.ndarray:
    """(p_c, I_c, 1/m) of neighbour j in the own frame [fan17, Eqs. (31)-(32)]; (31) is transposed in print."""
    com = neighbour.R_ij @ load_j[:3] + neighbour.t_ij
    return np.concatenate([com, neighbour.inertia_ij @ load_j[3:9], load_j[9:]])
