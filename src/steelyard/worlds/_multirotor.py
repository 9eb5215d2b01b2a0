"""A multirotor in flight, its mass changing: a JAX plant, a tracking controller, noisy sensors."""

import dataclasses
import math
from typing import Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.errors import BadInput
from steelyard.geometry import SO3
from steelyard.models import Multirotor, common_rotor_bench
from steelyard.worlds._profiles import ProfileName, mass_at

TrajectoryName = Literal["hover", "loop", "lemniscate"]
TRAJECTORIES: tuple[str, ...] = get_args(TrajectoryName)


@dataclasses.dataclass(frozen=True)
class MultirotorFlight:
    """A flight to simulate; every default is a figure of a common 1 kg research quadrotor."""

    profile: ProfileName = "steps"
    """How the mass goes: constant, a ramp down (spraying), one step down, one step up, or several steps."""
    trajectory: TrajectoryName = "loop"
    """Where it flies: it hovers, or follows a loop or a lemniscate of 5 m half-width."""
    duration: float = 25.0
    """Length of the flight, s."""
    rate: float = 100.0
    """Rows a second, and commands a second, Hz."""
    mass: float = 1.0
    """Full mass, kg; the controller takes it for granted."""
    speed: float = 2.5
    """Cruising speed along the trajectory, m/s."""
    drag: float = 0.3
    """Linear drag across the rotors' axis, N s/m."""
    quadratic_drag: float = 0.08
    """Quadratic drag along each body axis, N s²/m²."""
    motor_lag: float = 0.05
    """Time constant of the motors, s."""
    motor_noise: float = 0.02
    """Thrust noise of a rotor as a share of its full scale, at full throttle; goes with the root of the throttle."""
    position_noise: float = 0.01
    """Standard deviation of a measured position, m an axis."""
    attitude_noise: float = 0.01
    """Standard deviation of a measured attitude, rad an axis."""
    velocity_noise: float = 0.03
    """Standard deviation of a measured velocity, m/s an axis."""
    rates_noise: float = 0.01
    """Standard deviation of a measured body rate, rad/s an axis."""


def check_flight(flight: MultirotorFlight) -> None:
    """Raises `BadInput` for figures that no flight can have."""
    for name, least in {"duration": 0.1, "rate": 1.0, "mass": 1e-3}.items():
        value = getattr(flight, name)
        if not (least <= value < math.inf):
            raise BadInput(f"--{name} is {value:g}; give at least {least:g}.")
    for field in dataclasses.fields(flight):
        value = getattr(flight, field.name)
        if isinstance(value, float) and not (0.0 <= value < math.inf):
            raise BadInput(f"--{field.name.replace('_', '-')} is {value:g}; give a number from 0 up.")
    if flight.duration * flight.rate > 10_000_000:
        raise BadInput("This flight has over ten million rows; choose a shorter --duration or a lower --rate.")


class _Vehicle(eqx.Module):
    """The true state."""

    attitude: SO3
    position: Float[Array, "3"]
    velocity: Float[Array, "3"]
    rates: Float[Array, "3"]
    thrust: Float[Array, ""]
    """Collective thrust that the rotors' speed stands for, N."""
    integral: Float[Array, "3"]
    """The controller's memory of past position errors, m s."""


_ROTORS = 4
_SUBSTEPS_PER_SECOND = 1000.0
_RATE_LAG = 0.03  # time constant of the inner body-rate loop, s
_MOST_RATES = (3.0, 3.0, 2.0)  # rad/s
_THRUST_TO_MASS = (2.0, 20.0)  # m/s², bounds of the command


def fly(flight: MultirotorFlight, key: Array) -> dict[str, Array]:
    """Columns of one flight by their log names, truth included; pure, so a campaign is its vmap over keys."""
    n = round(flight.duration * flight.rate) + 1
    time = jnp.arange(n) / flight.rate
    start_key, motor_key, sensor_key = jax.random.split(key, 3)
    motor_draws = jax.random.normal(motor_key, (n,))
    sensor_draws = jax.random.normal(sensor_key, (n, 4, 3))
    vehicle = _at_rest(flight, start_key)
    bench = common_rotor_bench()

    def row(vehicle: _Vehicle, inputs):
        t, motor_draw, draws = inputs
        position = vehicle.position + flight.position_noise * draws[0]
        velocity = vehicle.velocity + flight.velocity_noise * draws[1]
        attitude = vehicle.attitude @ SO3.exp(flight.attitude_noise * draws[2])
        rates = vehicle.rates + flight.rates_noise * draws[3]
        thrust_wanted, rates_wanted, integral = _track(flight, t, attitude, position, velocity, vehicle.integral)
        throttle = bench.throttle(thrust_wanted / _ROTORS)
        reading = {
            "position": position,
            "attitude": attitude.wxyz,
            "linear_velocity": velocity,
            "rates": rates,
            "thrust": vehicle.thrust,
            "throttle": jnp.full(_ROTORS, 100.0 * throttle),
            "mass": mass_at(flight.profile, flight.mass, flight.duration, t),
        }
        vehicle = eqx.tree_at(lambda v: v.integral, vehicle, integral)
        vehicle = _move(flight, vehicle, t, _ROTORS * bench.thrust(throttle), rates_wanted, motor_draw)
        return vehicle, reading

    _, readings = jax.lax.scan(row, vehicle, (time, motor_draws, sensor_draws))
    return {"time": time} | _columns(readings)


