"""Twists, wrenches, and how both look from another frame of the same rigid body.

Both are (angular, linear) = (torque, force), in the axes and about the origin of one frame. `pose_ji` takes coordinates
in frame i to frame j: p_j = R_ji p_i + t_ji.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxlie import SE3
from jaxtyping import Array, Float

from ._rotations import skew


class Twist(eqx.Module):
    """Angular velocity (rad/s) and velocity of the frame's origin (m/s), in the frame's own axes.

    Accelerations take the same shape: angular acceleration (rad/s²) and an accelerometer's reading (m/s²).
    """

    angular: Float[Array, "3"]
    linear: Float[Array, "3"]

    @property
    def vector(self) -> Float[Array, "6"]:
        """(angular, linear) in one array."""
        return jnp.concatenate([self.angular, self.linear])

    @staticmethod
    def from_vector(vector: Float[Array, "6"]) -> "Twist":
        """The inverse of `vector`."""
        return Twist(vector[:3], vector[3:])


class Wrench(eqx.Module):
    """Torque about the frame's origin (N m) and force (N), in the frame's axes."""

    torque: Float[Array, "3"]
    force: Float[Array, "3"]

    @property
    def vector(self) -> Float[Array, "6"]:
        """(torque, force) in one array."""
        return jnp.concatenate([self.torque, self.force])

    @staticmethod
    def from_vector(vector: Float[Array, "6"]) -> "Wrench":
        """The inverse of `vector`."""
        return Wrench(vector[:3], vector[3:])


def adjoint(pose_ji: SE3) -> Float[Array, "6 6"]:
    """Ad of a pose: twists in frame i to twists in frame j, in (angular, linear) order [fan17, Eq. (9)].

    jaxlie's own `SE3.adjoint` is in (linear, angular) order.
    """
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    return jnp.block([[R, jnp.zeros((3, 3))], [skew(t) @ R, R]])


def coadjoint(pose_ji: SE3) -> Float[Array, "6 6"]:
    """The inverse transpose of Ad: wrenches in frame i to wrenches in frame j, in (torque, force) order.

    In the other direction this is the Adᵀ of [fan17, Eq. (22)]: `coadjoint(pose_ij) = adjoint(pose_ji).T`.
    """
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    return jnp.block([[R, skew(t) @ R], [jnp.zeros((3, 3)), R]])


def small_coadjoint(twist: Twist) -> Float[Array, "6 6"]:
    """The rate of `coadjoint`, -adᵀ: what a wrench or a momentum gains because its frame moves with this twist."""
    W, V = skew(twist.angular), skew(twist.linear)
    return jnp.block([[W, V], [jnp.zeros((3, 3)), W]])


def move_twist(pose_ji: SE3, twist_i: Twist) -> Twist:
    """The same motion as frame j sees it: its axes, the velocity of its origin [fan17, Eq. (9)]."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    omega = R @ twist_i.angular
    return Twist(omega, R @ twist_i.linear + skew(t) @ omega)


def move_wrench(pose_ji: SE3, wrench_i: Wrench) -> Wrench:
    """The same load as frame j sees it: its axes, the torque about its origin; a term of [fan17, Eq. (22)]."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    F = R @ wrench_i.force
    return Wrench(R @ wrench_i.torque + skew(t) @ F, F)


def move_acceleration(pose_ji: SE3, twist_i: Twist, acceleration_i: Twist) -> Twist:
    """What an accelerometer in frame j reads, from one in frame i; with the angular acceleration.

    Accelerometers' readings s = v̇ + ω × v − Rᵀg differ by a centripetal term that Ad does not have: Ad, as used for
    [fan17, Eq. (17)], moves the v̇ − Rᵀg of [fan17, Eq. (8)].
    """
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    omega, alpha = R @ twist_i.angular, R @ acceleration_i.angular
    s_j = R @ acceleration_i.linear - (skew(alpha) + skew(omega) @ skew(omega)) @ t  # origin j lies at -t from origin i
    return Twist(alpha, s_j)
