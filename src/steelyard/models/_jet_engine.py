"""Model jet engines: a thrust that follows its throttle by a nonlinear equation of second order."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.models._model import Numbers, Seconds


@dataclasses.dataclass(frozen=True)
class EngineType:
    """A type of engine, as measured on a bench."""

    jet_parameters: tuple[float, ...]
    """K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU and c_jet, where the paper's list has B_TT for B_T and lacks B_UU
    [ironcub, Sec. III-B]; throttle in percent, thrust in N."""
    idle: float
    """Least thrust while it runs, N."""
    maximum: float
    """N."""
    thrust_rate: float = 100.0
    """Fastest change of thrust either way, N/s."""
    speed_map: tuple[float, float, float] | None = None
    """(a, b, c) of the rotor's speed `a T^b + c T`, in thousands of rpm; None where it was not measured."""


ENGINE_TYPES = {
    "P100": EngineType(
        (-1.497225, -0.059093, -2.429288, 0.107146, 0.124828, 0.520267, 0.018470, -0.046559, 0.014813, -19.928301),
        idle=2.0,
        maximum=100.0,
    ),
    "P160": EngineType(
        (0.306530, -0.024867, -0.973422, 0.055786, 0.022618, 0.688710, 0.038025, -0.089879, -0.001393, -0.958953),
        idle=5.0,
        maximum=160.0,
        speed_map=(18.66, 0.4053, -0.1373),
    ),
    "P220-first": EngineType(
        (-1.953561, -0.045804, 1.781593, 0.023776, -0.006976, 0.277460, 0.079341, -0.071026, 0.003995, -5.844843),
        idle=9.0,
        maximum=220.0,
        speed_map=(14.41, 0.4304, -0.1330),
    ),
    "P220": EngineType(
        (0.237755, -0.012799, -0.860374, 0.023606, 0.008599, 1.139026, 0.019914, -0.050257, 0.000302, -0.692913),
        idle=9.0,
        maximum=220.0,
        speed_map=(14.41, 0.4304, -0.1330),
    ),
}
"""Jets on kerosene, by name; `P220-first` diverges below a throttle of some 20 % and rests on its idle there.
The idle of a P160 is our own: it was not measured."""


def throttle_effect(jet_parameters, throttle):
    """`u + B_UU u²`, in percent [ironcub, Sec. III-B]."""
    return throttle + jet_parameters[8] * throttle**2


def jet_drift(jet_parameters, thrust, thrust_rate):
    """The part of T̈ that no throttle changes, N/s² [ironcub, Sec. III-B]."""
    K_T, K_TT, K_D, K_DD, K_TD, *_, c_jet = jet_parameters
    own = K_T * thrust + K_TT * thrust**2 + K_D * thrust_rate + K_DD * thrust_rate**2
    return own + K_TD * thrust * thrust_rate + c_jet


def jet_gain(jet_parameters, thrust, thrust_rate):
    """The factor of the throttle's effect in T̈, N/s² a percent [ironcub, Sec. III-B]."""
    B_U, B_T, B_D = jet_parameters[5:8]
    return B_U + B_T * thrust + B_D * thrust_rate


def jet_acceleration(jet_parameters, thrust, thrust_rate, throttle):
    """T̈ of [ironcub, Sec. III-B], N/s²; coefficients first, engines last, NumPy or JAX alike."""
    gain = jet_gain(jet_parameters, thrust, thrust_rate)
    return jet_drift(jet_parameters, thrust, thrust_rate) + gain * throttle_effect(jet_parameters, throttle)


def jet_decay(thrust, thrust_rate):
    """T̈ of an engine without fuel, N/s²; the benches are silent on it, and ours dies away with 0.2 s, twice."""
    return -25.0 * thrust - 10.0 * thrust_rate