def simulate(flight: MultirotorFlight, seed: int) -> dict[str, np.ndarray]:
    """One flight as NumPy columns."""
    columns = jax.jit(fly, static_argnums=0)(flight, jax.random.key(seed))
    return {name: np.asarray(column) for name, column in columns.items()}


def _columns(readings: dict[str, Array]) -> dict[str, Array]:
    def spread(prefix, values, axes):
        return {f"{prefix}/{axis}": values[:, i] for i, axis in enumerate(axes)}

    return {
        **spread("r1/position", readings["position"], "xyz"),
        **spread("r1/attitude", readings["attitude"], "wxyz"),
        **spread("r1/linear_velocity", readings["linear_velocity"], "xyz"),
        **spread("r1/rates", readings["rates"], "xyz"),
        "r1/thrust": readings["thrust"],
        **spread("r1/throttle", readings["throttle"], "1234"),
        "truth/mass": readings["mass"],
    }


def reference(flight: MultirotorFlight, time: Float[Array, ""]) -> Float[Array, "3"]:
    """Where the vehicle should be, m: it eases into its cruising speed over the first two seconds."""
    radius, height, ease = 5.0, 1.0, 2.0
    share = jnp.clip(time / ease, 0.0, 1.0)
    travelled = flight.speed * (ease * (share**3 - 0.5 * share**4) + jnp.maximum(time - ease, 0.0))
    angle = travelled / radius
    if flight.trajectory == "hover":
        return jnp.array([0.0, 0.0, height])
    if flight.trajectory == "loop":
        return jnp.array([radius * jnp.sin(angle), radius * jnp.cos(angle), height])
    return jnp.array([radius * jnp.cos(angle), radius * jnp.sin(angle) * jnp.cos(angle), height])


def _at_rest(flight: MultirotorFlight, key: Array) -> _Vehicle:
    start = reference(flight, jnp.asarray(0.0)) + 0.05 * jax.random.normal(key, (3,))
    weight = jnp.asarray(9.81 * flight.mass)
    return _Vehicle(SO3.identity(), start, jnp.zeros(3), jnp.zeros(3), weight, jnp.zeros(3))


def _track(flight, t, attitude, position, velocity, integral):
    """Position and velocity errors to a thrust vector, the thrust vector to collective thrust and body rates."""

    def velocity_of(t):
        return jax.jvp(lambda s: reference(flight, s), (t,), (jnp.ones(()),))[1]

    wanted, wanted_velocity = reference(flight, t), velocity_of(t)
    feed_forward = jax.jvp(velocity_of, (t,), (jnp.ones(()),))[1]
    error = wanted - position
    integral = jnp.clip(integral + error / flight.rate, -3.0, 3.0)
    a = 6.0 * error + 4.0 * (wanted_velocity - velocity) + 3.0 * integral + feed_forward + jnp.array([0.0, 0.0, 9.81])
    z_body = attitude @ jnp.array([0.0, 0.0, 1.0])
    thrust = flight.mass * jnp.clip(a @ z_body, *_THRUST_TO_MASS)
    a_body = attitude.inverse() @ (a / jnp.sqrt(a @ a))
    yaw = attitude.compute_yaw_radians()
    rates = jnp.array([-8.0 * a_body[1], 8.0 * a_body[0], -2.0 * yaw])
    most = jnp.array(_MOST_RATES)
    return thrust, jnp.clip(rates, -most, most), integral


def _move(flight, vehicle: _Vehicle, t, thrust_wanted, rates_wanted, motor_draw) -> _Vehicle:
    """One command held until the next row, in substeps of about a millisecond."""
    substeps = max(1, round(_SUBSTEPS_PER_SECOND / flight.rate))
    h = 1.0 / flight.rate / substeps
    body = Multirotor(drag=(flight.drag, flight.quadratic_drag))
    full_scale = common_rotor_bench().full_scale
    throttle = vehicle.thrust / (_ROTORS * full_scale)
    # Four independent rotors: their noises add in squares. It acts on the air, after the lag, and averages to zero.
    gust = motor_draw * flight.motor_noise * jnp.sqrt(throttle) * full_scale * jnp.sqrt(1.0 * _ROTORS)

    def substep(vehicle: _Vehicle, i):
        log_mass = jnp.log(mass_at(flight.profile, flight.mass, flight.duration, t + i * h))
        lag = max(flight.motor_lag, 1e-6)
        keep_rates, keep_thrust = jnp.exp(-h / _RATE_LAG), jnp.exp(-h / lag)
        rates = rates_wanted + (vehicle.rates - rates_wanted) * keep_rates
        thrust = thrust_wanted + (vehicle.thrust - thrust_wanted) * keep_thrust
        acted = thrust_wanted + (vehicle.thrust - thrust) * lag / h + gust  # the mean over the substep
        half = SO3.exp(0.25 * h * (rates + vehicle.rates))
        middle = vehicle.attitude @ half
        a0 = body.acceleration(middle, vehicle.velocity, acted, log_mass, jnp.zeros(0))
        a = body.acceleration(middle, vehicle.velocity + 0.5 * h * a0, acted, log_mass, jnp.zeros(0))
        return _Vehicle(
            middle @ half,
            vehicle.position + h * vehicle.velocity + 0.5 * h**2 * a,
            vehicle.velocity + h * a,
            rates,
            thrust,
            vehicle.integral,
        ), None

    return jax.lax.scan(substep, vehicle, jnp.arange(substeps) * 1.0)[0]
