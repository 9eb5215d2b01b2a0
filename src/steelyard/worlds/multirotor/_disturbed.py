"""A multirotor among gusts, near the ground, with a swinging load and a tired battery: a JAX simulation.

The load is a spherical pendulum to second order in its angle: across the weight it swings and pulls, along the weight
it adds its own acceleration. `truth/mass` is the mass of all.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.geometry import SO3
from steelyard.worlds.multirotor._disturbances import Disturbances
from steelyard.worlds.multirotor._tuning import WORLD

_G = 9.81
_RATE = 100.0
"""Rows and commands a second, Hz."""
_LOW = 0.15
"""m, where a flight begins and ends."""


def fly_disturbed(flight: Disturbances, duration: float, seed: int) -> dict[str, np.ndarray]:
    """One flight of `duration` s as columns by their log names; `r1/rpm/…` turn with 1e-7 N a rotor and rpm² a kg."""
    n = round(duration * _RATE) + 1
    rng = np.random.default_rng([seed, 2021])
    waves = rng.uniform(0.6, 1.6, (3, 3)), rng.uniform(0.0, 2 * np.pi, (3, 3))
    sizes, times = flight.gusts()
    parameters = {k: v for k, v in dataclasses.asdict(flight).items() if k not in ("tilt",)}
    parameters |= {
        "amplitude": 0.0 if flight.speed < 0.5 else flight.speed,
        "waves": waves[0],
        "phases": waves[1],
        "gust_size": sizes,
        "gust_time": times,
        "duration": duration,
    }
    draws = rng.standard_normal((n, 4)), rng.standard_normal(3)
    states = _states(jax.tree.map(jnp.asarray, parameters), *draws)
    return _logged(flight, {name: np.asarray(value) for name, value in states.items()}, duration, rng)


def _reference(p: dict[str, Any], t):
    """Sums of sines across, a climb and a descent; eased in over two seconds."""
    ease = jnp.clip(t / 2.0, 0.0, 1.0)
    angle = p["waves"] * t + p["phases"]
    across = p["amplitude"] / 3.0 * jnp.sum((jnp.sin(angle) - jnp.sin(p["phases"])) / p["waves"], axis=1)

    def smooth(s):
        s = jnp.clip(s, 0.0, 1.0)
        return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)

    up = _LOW + (p["height"] - _LOW) * smooth((t - 0.5) / 3.0) * smooth((p["duration"] - 0.5 - t) / 3.0)
    return jnp.array([ease * across[0], ease * across[1], up + 0.1 * ease * jnp.minimum(across[2], 2.0) * (up > 0.4)])


def _mass(p, t):
    flown = jnp.clip((t - p["change_time"]) / p["ramp_time"], 0.0, 1.0)
    return p["mass"] * (1.0 + p["change"] * (t >= p["change_time"]) - p["ramp"] * flown)


@jax.jit
def _states(p, draws, first):
    """The true states at every row, by a command a row and substeps of 2 ms."""
    n, h = draws.shape[0], 1.0 / (_RATE * WORLD.disturbed_substeps)
    heading = jnp.array([jnp.cos(p["wind_heading"]), jnp.sin(p["wind_heading"]), 0.0])
    up = jnp.array([0.0, 0.0, 1.0])

    def substep(state, given):
        R, x, v, w, T, swing, swing_v, gust = state
        t, wanted, rates, noise = given
        m = _mass(p, t)
        T = wanted + (T - wanted) * jnp.exp(-h / p["motor_lag"])
        w = rates + (w - rates) * jnp.exp(-h / WORLD.rate_lag)
        R = R @ SO3.exp(h * w)
        z = R @ up
        air = R.inverse() @ (v - p["wind"] * heading - gust)
        near = (p["rotor"] / (4.0 * jnp.maximum(x[2], p["rotor"]))) ** 2
        share = (1.0 - p["loss"] * jnp.sqrt(jnp.sum(air**2) + 1e-9) - p["inflow"] * air[2]) / (1.0 - near)
        share = share * (1.0 - p["sag"] * t / p["duration"]) + noise * p["motor_noise"]
        drag = -WORLD.drag * air * jnp.array([1.0, 1.0, 0.0]) - WORLD.quadratic_drag * air * jnp.abs(air)
        force = T * share * z / m + R @ drag
        load, own = p["load"], 1.0 - p["load"]  # shares of the mass
        pull = load * _G / p["cable"] * swing
        a_across = (force[:2] + pull) / own
        swing_a = -_G / p["cable"] * swing - a_across - 0.6 * swing_v
        bounce = load * (jnp.sum(swing_v**2) + jnp.sum(swing * swing_a)) / p["cable"]
        a = jnp.array([a_across[0], a_across[1], force[2] - _G - bounce])
        swing_v = swing_v + h * swing_a
        swing = swing + h * swing_v
        v = v + h * a
        return (R, x + h * v, v, w, T, swing, swing_v, gust), None

    def row(carry, given):
        state, integral = carry
        k, draw = given
        t = k / _RATE
        R, x, v, w, T, swing, swing_v, gust = state
        wanted, target_v, feed = _motion(p, t)
        error = wanted - x
        integral = jnp.clip(integral + error / _RATE, -3.0, 3.0)
        a = 6.0 * error + 4.0 * (target_v - v) + 2.0 * integral + feed + _G * up
        ask = p["mass"] * jnp.clip(a @ (R @ up), 2.0, 20.0)
        tilt = R.inverse() @ (a / jnp.sqrt(a @ a))
        rates = jnp.clip(jnp.array([-8.0 * tilt[1], 8.0 * tilt[0], -2.0 * R.compute_yaw_radians()]), -3.0, 3.0)
        keep = jnp.exp(-1.0 / (_RATE * p["gust_time"]))
        gust = gust * keep + p["gust_size"] * jnp.sqrt(1.0 - keep**2) * draw[:3]
        begin = (R, x, v, w, T, swing, swing_v, gust)
        times = t + h * jnp.arange(WORLD.disturbed_substeps)
        ones = jnp.ones(WORLD.disturbed_substeps)
        given = (times, ask * ones, jnp.tile(rates, (WORLD.disturbed_substeps, 1)), draw[3] * ones)
        state, _ = jax.lax.scan(substep, begin, given)
        seen = {"attitude": R.wxyz, "position": x, "velocity": v, "rates": w, "thrust": T, "mass": _mass(p, t)}
        return (state, integral), seen

    begin = _reference(p, jnp.zeros(())) + 0.02 * first
    zero = jnp.zeros(3)
    start = (SO3.identity(), begin, zero, zero, _G * p["mass"], jnp.zeros(2), jnp.zeros(2), zero)
    _, seen = jax.lax.scan(row, (start, zero), (jnp.arange(n), draws))
    return seen


def _motion(p, t):
    def velocity(s):
        return jax.jvp(lambda r: _reference(p, r), (s,), (jnp.ones(()),))[1]

    return _reference(p, t), velocity(t), jax.jvp(velocity, (t,), (jnp.ones(()),))[1]


def _logged(flight: Disturbances, seen: dict[str, np.ndarray], duration: float, rng) -> dict[str, np.ndarray]:
    """What was recorded: late, noisy, smoothed, with the attitude's axes a little off."""
    from scipy.signal import lfilter
    from scipy.spatial.transform import Rotation

    n = len(seen["mass"])
    time = np.arange(n) / _RATE

    def late(values: np.ndarray, delay: float) -> np.ndarray:
        return np.stack([np.interp(time - delay, time, one) for one in values.reshape(n, -1).T], axis=1)

    velocity = seen["velocity"] + flight.velocity_noise * rng.standard_normal((n, 3))
    if flight.velocity_filter > 0:
        keep = np.exp(-1.0 / (_RATE * flight.velocity_filter))
        velocity = lfilter([1.0 - keep], [1.0, -keep], velocity, axis=0, zi=keep * velocity[:1])[0]
    velocity = late(np.asarray(velocity), flight.velocity_delay)
    attitude = late(seen["attitude"], flight.attitude_delay)
    attitude /= np.linalg.norm(attitude, axis=1, keepdims=True)
    noise = Rotation.from_rotvec(flight.attitude_noise * rng.standard_normal((n, 3)))
    off = Rotation.from_rotvec([*flight.tilt, 0.0])
    turned = (Rotation.from_quat(attitude[:, [1, 2, 3, 0]]) * noise * off).as_quat()[:, [3, 0, 1, 2]]
    thrust = late(seen["thrust"], flight.thrust_delay)[:, 0]
    speed = np.sqrt(np.maximum(thrust, 0.0) / (4e-7 * flight.mass))
    columns = {"time": time}
    for name, values, axes in (
        ("position", seen["position"] + 0.003 * rng.standard_normal((n, 3)), "xyz"),
        ("attitude", turned, "wxyz"),
        ("linear_velocity", velocity, "xyz"),
        ("rates", seen["rates"] + 0.01 * rng.standard_normal((n, 3)), "xyz"),
    ):
        columns |= {f"r1/{name}/{axis}": values[:, k] for k, axis in enumerate(axes)}
    columns |= {f"r1/rpm/{k}": speed for k in range(1, 5)}
    columns |= {"r1/thrust": thrust, "truth/mass": seen["mass"]}
    scale = lasting_scale(flight, seen["velocity"]) * (1.0 - flight.sag * time / duration)
    return columns | {"truth/thrust_scale": scale}


def lasting_scale(flight: Disturbances, velocity: np.ndarray) -> float:
    """The share of the logged thrust that acts on a level rotor at the flight's height, less what goes with its speed.

    It is the mean over the flight of what a mean wind and the ground below change, so that no flight can tell it from
    the mass; `velocity` (n, 3) in the world, m/s.
    """
    wind = flight.wind * np.array([np.cos(flight.wind_heading), np.sin(flight.wind_heading), 0.0])
    beyond = np.linalg.norm(velocity - wind, axis=1) - np.linalg.norm(velocity, axis=1)
    near = (flight.rotor / (4.0 * flight.height)) ** 2
    return float((1.0 - flight.loss * np.mean(beyond)) / (1.0 - near))
