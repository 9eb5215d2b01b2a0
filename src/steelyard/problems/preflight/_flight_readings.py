"""The other ways to read a multirotor's log that are worth trying."""

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np

from steelyard._rotations import matrices, quaternion_product
from steelyard.problems.preflight._flight_fit import Fit, Signals
from steelyard.problems.preflight._readings import best_axes, finite
from steelyard.problems.preflight._tuning import TUNING

_FRD = np.array([[0.0, 1.0, 0.0, 0.0]])
SIGNALS = {"q": "attitude", "rates": "rates", "v": "linear_velocity", "p": "position", "thrust": "thrust"}
"""Our name of each."""


@dataclasses.dataclass(frozen=True)
class OtherReading:
    """Another way to read the log."""

    code: str
    sentence: str
    remedy: str
    change: Callable[[Signals], Signals] = lambda signals: signals
    late: tuple[str, float] | None = None
    """A signal that is late, and by how much (s)."""
    certain: bool = True
    """Whether a method would be wrong with the log as it is."""


def readings_of(own: Fit) -> list[OtherReading]:
    """All that are worth trying."""
    replace = dataclasses.replace
    readings = [
        OtherReading(
            "quaternion-order",
            "The attitude fits the motion as a quaternion x, y, z, w",
            'State order = "xyzw" in its mapping.',
            lambda f: replace(f, q=f.q[:, [3, 0, 1, 2]]),
        ),
        OtherReading(
            "quaternion-inverse",
            "The attitude fits the motion as world to body: its direction is the inverse of ours",
            "State inverse = true in its mapping, or log body to world.",
            lambda f: replace(f, q=f.q * np.array([1.0, -1.0, -1.0, -1.0])),
        ),
        OtherReading(
            "quaternion-inverse",
            "The attitude fits the motion as a quaternion x, y, z, w from world to body, the inverse of ours",
            'State order = "xyzw" and inverse = true in its mapping.',
            lambda f: replace(f, q=f.q[:, [3, 0, 1, 2]] * np.array([1.0, -1.0, -1.0, -1.0])),
        ),
        OtherReading(
            "ned",
            "World and body fit the motion with z down (NED and FRD)",
            'State frame = "NED" for position, velocity and attitude, and frame = "FRD" for rates.',
            _from_ned,
        ),
        OtherReading(
            "world-axes",
            "Position and velocity fit the attitude as NED, x north and z down, while the attitude's world has z up",
            'State axes = ["y", "x", "-z"] for position and velocity, or log all in one frame.',
            lambda f: replace(f, v=f.v[:, [1, 0, 2]] * [1, 1, -1], p=f.p[:, [1, 0, 2]] * [1, 1, -1]),
        ),
        OtherReading(
            "world-axes",
            "Position and velocity fit the attitude with y and z reversed (NED), while the attitude's world has z up",
            'State axes = ["x", "-y", "-z"] for position and velocity, or log all in one frame.',
            lambda f: replace(f, v=f.v * [1, -1, -1], p=f.p * [1, -1, -1]),
        ),
        OtherReading(
            "body-axes",
            "The attitude fits the thrust with its body's z down (FRD)",
            'State body = ["x", "-y", "-z"] for the attitude.',
            lambda f: replace(f, q=quaternion_product(f.q, _FRD)),
        ),
        OtherReading(
            "velocity-body",
            "The velocity fits the motion as one in body axes, not the world's",
            "Turn it by the attitude, or log the velocity in world axes.",
            lambda f: replace(f, v=np.einsum("nij,nj->ni", matrices(f.q), f.v)),
        ),
        OtherReading(
            "velocity-body",
            "The velocity fits the motion as one in body axes, not the world's (FRD)",
            "Turn it by the attitude, or log the velocity in world axes.",
            lambda f: replace(f, v=np.einsum("nij,nj->ni", matrices(f.q), f.v * [1, -1, -1])),
        ),
    ]
    if np.nansum(own.rates**2) > 100.0 * np.nansum(own.turning**2):
        readings.append(
            OtherReading(
                "rates-degrees",
                "The rates fit the attitude in degrees a second",
                'State unit = "deg/s" for the rates.',
                lambda f: replace(f, rates=np.radians(f.rates)),
            )
        )
    readings += _axes_readings("rates", own.rates, own.turning)
    readings += _axes_readings("velocity", own.velocity, own.moving)
    readings += _scale_readings(own)
    readings += _offset_readings(own)
    for name, late in itertools.product(("q", "v", "thrust"), TUNING.delays):
        readings.append(
            OtherReading(
                "late",
                f"{SIGNALS[name]} fits the motion best if it is {1000 * late:.0f} ms late",
                f"State delay = {late:g} in its mapping.",
                late=(name, late),
                certain=late > 0.15,
            )
        )
    return readings


