"""A load on a plane that is pushed at its contacts, everything about it unknown."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import SO2, group_exp, group_multiply
from steelyard.models._model import Model, Numbers, Seconds
from steelyard.models._tuning import TUNING


class PlanarLoadState(eqx.Module):
    """The load's motion and its unknown parameters.

    Velocities do not show where north is: body axes are the world's at the start, so a guess of the `heading` there is
    exact, and its standard deviation is zero.
    """

    heading: SO2
    """Takes body coordinates to world coordinates."""
    angular_velocity: Float[Numbers, "*batch"]
    """Counter-clockwise, rad/s."""
    velocity: Float[Numbers, "*batch 2"]
    """Of the centre of mass, world, m/s."""
    contacts: Float[Numbers, "*batch robot 2"]
    """From the centre of mass to each robot's contact, body axes, m."""
    log_mass: Float[Numbers, "*batch"]
    """Logarithm of the mass in kg."""
    log_inertia: Float[Numbers, "*batch"]
    """Logarithm of the moment of inertia about the centre of mass in kg m²."""
    friction: Float[Numbers, "*batch friction"]
    """Viscous coefficient (N s/m) and Coulomb force (N) where friction is unknown; empty where it is given."""

    @property
    def arms(self) -> Float[Array, "robot 2"]:
        """From the centre of mass to each contact, world axes, m: r_i − r_c."""
        c, s = self.heading.unit_complex
        x, y = self.contacts[:, 0], self.contacts[:, 1]
        return jnp.stack([c * x - s * y, s * x + c * y], axis=1)


class PlanarLoad(Model):
    """[icra15, Eqs. (1)-(2)] with friction; robot i applies a force f_i and measures its contact's velocity.

    Friction resists sliding (v) and turning (ω) together, as a footprint of radius ρ does: with the sliding speed
    s² = |v|² + (ρ ω)² + `TUNING.least_speed`², its force is −(d + c/s) v and its torque −(d + c/s) ρ² ω. It never adds
    energy, and is smooth where the load stands still.
    """

    friction: Float[Array, "2"]
    """Viscous coefficient d (N s/m) and Coulomb force c (N), used where the state does not carry its own."""
    friction_radius: float
    """The ρ of the footprint, m; for even pressure, about the root of inertia over mass."""

    def __init__(self, friction=(0.0, 0.0), friction_radius: float = 1.0):
        self.friction = jnp.asarray(friction, float)
        self.friction_radius = friction_radius

    def dynamics(self, state: PlanarLoadState, control: Float[Array, "robot 2"], dt: Seconds) -> PlanarLoadState:
        """Forces keep their world axes over the interval; the midpoint rule, of second order."""
        # First order would take the arms at the interval's start: at 100 Hz and 3 rad/s, torques off by 1.5 % of
        # whatever the forces do along their arms, which is a bias of the inertia and not noise.
        alpha, a = self.accelerations(state, control)
        middle = _moved(state, state.angular_velocity, alpha, a, 0.5 * dt)
        alpha, a = self.accelerations(middle, control)
        return _moved(state, middle.angular_velocity, alpha, a, dt)

    def accelerations(
        self, state: PlanarLoadState, forces: Float[Array, "robot 2"]
    ) -> tuple[Float[Array, ""], Float[Array, "2"]]:
        """Angular (rad/s²) and of the centre of mass (world, m/s²)."""
        arms = state.arms
        torque = jnp.sum(arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0])
        friction_torque, friction_force = self.friction_wrench(state)
        alpha = (torque + friction_torque) * jnp.exp(-state.log_inertia)
        return alpha, (jnp.sum(forces, axis=0) + friction_force) * jnp.exp(-state.log_mass)

    def friction_wrench(self, state: PlanarLoadState) -> tuple[Float[Array, ""], Float[Array, "2"]]:
        """Torque (N m) and force (world, N) of friction."""
        d, c = state.friction if state.friction.size else self.friction
        v, omega, rho = state.velocity, state.angular_velocity, self.friction_radius
        sliding = jnp.sqrt(jnp.sum(v**2) + (rho * omega) ** 2 + TUNING.least_speed**2)
        resistance = d + c / sliding
        return -resistance * rho**2 * omega, -resistance * v

    def observe(self, state: PlanarLoadState, control: Float[Array, "robot 2"]) -> Float[Array, "robot 2"]:
        """Velocities of the contacts, world axes, m/s: ṙ_i = ṙ_c + ω perp(r_i − r_c), as in [icra15, Eq. (8)]."""
        del control
        arms = state.arms
        around = state.angular_velocity * jnp.stack([-arms[:, 1], arms[:, 0]], axis=1)
        return state.velocity[None, :] + around

    def idle(self, state: PlanarLoadState) -> Float[Array, "robot 2"]:
        """Nobody pushes."""
        return jnp.zeros_like(jnp.asarray(state.contacts))


def _moved(state: PlanarLoadState, omega, alpha, a, dt: Seconds) -> PlanarLoadState:
    """The state after `dt` seconds of these angular velocity and accelerations."""
    return PlanarLoadState(
        heading=group_multiply(state.heading, group_exp(SO2, (dt * omega)[None])),
        angular_velocity=state.angular_velocity + dt * alpha,
        velocity=state.velocity + dt * a,
        contacts=state.contacts,
        log_mass=state.log_mass,
        log_inertia=state.log_inertia,
        friction=state.friction,
    )
