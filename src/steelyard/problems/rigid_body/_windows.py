"""Readings multiplied by modulating functions and summed up, window by window, as they come.

Each signal is summed on its own times (trapezoids), so a reading that is missing leaves the others as they are. After
a hole that is too long for that, windows begin anew: none counts that has a hole in it.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from steelyard.estimators import forwards
from steelyard.models import Numbers
from steelyard.problems.rigid_body._modulating import modulating
from steelyard.problems.rigid_body._tuning import RecursiveTuning


class WristSample(eqx.Module):
    """One row; NaN where a signal was not read."""

    dt: Float[Numbers, "*batch"]
    """s, since the row before."""
    omega: Float[Numbers, "*batch 3"]
    """rad/s: a gyro's reading."""
    specific_force: Float[Numbers, "*batch 3"]
    """m/s²: an accelerometer's reading."""
    wrench: Float[Numbers, "*batch 6"]
    """N m (3), N (3), on the load, about the sensor's origin."""


class WindowIntegrals(eqx.Module):
    """What a window, or two that are open, has summed up: integrals of signals times each modulating function."""

    specific_force: Float[Numbers, "*window modes 3"]
    alpha: Float[Numbers, "*window modes 3"]
    """From the gyro, by parts."""
    products: Float[Numbers, "*window modes 6"]
    """Of angular velocities: xx, yy, zz, xy, xz, yz."""
    wrench: Float[Numbers, "*window modes 6"]
    one: Float[Numbers, "*window modes"]
    """Of a wrench that is one."""
    spread: Float[Numbers, "*window modes 3"]
    """s²: variance of the integral of each signal (alpha, specific force, wrench) over that of one of its readings."""


class OpenWindows(eqx.Module):
    """The older and the newer of two windows that overlap by half."""

    phase: Float[Numbers, ""]
    """s, since the newer one began."""
    begun: Float[Numbers, ""]
    """Windows since the last hole, without the newer one."""
    moments: WindowIntegrals
    """(2, …): of the older, the newer."""
    since: Float[Numbers, "3"]
    """s, since the last reading of gyro, accelerometer, wrench."""
    last: WristSample
    """The last reading of each; `dt` is not used."""
    value: Float[Numbers, "3 2 modes"]
    """Of the modulating functions at the last reading of each signal, by window."""
    derivative: Float[Numbers, "3 2 modes"]
    """The same, 1/s."""

    @staticmethod
    def start(tuning: RecursiveTuning) -> "OpenWindows":
        """Before the first reading."""
        last = WristSample(jnp.zeros(()), jnp.zeros(3), jnp.zeros(3), jnp.zeros(6))
        basis = jnp.zeros((3, 2, tuning.modes))
        moments, far = _nothing(2, tuning.modes), jnp.full(3, 2.0 * tuning.longest_gap)  # the first reading begins anew
        return OpenWindows(jnp.zeros(()), jnp.zeros(()), moments, far, last, basis, basis)


class Advanced(eqx.Module):
    """After one row."""

    windows: OpenWindows
    closed: WindowIntegrals
    """Of the window that ended with this row."""
    complete: Bool[Array, ""]
    """Whether one ended, and had no hole."""