def _from_ned(f: Signals) -> Signals:
    flip = np.array([1.0, -1.0, -1.0])
    q = quaternion_product(quaternion_product(_FRD, f.q), _FRD)
    return dataclasses.replace(f, q=q, v=f.v * flip, p=f.p * flip, rates=f.rates * flip)


def _axes_readings(what: str, measured: np.ndarray, derived: np.ndarray) -> list[OtherReading]:
    """The best exchange of axes and signs of one signal, by what the other signal says of it."""
    exchanges = best_axes(measured, derived, most=1)
    if not exchanges:
        return []
    order, signs = exchanges[0]
    axes = [("-" if s < 0 else "") + "xyz"[k] for k, s in zip(order, signs, strict=True)]

    def change(f: Signals) -> Signals:
        values = (f.rates if what == "rates" else f.v)[:, list(order)] * np.array(signs)
        return dataclasses.replace(f, rates=values) if what == "rates" else dataclasses.replace(f, v=values)

    other = "attitude turns" if what == "rates" else "position moves"
    return [
        OtherReading(
            f"{what}-axes",
            f"The {what} fits the motion with axes {', '.join(axes)}, as the {other}",
            f"State axes = {axes} in its mapping.".replace("'", '"'),
            change,
        )
    ]


def _scale_readings(own: Fit) -> list[OtherReading]:
    """A velocity, a position or a clock of another unit."""
    measured, derived = own.velocity, own.moving
    good = np.isfinite(measured).all(1) & np.isfinite(derived).all(1)
    if good.sum() < 20:
        return []
    a, b = measured[good] - measured[good].mean(0), derived[good] - derived[good].mean(0)
    if np.sum(a * b) < TUNING.same_motion * np.sqrt(np.sum(a**2) * np.sum(b**2)):
        return []
    s = float(np.sqrt(np.sum(b**2) / max(np.sum(a**2), 1e-12)))  # the position moves by s times the velocity
    if not 1e-5 < s < 1e5 or abs(s - 1.0) < 0.03:
        return []
    replace = dataclasses.replace
    return [
        OtherReading(
            "velocity-scale",
            f"The velocity is {1.0 / s:.3g} times as fast as the position moves and the thrust explains",
            "State its unit in a mapping.",
            lambda f: replace(f, v=s * f.v),
        ),
        OtherReading(
            "position-scale",
            f"The position moves {s:.3g} times as fast as the velocity says and the thrust explains",
            "State its unit in a mapping.",
            lambda f: replace(f, p=f.p / s),
        ),
        OtherReading(
            "clock",
            f"The time runs {1.0 / s:.3g} times as fast as position and attitude move",
            "State the unit of time in a mapping, or look at the clock.",
            lambda f: replace(f, stretch=s),
        ),
    ]


def _offset_readings(own: Fit) -> list[OtherReading]:
    """Rates or velocities with a constant error; hints, for a method may estimate them."""
    readings: list[OtherReading] = []
    for what, measured, derived in (("rates", own.rates, own.turning), ("velocity", own.velocity, own.moving)):
        difference = finite(measured - derived)
        if len(difference) < 20:
            continue
        offset = np.median(difference, axis=0)

        def change(f: Signals, what=what, offset=offset) -> Signals:
            replace = dataclasses.replace
            return replace(f, rates=f.rates - offset) if what == "rates" else replace(f, v=f.v - offset)

        size, unit = float(np.linalg.norm(offset)), "rad/s" if what == "rates" else "m/s"
        cause = "a gyro's bias" if what == "rates" else "one of the two drifts"
        against = "the attitude turns" if what == "rates" else "the position moves"
        readings.append(
            OtherReading(
                f"{what}-offset",
                f"The {what} differs by {size:.2g} {unit} throughout from how {against}: {cause}",
                "Take it off, or leave the signal out.",
                change,
                certain=False,
            )
        )
    return readings
