"""A flying multibody robot as its thrusts see it: engines, centroidal momentum, and wrenches at its feet."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from steelyard.geometry import product
from steelyard.models._jet_engine import JetEngines, rotor_speed
from steelyard.models._model import Model, Numbers, Seconds
from steelyard.models._multirotor import STANDARD_GRAVITY


class FlyingState(eqx.Module):
    """The state of [ironcub, Eq. (5)], and what may be unknown beside it; a part that is not asked for is empty."""

    thrust: Float[Numbers, "*batch engine"]
    """N."""
    thrust_rate: Float[Numbers, "*batch jet"]
    """N/s; jets only, in their order among the engines."""
    momentum: Float[Numbers, "*batch 6"]
    """Centroidal, (angular, linear), world axes, of the robot as its URDF has it: kg m²/s, kg m/s."""
    wrench: Float[Numbers, "*batch feet"]
    """(torque, force) on each sole, its own axes, one after the other, where they are states as in the paper."""
    log_mass: Float[Numbers, "*batch mass"]
    """Logarithm of the true mass over the URDF's, where that may be wrong."""
    offset: Float[Numbers, "*batch offset"]
    """What an engine's highest derivative has beside its model, N/s² for a jet, N/s for a propeller."""
    foot_bias: Float[Numbers, "*batch bias"]
    """Of the readings at the soles, as `wrench`, where they may be biased."""
    speed_scale: Float[Numbers, "*batch speed"]
    """Logarithm of an engine's rotor speed over that of its map, where rotor speeds are measured."""


class ThrustInput(eqx.Module):
    """What is recorded, with noise, of what drives the robot."""

    throttle: Float[Numbers, "*batch engine"]
    """Percent."""
    wrench: Float[Numbers, "*batch feet"]
    """(torque, force) read at each sole, its own axes, one after the other, N m and N."""


class RobotPose(eqx.Module):
    """The kinematics at a sample, taken as exact [ironcub, Sec. III-C2]; world axes, about the centre of mass."""

    thrust_matrix: Float[Numbers, "*batch 6 engine"]
    """Wrench (torque, force) of unit thrusts, A(q) of [ironcub, Eq. (3)]."""
    foot_matrix: Float[Numbers, "*batch 6 feet"]
    """From the wrenches in the soles' axes, one after the other."""
    contact: Float[Numbers, "*batch feet"]
    """1 where a sole is on the ground, 0 where it is in the air, for each of its six components."""
    trust: Float[Numbers, "*batch engine"]
    """Weight of an engine's model: 1, or 0 while it has failed."""


class FlyingControl(eqx.Module):
    """Everything that a step needs to know beside the state."""

    input: ThrustInput
    pose: RobotPose
    unmodelled: Float[Numbers, "*batch 6 event"] | None = None
    """Rates of the momentum that a unit of each thing the model lacks would make, (torque, force) rows; None to look
    for nothing."""


class FlyingReading(eqx.Module):
    """[ironcub, Eq. (6)], and rotor speeds where there are any."""

    momentum: Float[Numbers, "*batch 6"]
    """From joints and base by the URDF [ironcub, Eq. (7)]."""
    wrench: Float[Numbers, "*batch feet"]
    """Read at the soles; while wrenches are no states, in the air only, where the reading is its bias."""
    rpm: Float[Numbers, "*batch speed"]
    """Thousands of rpm of the engines whose map is known."""


class Engines(eqx.Module):
    """Thrusters side by side: jets, of second order, and propellers, which follow their throttle with a lag."""

    jet: JetEngines
    jets: tuple[int, ...] = eqx.field(static=True)
    """Which of the engines are jets; the others are propellers."""
    maximum: Float[Numbers, " engine"]
    """N, at full throttle."""
    lag: Float[Numbers, " engine"]
    """Time constant of a propeller, s; of no account for a jet."""
    speed_map: Float[Numbers, "3 speed"]
    with_speed: tuple[int, ...] = eqx.field(static=True)
    """Engines whose rotor speed is a function of the thrust that is known."""

    @property
    def propellers(self) -> tuple[int, ...]:
        """Engines that are no jets."""
        return tuple(e for e in range(self.maximum.shape[0]) if e not in self.jets)

    def step(self, state: FlyingState, throttle, trust, dt: Seconds):
        """Thrusts and the jets' rates `dt` seconds later."""
        thrust = jnp.asarray(state.thrust)
        offset = state.offset if state.offset.size else jnp.zeros(thrust.shape[0])
        rate = jnp.asarray(state.thrust_rate)
        after = thrust
        if self.jets:
            k = jnp.array(self.jets)
            jet, rate = self.jet.step(thrust[k], rate, throttle[k], dt, offset[k], trust[k])
            after = after.at[k].set(jet)
        if self.propellers:
            k = jnp.array(self.propellers)
            steady = self.maximum[k] * (0.01 * throttle[k]) ** 2 + offset[k] * self.lag[k]
            moved = (steady - thrust[k]) * -jnp.expm1(-dt / self.lag[k])
            after = after.at[k].set(thrust[k] + trust[k] * moved)
        return after, rate


