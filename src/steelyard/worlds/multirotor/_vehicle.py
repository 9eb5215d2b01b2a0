"""A quadrotor as it truly moves and as its sensors read it: motors with lag and noise, drag, a body-rate loop."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import SO3
from steelyard.models import Multirotor, common_rotor_bench
from steelyard.worlds.multirotor._scenario import MultirotorScenario
from steelyard.worlds.multirotor._tuning import WORLD

ROTORS = 4


class Vehicle(eqx.Module):
    """The true state."""

    attitude: SO3
    position: Float[Array, "3"]
    velocity: Float[Array, "3"]
    rates: Float[Array, "3"]
    thrust: Float[Array, ""]
    """Collective thrust that the rotors' speed stands for, N."""


class Readings(eqx.Module):
    """Readings of the sensors."""

    attitude: SO3
    position: Float[Array, "*time 3"]
    velocity: Float[Array, "*time 3"]
    rates: Float[Array, "*time 3"]


def at_rest(position: Float[Array, "3"], mass: float) -> Vehicle:
    """Hovering, level."""
    return Vehicle(SO3.identity(), position, jnp.zeros(3), jnp.zeros(3), jnp.asarray(9.81 * mass))


def sense(airframe: MultirotorScenario, vehicle: Vehicle, draws: Float[Array, "4 3"]) -> Readings:
    """The state with white noise on it."""
    return Readings(
        attitude=vehicle.attitude @ SO3.exp(airframe.attitude_noise * draws[2]),
        position=vehicle.position + airframe.position_noise * draws[0],
        velocity=vehicle.velocity + airframe.velocity_noise * draws[1],
        rates=vehicle.rates + airframe.rates_noise * draws[3],
    )


def move(
    airframe: MultirotorScenario,
    vehicle: Vehicle,
    mass_after: Callable[[Float[Array, ""]], Float[Array, ""]],
    thrust_wanted: Float[Array, ""],
    rates_wanted: Float[Array, "3"],
    motor_draw: Float[Array, ""],
    seconds: float,
) -> Vehicle:
    """A command held for some time, in substeps of about a millisecond; `mass_after` seconds from now, kg."""
    substeps = max(1, round(WORLD.substeps_per_second * seconds))
    h = seconds / substeps
    body = Multirotor(drag=(airframe.drag, airframe.quadratic_drag))
    full_scale = common_rotor_bench().full_scale
    throttle = vehicle.thrust / (ROTORS * full_scale)
    # Four independent rotors: their noises add in squares. It acts on the air, after the lag, and averages to zero.
    gust = motor_draw * airframe.motor_noise * jnp.sqrt(throttle) * full_scale * jnp.sqrt(1.0 * ROTORS)

    def substep(vehicle: Vehicle, i):
        log_mass = jnp.log(mass_after(i * h))
        lag = max(airframe.motor_lag, 1e-6)
        keep_rates, keep_thrust = jnp.exp(-h / WORLD.rate_lag), jnp.exp(-h / lag)
        rates = rates_wanted + (vehicle.rates - rates_wanted) * keep_rates
        thrust = thrust_wanted + (vehicle.thrust - thrust_wanted) * keep_thrust
        acted = thrust_wanted + (vehicle.thrust - thrust) * lag / h + gust  # the mean over the substep
        half = SO3.exp(0.25 * h * (rates + vehicle.rates))
        middle = vehicle.attitude @ half
        a0 = body.acceleration(middle, vehicle.velocity, acted, log_mass, jnp.zeros(0))
        a = body.acceleration(middle, vehicle.velocity + 0.5 * h * a0, acted, log_mass, jnp.zeros(0))
        return Vehicle(
            middle @ half,
            vehicle.position + h * vehicle.velocity + 0.5 * h**2 * a,
            vehicle.velocity + h * a,
            rates,
            thrust,
        ), None

    return jax.lax.scan(substep, vehicle, jnp.arange(substeps) * 1.0)[0]


def columns_of(
    readings: Readings, thrust: Float[Array, " time"], throttle: Float[Array, " time"], mass: Float[Array, " time"]
) -> dict[str, Array]:
    """A flight's columns by their log names but for `time`; the throttle is in percent, the same at every rotor."""

    def spread(prefix, values, axes):
        return {f"{prefix}/{axis}": values[:, i] for i, axis in enumerate(axes)}

    return {
        **spread("r1/position", readings.position, "xyz"),
        **spread("r1/attitude", readings.attitude.wxyz, "wxyz"),
        **spread("r1/linear_velocity", readings.velocity, "xyz"),
        **spread("r1/rates", readings.rates, "xyz"),
        "r1/thrust": thrust,
        **{f"r1/throttle/{k}": throttle for k in range(1, ROTORS + 1)},
        "truth/mass": mass,
    }
