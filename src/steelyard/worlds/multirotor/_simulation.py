"""A multirotor in flight, its mass changing: a JAX simulation, a tracking controller, noisy sensors."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.models import common_rotor_bench
from steelyard.worlds.multirotor._profiles import mass_at
from steelyard.worlds.multirotor._scenario import MultirotorScenario
from steelyard.worlds.multirotor._tuning import WORLD
from steelyard.worlds.multirotor._vehicle import ROTORS, Readings, at_rest, columns_of, move, sense


def fly(scenario: MultirotorScenario, key: Array) -> dict[str, Array]:
    """Columns of one flight by their log names, truth included; pure, so a campaign is its vmap over keys."""
    n = round(scenario.duration * scenario.rate) + 1
    time = jnp.arange(n) / scenario.rate
    start_key, motor_key, sensor_key = jax.random.split(key, 3)
    motor_draws = jax.random.normal(motor_key, (n,))
    sensor_draws = jax.random.normal(sensor_key, (n, 4, 3))
    start = reference(scenario, jnp.asarray(0.0)) + 0.05 * jax.random.normal(start_key, (3,))
    bench = common_rotor_bench()

    def mass(t):
        return mass_at(scenario.profile, scenario.mass, scenario.duration, t)

    def row(carry, inputs):
        vehicle, integral = carry
        t, motor_draw, draws = inputs
        seen = sense(scenario, vehicle, draws)
        thrust_wanted, rates_wanted, integral = _track(scenario, t, seen, integral)
        throttle = bench.throttle(thrust_wanted / ROTORS)
        acts = ROTORS * bench.thrust(throttle)
        moved = move(scenario, vehicle, lambda s: mass(t + s), acts, rates_wanted, motor_draw, 1.0 / scenario.rate)
        return (moved, integral), (seen, vehicle.thrust, 100.0 * throttle, mass(t))

    begin = at_rest(start, scenario.mass), jnp.zeros(3)
    _, logged = jax.lax.scan(row, begin, (time, motor_draws, sensor_draws))
    return {"time": time} | columns_of(*logged)


def simulate(scenario: MultirotorScenario, seed: int) -> dict[str, np.ndarray]:
    """One flight as NumPy columns."""
    columns = jax.jit(fly, static_argnums=0)(scenario, jax.random.key(seed))
    return {name: np.asarray(column) for name, column in columns.items()}


def reference(scenario: MultirotorScenario, time: Float[Array, ""]) -> Float[Array, "3"]:
    """Where the vehicle should be, m: it eases into its cruising speed over the first two seconds."""
    radius, height, ease = 5.0, 1.0, 2.0
    share = jnp.clip(time / ease, 0.0, 1.0)
    travelled = scenario.speed * (ease * (share**3 - 0.5 * share**4) + jnp.maximum(time - ease, 0.0))
    angle = travelled / radius
    if scenario.trajectory == "hover":
        return jnp.array([0.0, 0.0, height])
    if scenario.trajectory == "loop":
        return jnp.array([radius * jnp.sin(angle), radius * jnp.cos(angle), height])
    return jnp.array([radius * jnp.cos(angle), radius * jnp.sin(angle) * jnp.cos(angle), height])


def _track(scenario, t, seen: Readings, integral):
    """Position and velocity errors to a thrust vector, the thrust vector to collective thrust and body rates."""
    attitude = seen.attitude

    def velocity_of(t):
        return jax.jvp(lambda s: reference(scenario, s), (t,), (jnp.ones(()),))[1]

    wanted, wanted_velocity = reference(scenario, t), velocity_of(t)
    feed_forward = jax.jvp(velocity_of, (t,), (jnp.ones(()),))[1]
    error = wanted - seen.position
    integral = jnp.clip(integral + error / scenario.rate, -3.0, 3.0)
    a = (
        6.0 * error
        + 4.0 * (wanted_velocity - seen.velocity)
        + 3.0 * integral
        + feed_forward
        + jnp.array([0.0, 0.0, 9.81])
    )
    z_body = attitude @ jnp.array([0.0, 0.0, 1.0])
    thrust = scenario.mass * jnp.clip(a @ z_body, *WORLD.thrust_by_mass)
    a_body = attitude.inverse() @ (a / jnp.sqrt(a @ a))
    yaw = attitude.compute_yaw_radians()
    rates = jnp.array([-8.0 * a_body[1], 8.0 * a_body[0], -2.0 * yaw])
    most = jnp.array(WORLD.most_rates)
    return thrust, jnp.clip(rates, -most, most), integral
