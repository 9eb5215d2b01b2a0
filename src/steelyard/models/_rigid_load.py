"""A rigid load that is held at one sensor frame, everything about it unknown."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import (
    SO3,
    Inertia,
    group_exp,
    group_multiply,
    inertia_from_log_cholesky,
    product,
    rotation_matrix,
)
from steelyard.models._model import Model, Numbers, Seconds
from steelyard.models._multirotor import STANDARD_GRAVITY


class RigidLoadState(eqx.Module):
    """How the load moves, what acts on it, and what is to be found out about it; all in sensor frame i.

    Nothing here shows where north is: the part of `attitude` about the vertical stays as it was guessed, and matters to
    nothing else.
    """

    attitude: SO3
    """R_wi, takes sensor coordinates to world coordinates."""
    angular: Float[Numbers, "*batch 3"]
    """Angular velocity, rad/s."""
    linear: Float[Numbers, "*batch 3"]
    """Velocity of the sensor's origin, m/s."""
    log_cholesky: Float[Numbers, "*batch 10"]
    """Coordinates of the ten inertial parameters, see `geometry.log_cholesky`: no value of theirs is impossible."""
    wrench: Float[Numbers, "*batch 6"]
    """Torque (N m) and force (N) that act now. A state of no memory: every row's reading replaces it."""
    bias: Float[Numbers, "*batch bias"]
    """Of the readings of torque (N m) and force (N) where it is unknown; empty where there is none."""

    @property
    def inertia(self) -> Inertia:
        """The ten parameters about the sensor's origin."""
        return inertia_from_log_cholesky(jnp.asarray(self.log_cholesky))


class RigidLoad(Model):
    """Newton and Euler in the sensor frame of the one robot that holds the load; it reads twist and specific force.

    The control is the reading of the total wrench, (torque, force), at the end of the interval. It is white: its errors
    are independent from row to row. Because the reading is kept as a state until the next row, the error that it makes
    in the motion, in the specific force and in both intervals beside it is one and the same, and filters know. Road not
    taken: a wrench that walks at random, which was seen to make filters overconfident by up to 40 times.
    """

    gravity: Float[Array, "3"]
    held: bool = eqx.field(static=True)
    """Whether a wrench acts unchanged until the next row; else it varies evenly between the readings."""

    def __init__(self, gravity=STANDARD_GRAVITY, held: bool = False):
        self.gravity = jnp.asarray(gravity, float)
        self.held = held

    def dynamics(self, state: RigidLoadState, control: Float[Array, "6"], dt: Seconds) -> RigidLoadState:
        """The midpoint rule, of second order, under the mean of the wrenches at both ends."""
        after = control - state.bias if state.bias.size else control
        w = jnp.asarray(state.wrench) if self.held else 0.5 * (state.wrench + after)
        alpha, a = self.accelerations(state, w)
        middle = _moved(state, state.angular, alpha, a, 0.5 * dt)
        alpha, a = self.accelerations(middle, w)
        moved = _moved(state, middle.angular, alpha, a, dt)
        return eqx.tree_at(lambda state: state.wrench, moved, after)

    def accelerations(
        self, state: RigidLoadState, wrench: Float[Array, "6"]
    ) -> tuple[Float[Array, "3"], Float[Array, "3"]]:
        """Of angular velocity (rad/s²), and of the components of the velocity (m/s²): v̇ = s − ω × v + R_wiᵀ g."""
        alpha, s = self.felt(state, wrench)
        weight = product(rotation_matrix(state.attitude).T, self.gravity)
        return alpha, s - jnp.cross(state.angular, state.linear) + weight

    def felt(self, state: RigidLoadState, wrench: Float[Array, "6"]) -> tuple[Float[Array, "3"], Float[Array, "3"]]:
        """Angular acceleration (rad/s²) and specific force (m/s²) under a wrench; [fan17, Eqs. (26)-(27)] solved.

        The paper's ω × v + ā is the specific force s; gravity, which acts at the centre of mass, turns nothing.
        """
        theta, omega = jnp.asarray(state.log_cholesky), jnp.asarray(state.angular)
        tau, F = wrench[:3], wrench[3:]
        m, c, I = jnp.exp(2.0 * theta[0]), theta[7:], _inertia_about_com(theta)
        alpha = _solve_symmetric(I, tau - jnp.cross(c, F) - jnp.cross(omega, product(I, omega)))
        return alpha, F / m - jnp.cross(alpha, c) - jnp.cross(omega, jnp.cross(omega, c))

    def observe(self, state: RigidLoadState, control: Float[Array, "6"]) -> Float[Array, "9"]:
        """Angular velocity (rad/s), velocity (m/s) and specific force (m/s²)."""
        del control  # what acts is a state
        _, s = self.felt(state, jnp.asarray(state.wrench))
        return jnp.concatenate([jnp.asarray(state.angular), jnp.asarray(state.linear), s])

    def idle(self, state: RigidLoadState) -> Float[Array, "6"]:
        """What acted last goes on."""
        return state.wrench + state.bias if state.bias.size else jnp.asarray(state.wrench)


def _inertia_about_com(theta: Float[Array, "10"]) -> Float[Array, "3 3"]:
    """tr(Σ) 1 − Σ with the Σ of the pseudo-inertia about the centre: no difference of large numbers."""
    alpha, d1, d2, d3, s12, s23, s13 = theta[:7]
    e1, e2, e3 = jnp.exp(d1), jnp.exp(d2), jnp.exp(d3)
    xx, yy, zz = e1**2 + s12**2 + s13**2, e2**2 + s23**2, e3**2
    xy, xz, yz = s12 * e2 + s13 * s23, s13 * e3, s23 * e3
    rows = jnp.stack([yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy]).reshape(3, 3)
    return jnp.exp(2.0 * alpha) * rows


def _solve_symmetric(A: Float[Array, "3 3"], b: Float[Array, "3"]) -> Float[Array, "3"]:
    """A⁻¹ b by cross products: small unrolled algebra."""
    x, y, z = A[0], A[1], A[2]
    yz, zx, xy = jnp.cross(y, z), jnp.cross(z, x), jnp.cross(x, y)
    return (b[0] * yz + b[1] * zx + b[2] * xy) / jnp.sum(x * yz)


def _moved(state: RigidLoadState, omega, alpha, a, dt: Seconds) -> RigidLoadState:
    """The state after `dt` seconds of these angular velocity and accelerations."""
    return RigidLoadState(
        attitude=group_multiply(state.attitude, group_exp(SO3, dt * omega)),
        angular=state.angular + dt * alpha,
        linear=state.linear + dt * a,
        log_cholesky=state.log_cholesky,
        wrench=state.wrench,
        bias=state.bias,
    )