class PosedRobot(Model):
    """The robot over one sample: its kinematics are given, so that estimators need not differentiate by them."""

    engines: Engines
    mass: Float[Numbers, ""]
    """As the URDF has it, kg."""
    gravity: Float[Numbers, "3"]
    pose: RobotPose
    wrench: Float[Numbers, " feet"] | None = None
    """At the soles; given, the control's is not looked at, and estimators need not differentiate by it either."""

    def dynamics(self, state: FlyingState, control: ThrustInput, dt: Seconds) -> FlyingState:
        """[ironcub, Sec. III-C2], thrusts in the momentum at mid-interval."""
        pose = self.pose
        thrust, rate = self.engines.step(state, control.throttle, pose.trust, dt)
        read = control.wrench if self.wrench is None else self.wrench
        on_soles = state.wrench if state.wrench.size else read
        if state.foot_bias.size:
            on_soles = on_soles - state.foot_bias
        pushed = product(pose.thrust_matrix, 0.5 * (state.thrust + thrust))
        if on_soles.size:
            pushed = pushed + product(pose.foot_matrix, pose.contact * on_soles)
        weight = jnp.concatenate([jnp.zeros(3), self.mass * self.gravity])
        if state.log_mass.size:  # the URDF's momentum is that of its own mass: forces act on it as on that mass
            pushed = _on_mass(pushed, state.log_mass[0], -weight, jnp.any(pose.contact > 0))
        return FlyingState(
            thrust,
            rate,
            state.momentum + dt * (pushed + weight),
            state.wrench,
            state.log_mass,
            state.offset,
            state.foot_bias,
            state.speed_scale,
        )

    def observe(self, state: FlyingState, control: ThrustInput) -> FlyingReading:
        """[ironcub, Eq. (6)]."""
        del control
        rpm = jnp.zeros(0)
        if state.speed_scale.size:
            thrust = jnp.asarray(state.thrust)[jnp.array(self.engines.with_speed)]
            rpm = 1e-3 * rotor_speed(self.engines.speed_map, thrust) * jnp.exp(state.speed_scale)
        direct_part = state.wrench if state.wrench.size else state.foot_bias
        return FlyingReading(jnp.asarray(state.momentum), jnp.asarray(direct_part), rpm)

    def support(self, state: FlyingState) -> Int[np.ndarray, "meas 2"]:
        """Two coordinates for each reading: it depends on no others, and on the second only if it is a rotor speed."""
        sizes = {field.name: getattr(state, field.name).shape[0] for field in dataclasses.fields(state)}
        begins = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
        direct_part = "wrench" if sizes["wrench"] else "foot_bias"
        direct = np.concatenate([begins[part] + np.arange(sizes[part]) for part in ("momentum", direct_part)])
        speed = np.array(self.engines.with_speed, int)[: sizes["speed_scale"]]
        scale = begins["speed_scale"] + np.arange(len(speed))
        return np.stack([np.concatenate([direct, speed]), np.concatenate([np.zeros_like(direct), scale])], axis=1)

    def idle(self, state: FlyingState) -> ThrustInput:
        """Half throttle, nothing at the feet."""
        feet = self.pose.contact.shape[0] if self.wrench is None else 0
        return ThrustInput(jnp.full(state.thrust.shape, 50.0), jnp.zeros(feet))


def _on_mass(pushed: Float[Array, "6"], log_mass, carried: Float[Array, "6"], stands) -> Float[Array, "6"]:
    """`pushed / mass`, in units of the URDF's; while a robot stands, with the derivative of one at rest.

    What soles read is noisy. A derivative with the same noise as the prediction pulls the mass up, so that the noise
    acts less: by some half a percent in a minute.
    """
    known = jax.lax.stop_gradient(log_mass)
    acting = jnp.exp(-known) * pushed
    return acting - (log_mass - known) * jnp.where(stands, carried, acting)


class FlyingRobot(Model):
    """A flying robot whose kinematics come with every sample as part of the control.

    The thrusts and the weight are distinguished only while something else carries the robot: in the air a robot that is
    3 % heavier with 3 % more thrust moves the same, and no flight distinguishes the two.
    """

    engines: Engines
    mass: Float[Numbers, ""]
    """As the URDF has it, kg."""
    gravity: Float[Numbers, "3"]
    feet: int = eqx.field(static=True)
    """Number of feet that have a sensor."""

    def __init__(self, engines: Engines, mass, feet: int = 0, gravity=STANDARD_GRAVITY):
        self.engines = engines
        self.mass = jnp.asarray(mass, float)
        self.gravity = jnp.asarray(gravity, float)
        self.feet = feet

    def at(self, pose: RobotPose, wrench: Float[Array, " feet"] | None = None) -> PosedRobot:
        """The robot over one sample, the wrenches at its soles given or part of the control."""
        return PosedRobot(self.engines, self.mass, self.gravity, pose, wrench)

    def dynamics(self, state: FlyingState, control: FlyingControl, dt: Seconds) -> FlyingState:
        """As the posed robot's."""
        return self.at(control.pose).dynamics(state, control.input, dt)

    def observe(self, state: FlyingState, control: FlyingControl) -> FlyingReading:
        """As the posed robot's."""
        return self.at(control.pose).observe(state, control.input)

    def idle(self, state: FlyingState) -> FlyingControl:
        """Half throttle; where the thrusts point is not known, so they push nowhere."""
        n, feet = state.thrust.shape[0], 6 * self.feet
        pose = RobotPose(jnp.zeros((6, n)), jnp.zeros((6, feet)), jnp.zeros(feet), jnp.ones(n))
        return FlyingControl(self.at(pose).idle(state), pose)


def some_state(thrust, n_jets: int, feet: int, unknown: tuple[str, ...], n_speeds: int = 0) -> FlyingState:
    """A state at these thrusts, at rest, with the named parts (`wrench`, `log_mass`, `offset`, `foot_bias`) in it."""
    T = jnp.asarray(thrust, float)
    sizes = {"wrench": 6 * feet, "log_mass": 1, "offset": T.shape[0], "foot_bias": 6 * feet}
    parts: dict[str, Array] = {name: jnp.zeros(size if name in unknown else 0) for name, size in sizes.items()}
    return FlyingState(
        thrust=T, thrust_rate=jnp.zeros(n_jets), momentum=jnp.zeros(6), speed_scale=jnp.zeros(n_speeds), **parts
    )