class JetEngines(eqx.Module):
    """Jets side by side, each of its own kind."""

    jet_parameters: Float[Numbers, "10 engine"]
    idle: Float[Numbers, " engine"]
    maximum: Float[Numbers, " engine"]
    thrust_rate: Float[Numbers, " engine"]

    @staticmethod
    def of(types: list[EngineType]) -> "JetEngines":
        """Engines of these kinds."""
        return JetEngines(
            np.array([kind.jet_parameters for kind in types], float).reshape(-1, 10).T,
            np.array([kind.idle for kind in types], float),
            np.array([kind.maximum for kind in types], float),
            np.array([kind.thrust_rate for kind in types], float),
        )

    def step(
        self,
        thrust: Float[Array, " engine"],
        thrust_rate: Float[Array, " engine"],
        throttle: Float[Array, " engine"],
        dt: Seconds,
        offset: Float[Array, " engine"] | float = 0.0,
        trust: Float[Array, " engine"] | float = 1.0,
    ) -> tuple[Float[Array, " engine"], Float[Array, " engine"]]:
        """Thrust and its rate `dt` seconds later: the midpoint rule, then idle, maximum and the fastest rate.

        `offset` (N/s²) is added to T̈. An engine without throttle is off, and its thrust dies away. With a `trust` of 0
        its equation and its idle are not used: the thrust keeps its rate, which fades within half a second.
        """
        runs = jnp.where(throttle > 0, 1.0, 0.0)

        def acceleration(T, T_dot):
            running = jet_acceleration(self.jet_parameters, T, T_dot, throttle) + offset
            modelled = runs * running + (1.0 - runs) * jet_decay(T, T_dot)
            return trust * modelled - (1.0 - trust) * 2.0 * T_dot

        half = 0.5 * dt
        middle = thrust_rate + half * acceleration(thrust, thrust_rate)
        after = thrust + dt * middle
        rate = thrust_rate + dt * acceleration(thrust + half * thrust_rate, middle)
        limited = jnp.clip(rate, -self.thrust_rate, self.thrust_rate)
        # One that has failed may seem to pull: a limit would cut its uncertainty off on one side.
        least = jnp.where(trust > 0, runs * self.idle, -self.maximum)
        # On its idle an engine does not sink further; without this its rate would have to turn round before it rises.
        limited = jnp.where((after <= least) & (limited < 0), 0.0, limited)
        limited = jnp.where((after >= self.maximum) & (limited > 0), 0.0, limited)
        return _as_if_free(after, jnp.clip(after, least, self.maximum)), _as_if_free(rate, limited)


def _as_if_free(free: Float[Array, " engine"], limited: Float[Array, " engine"]) -> Float[Array, " engine"]:
    """The limited value with the derivatives of the free one.

    The derivative at a limit is zero, and a filter that takes a thrust for limited would know it exactly: whatever the
    momentum shows after that, it would not learn that the thrust has left its limit.
    """
    return free + jax.lax.stop_gradient(limited - free)


def rotor_speed(speed_map, thrust):
    """Speed of rotation, rpm, of thrusts in N; maps are (3, engine); a tenth of a newton is the least."""
    a, b, c = speed_map
    T = jnp.maximum(thrust, 0.1)
    return 1e3 * (a * T**b + c * T)


@functools.cache  # a robot has several engines of a kind
def steady_thrust(kind: EngineType, throttle: float) -> float | None:
    """Where the thrust settles at a throttle, N, from idle, limits apart; None where it does not within 30 s."""
    T, T_dot, dt = kind.idle, 0.0, 0.02
    for _ in range(round(30.0 / dt)):
        T_dot += dt * jet_acceleration(kind.jet_parameters, T, T_dot, throttle)
        T_dot = min(max(T_dot, -kind.thrust_rate), kind.thrust_rate)
        T += dt * T_dot
        if kind.idle >= T:
            T, T_dot = kind.idle, max(T_dot, 0.0)
        if not 1.5 * kind.maximum >= T:
            return None
    return T if abs(T_dot) < 0.5 else None
