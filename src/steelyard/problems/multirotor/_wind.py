"""The wind over time, from what pushes beside thrust and drag.

Thrust that a rotor loses to the air goes with the wind at the moment, gusts included. A vehicle that holds its place in
a gust leans into it, so that the loss goes with the square of the lean there and with the lean itself in a manoeuvre.
"""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._blocks import WANDER, force_column, left_over
from steelyard.problems.multirotor._piecewise import Fit
from steelyard.problems.multirotor._tuning import TUNING

_STEADY = ("wind/x", "wind/y", "tilt/x", "tilt/y")


def with_wind(found: Fit) -> Fit:
    """The fit with the push, and where drag is known the wind, of every row in its motion."""
    blocks = found.blocks
    width = min(max(1, round(TUNING.gust_window / blocks.step)), len(blocks.time))
    rate = across_thrust(found) * blocks.used[:, None]
    count = np.maximum(np.convolve(blocks.used, np.ones(width), "same"), 1.0)
    mean = [np.convolve(axis, np.ones(width), "same") / count for axis in rate.T]
    push = np.stack([np.interp(found.motion.time, blocks.time, axis) for axis in mean], axis=1)
    steady, gusts = (float(np.linalg.norm(part)) for part in (push.mean(axis=0), push.std(axis=0)))
    windy = steady > max(TUNING.least_wind, gusts)  # turbulence is a fifth of a wind; more is a motion that fits poorly
    damping = _damping(found)
    wind = np.pad(push / damping, ((0, 0), (0, 1))) if windy and damping > TUNING.least_damping else None
    motion = dataclasses.replace(found.motion, push=push, windy=windy, wind=wind, _columns={})
    return dataclasses.replace(found, motion=motion)


def across_thrust(found: Fit) -> np.ndarray:
    """(blocks, 2), m/s², world x and y: what pushes in the rotors' plane beside thrust and drag, as a horizontal push.

    Nothing along the thrust is in it. An error of the thrust or of the mass would enter by the lean, and what the wind
    takes from leaning rotors goes with push times lean: it would explain a step of the mass by itself.
    """
    left = pushed(found)
    return horizontal(np.diff(left, axis=0, prepend=left[:1]) / found.blocks.step, found.blocks.R[:, :, 2])


def horizontal(rate: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(n, 2), the horizontal vectors that have the part of `rate` (n, 3) in the planes across `z`."""
    tilt = z[:, :2]
    within = rate[:, :2] - tilt * np.sum(z * rate, axis=1)[:, None]
    level = np.maximum(z[:, 2] ** 2, 0.1)
    return within + tilt * (np.sum(tilt * within, axis=1) / level)[:, None]


def pushed(found: Fit) -> np.ndarray:
    """(blocks, 3), velocity that thrust, weight and drag leave over."""
    left = left_over(found.motion, found.linearised)
    for name in found.unknowns.forces:
        if name not in _STEADY and not name.startswith(WANDER):
            left = left - found.of(name)[0] * force_column(found.motion, found.linearised, name)
    return left


def _damping(found: Fit) -> float:
    """1/s, of the speed by drag; 0 where the flight does not tell it."""
    drag = dict(found.unknowns.given) | {n: found.of(n)[0] for n in found.unknowns.forces if n.startswith("drag")}
    if "drag" not in drag:
        return 0.0
    speed = float(np.sqrt(np.mean(np.sum(found.motion.bridged**2, axis=1))))
    return (drag["drag"] + drag.get("drag/quadratic", 0.0) * speed) / float(np.mean(found.linearised))
