"""A multirotor that is commanded by collective thrust and body rates, its mass unknown."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import SO3, group_exp, group_multiply, product, rotation_matrix
from steelyard.models._model import Model, Numbers, Seconds
from steelyard.models._preintegration import MultirotorIncrement

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


class MultirotorState(eqx.Module):
    """The state of [sesame, Eq. (43)], with the mass as its logarithm and drag as an optional unknown."""

    attitude: SO3
    """Takes body coordinates to world coordinates."""
    position: Float[Numbers, "*batch 3"]
    """World, m."""
    velocity: Float[Numbers, "*batch 3"]
    """World, m/s."""
    log_mass: Float[Numbers, "*batch"]
    """Logarithm of the mass in kg."""
    drag: Float[Numbers, "*batch drag"]
    """Linear (N s/m) and quadratic (N s²/m²) coefficient where drag is unknown; empty where it is given."""
    loss: Float[Numbers, "*batch loss"]
    """Mass that is lost a second, kg/s, where the vehicle may be spraying; empty where it is not."""

    def log_mass_after(self, dt: Seconds) -> Float[Array, ""]:
        """`log_mass` some seconds later: a pump gives a constant flow, so the share that is lost grows."""
        if not self.loss.size:
            return jnp.asarray(self.log_mass)
        share = dt * self.loss[0] * jnp.exp(-self.log_mass)
        return self.log_mass + jnp.log1p(-jnp.minimum(share, 0.9))  # nothing loses more at a step


class MultirotorControl(eqx.Module):
    """What drives the vehicle over an interval, [sesame, Eq. (45)]."""

    thrust: Float[Numbers, "*batch"]
    """Collective, along body z, N: what acted, by the bench's thrust map, not the command."""
    rates: Float[Numbers, "*batch 3"]
    """Angular velocity in body axes, rad/s."""


class MultirotorReading(eqx.Module):
    """What a state estimator on board reports, [sesame, Eq. (46)]."""

    attitude: SO3
    position: Float[Numbers, "*batch 3"]
    velocity: Float[Numbers, "*batch 3"]


class Multirotor(Model):
    """[sesame, Eqs. (41)-(47)] with drag in body axes: `-d1 v_xy - d2 v |v|` an axis.

    The thrust is taken as known, so the mass is relative to its map: a thrust that is 1 % too small everywhere
    looks exactly like a mass that is 1 % too large. No flight distinguishes the two.
    """

    drag: Float[Array, "2"]
    """Linear (N s/m) and quadratic (N s²/m²) coefficient, used where the state does not carry its own."""
    gravity: Float[Array, "3"]

    def __init__(self, drag=(0.0, 0.0), gravity=STANDARD_GRAVITY):
        self.drag = jnp.asarray(drag, float)
        self.gravity = jnp.asarray(gravity, float)

    def dynamics(self, state: MultirotorState, control: MultirotorControl, dt: Seconds) -> MultirotorState:
        """Exact in attitude; of second order in position and velocity."""
        # Forces are taken at the attitude, velocity and mass of mid-interval. [sesame, Eq. (3)] takes them at its
        # start: first order, which reads 3 rad/s at 100 Hz as a tilt of the thrust, and drag as 0.1 % of the weight.
        half_turn = group_exp(SO3, 0.5 * dt * control.rates)
        attitude_mid = group_multiply(state.attitude, half_turn)

        def acceleration(velocity):
            return self.acceleration(attitude_mid, velocity, control.thrust, state.log_mass_after(0.5 * dt), state.drag)

        a = acceleration(state.velocity + 0.5 * dt * acceleration(state.velocity))
        return MultirotorState(
            attitude=group_multiply(state.attitude, group_multiply(half_turn, half_turn)),
            position=state.position + state.velocity * dt + 0.5 * a * dt**2,
            velocity=state.velocity + a * dt,
            log_mass=state.log_mass_after(dt),
            drag=state.drag,
            loss=state.loss,
        )

    def acceleration(
        self,
        attitude: SO3,
        velocity: Float[Array, "3"],
        thrust: Float[Array, ""],
        log_mass: Float[Array, ""],
        drag: Float[Array, " drag"],
    ) -> Float[Array, "3"]:
        """World acceleration, m/s²; [sesame, Eq. (41)] and drag."""
        R = rotation_matrix(attitude)
        force_body = thrust * jnp.array([0.0, 0.0, 1.0]) + self.drag_force(product(R.T, velocity), drag)
        return product(R, force_body) * jnp.exp(-log_mass) + self.gravity

    def drag_force(self, velocity_body: Float[Array, "3"], drag: Float[Array, " drag"]) -> Float[Array, "3"]:
        """In body axes, N; `drag` as in the state."""
        d1, d2 = drag if drag.size else self.drag
        horizontal = jnp.array([1.0, 1.0, 0.0])
        return -d1 * horizontal * velocity_body - d2 * velocity_body * jnp.abs(velocity_body)

    def observe(self, state: MultirotorState, control: MultirotorControl) -> MultirotorReading:
        """The pose and velocity themselves, [sesame, Eq. (46)]."""
        del control
        return MultirotorReading(state.attitude, state.position, state.velocity)

    def idle(self, state: MultirotorState) -> MultirotorControl:
        """Hover: as much thrust as weight, no turning."""
        weight = jnp.exp(state.log_mass) * jnp.sqrt(jnp.sum(self.gravity**2))
        return MultirotorControl(weight, jnp.zeros(3))

    def begin(self, state: MultirotorState) -> MultirotorIncrement:
        """No turn, no impulse."""
        del state
        return MultirotorIncrement.none()

    def gather(self, increment: MultirotorIncrement, control: MultirotorControl, dt: Seconds) -> MultirotorIncrement:
        """[sesame, Eq. (52)]."""
        return increment.then(control.thrust, control.rates, dt)

    def travel(self, state: MultirotorState, increment: MultirotorIncrement) -> MultirotorState:
        """[sesame, Eq. (54)], solved for the state at the end of the span, its own mass m_k in place of m_{k+1}.

        Thrust and turning are those of every row on the way. Drag and a mass that is being lost are taken at the middle
        of the span, by the same rule as in `dynamics`: of second order in the span.
        """
        span = increment.span
        by_mass = jnp.exp(-state.log_mass_after(0.5 * span))
        R = rotation_matrix(state.attitude)
        R_mid = rotation_matrix(group_multiply(state.attitude, increment.half_turn))
        pushed = product(R, increment.pre_velocity) * by_mass + self.gravity * span

        def slowing(velocity):
            return product(R_mid, self.drag_force(product(R_mid.T, velocity), state.drag)) * by_mass

        a = slowing(state.velocity + 0.5 * (pushed + span * slowing(state.velocity)))
        lifted = product(R, increment.pre_position) * by_mass + (0.5 * span**2) * (self.gravity + a)
        return MultirotorState(
            attitude=group_multiply(state.attitude, increment.pre_attitude),
            position=state.position + span * state.velocity + lifted,
            velocity=state.velocity + pushed + span * a,
            log_mass=state.log_mass_after(span),
            drag=state.drag,
            loss=state.loss,
        )