def advance(windows: OpenWindows, sample: WristSample, tuning: RecursiveTuning) -> Advanced:
    """Takes in one row."""
    hop, modes, dt = tuning.hop, tuning.modes, forwards(sample.dt)
    phase = windows.phase + dt
    ends = phase >= hop
    basis = [modulating(phase + shift, hop, modes) for shift in (hop, 0.0, -hop)]  # older, newer, and the next one
    value, derivative = (jnp.stack([one[k] for one in basis]) for k in range(2))
    before_value, before_derivative = (_with_next(edge) for edge in (windows.value, windows.derivative))
    readings = (sample.omega, sample.specific_force, sample.wrench)
    heard = jnp.stack([jnp.all(jnp.isfinite(reading)) for reading in readings])
    now = WristSample(dt, *(jnp.where(there, reading, 0.0) for there, reading in zip(heard, readings, strict=True)))
    gap, last = windows.since + dt, windows.last
    # A window that ends is complete with what was read last: its functions are zero by now.
    used = heard[:, None] | (ends & jnp.array([True, False, False]))[None]
    half = 0.5 * gap[:, None, None] * used[:, :, None]

    def integral(signal: int, earlier, later, old, new):
        first, second = (half[signal] * edge for edge in (earlier[signal], later))
        return first[:, :, None] * old[None, None] + second[:, :, None] * new[None, None]

    one = half[2] * (before_value[2] + value)
    squares = jnp.stack([derivative, value, value], axis=-1) ** 2 * (jnp.where(heard, gap, 0.0) ** 2)[None, None]
    added = WindowIntegrals(
        integral(1, before_value, value, last.specific_force, now.specific_force),
        -integral(0, before_derivative, derivative, last.omega, now.omega),
        integral(0, before_value, value, _products(last.omega), _products(now.omega)),
        integral(2, before_value, value, last.wrench, now.wrench),
        one,
        squares,
    )
    total = WindowIntegrals(
        *(_with_next_first(a) + b for a, b in zip(_parts(windows.moments), _parts(added), strict=True))
    )
    hole = jnp.any(gap > tuning.longest_gap)
    moments = WindowIntegrals(*(jnp.where(hole, 0.0, jnp.where(ends, part[1:], part[:2])) for part in _parts(total)))
    edge_value, edge_derivative = (
        jnp.where(heard[:, None, None], now_edge[None], old_edge)
        for now_edge, old_edge in ((value, before_value), (derivative, before_derivative))
    )
    edge_value, edge_derivative = (
        jnp.where(hole, 0.0, jnp.where(ends, edge[:, 1:], edge[:, :2])) for edge in (edge_value, edge_derivative)
    )
    newest = WristSample(
        last.dt,
        jnp.where(heard[0], now.omega, last.omega),
        jnp.where(heard[1], now.specific_force, last.specific_force),
        jnp.where(heard[2], now.wrench, last.wrench),
    )
    after = OpenWindows(
        jnp.where(hole, 0.0, jnp.where(ends, phase - hop, phase)),
        jnp.where(hole, 0.0, windows.begun + ends),
        moments,
        jnp.where(heard, 0.0, jnp.minimum(gap, 2.0 * tuning.longest_gap)),
        newest,
        edge_value,
        edge_derivative,
    )
    closed = WindowIntegrals(*(part[0] for part in _parts(total)))
    return Advanced(after, closed, ends & ~hole & (windows.begun >= 1.0))


def _parts(moments: WindowIntegrals) -> tuple[Array, ...]:
    return (
        moments.specific_force,
        moments.alpha,
        moments.products,
        moments.wrench,
        moments.one,
        moments.spread,
    )  # type: ignore[return-value]


def _nothing(windows: int, modes: int) -> WindowIntegrals:
    sizes = ((3,), (3,), (6,), (6,), (), (3,))
    return WindowIntegrals(*(jnp.zeros((windows, modes, *size)) for size in sizes))


def _with_next(edge: Float[Array, "3 2 modes"]) -> Float[Array, "3 3 modes"]:
    return jnp.concatenate([edge, jnp.zeros_like(edge[:, :1])], axis=1)


def _with_next_first(part: Float[Array, "2 modes *parts"]) -> Float[Array, "3 modes *parts"]:
    return jnp.concatenate([part, jnp.zeros_like(part[:1])])


def _products(omega: Float[Array, "3"]) -> Float[Array, "6"]:
    """xx, yy, zz, xy, xz, yz."""
    x, y, z = omega
    return jnp.stack([x * x, y * y, z * z, x * y, x * z, y * z])
