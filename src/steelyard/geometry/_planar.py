"""The plane: twists, wrenches and their moves where rotation is a number.

Counter-clockwise is positive, vectors are (angular, linear), and `pose_ji` takes coordinates in frame i to frame j.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxlie import SE2
from jaxtyping import Array, Float


def perp(vector: Float[Array, "2"]) -> Float[Array, "2"]:
    """The vector turned by 90° counter-clockwise, z^⊥ in the papers [cdc14, Eq. (3)]."""
    x, y = vector
    return jnp.stack([-y, x])


def cross2(left: Float[Array, "2"], right: Float[Array, "2"]) -> Float[Array, ""]:
    """The out-of-plane component of left x right, equal to perp(left) · right: a force's torque [cdc14, Eq. (2)]."""
    return perp(left) @ right


class PlanarTwist(eqx.Module):
    """Angular velocity (rad/s) and velocity of the frame's origin (m/s), in the frame's own axes."""

    angular: Float[Array, ""]
    linear: Float[Array, "2"]

    @property
    def vector(self) -> Float[Array, "3"]:
        """(angular, linear) in one array."""
        return jnp.concatenate([self.angular[None], self.linear])

    @staticmethod
    def from_vector(vector: Float[Array, "3"]) -> "PlanarTwist":
        """The inverse of `vector`."""
        return PlanarTwist(vector[0], vector[1:])


class PlanarWrench(eqx.Module):
    """Torque about the frame's origin (N m) and force (N), in the frame's axes."""

    torque: Float[Array, ""]
    force: Float[Array, "2"]

    @property
    def vector(self) -> Float[Array, "3"]:
        """(torque, force) in one array."""
        return jnp.concatenate([self.torque[None], self.force])

    @staticmethod
    def from_vector(vector: Float[Array, "3"]) -> "PlanarWrench":
        """The inverse of `vector`."""
        return PlanarWrench(vector[0], vector[1:])


def planar_adjoint(pose_ji: SE2) -> Float[Array, "3 3"]:
    """Ad of a planar pose: planar twists in frame i to those in frame j, in (angular, linear) order."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    return jnp.block([[jnp.ones((1, 1)), jnp.zeros((1, 2))], [-perp(t)[:, None], R]])


def planar_coadjoint(pose_ji: SE2) -> Float[Array, "3 3"]:
    """The inverse transpose of Ad: planar wrenches in frame i to those in frame j, in (torque, force) order."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    return jnp.block([[jnp.ones((1, 1)), (perp(t) @ R)[None, :]], [jnp.zeros((2, 1)), R]])


def move_planar_twist(pose_ji: SE2, twist_i: PlanarTwist) -> PlanarTwist:
    """The same motion as frame j sees it: its axes, the velocity of its origin; as in [icra15, Eq. (8)]."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    return PlanarTwist(twist_i.angular, R @ twist_i.linear - twist_i.angular * perp(t))


def move_planar_wrench(pose_ji: SE2, wrench_i: PlanarWrench) -> PlanarWrench:
    """The same load as frame j sees it: its axes, the torque about its origin."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    f = R @ wrench_i.force
    return PlanarWrench(wrench_i.torque + cross2(t, f), f)
