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
    blocks, width = found.blocks, max(1, round(TUNING.gust_window / found.blocks.step))
    left = pushed(found)[:, :2]
    rate = np.diff(left, axis=0, prepend=left[:1]) / blocks.step * blocks.used[:, None]
    count = np.maximum(np.convolve(blocks.used, np.ones(width), "same"), 1.0)
    mean = [np.convolve(axis, np.ones(width), "same") / count for axis in rate.T]
    push = np.stack([np.interp(found.motion.time, blocks.time, axis) for axis in mean], axis=1)
    steady, gusts = (float(np.linalg.norm(part)) for part in (push.mean(axis=0), push.std(axis=0)))
    windy = steady > max(TUNING.least_wind, gusts)  # turbulence is a fifth of a wind; more is a motion that fits poorly
    damping = _damping(found)
    wind = np.pad(push / damping, ((0, 0), (0, 1))) if windy and damping > TUNING.least_damping else None
    motion = dataclasses.replace(found.motion, push=push, windy=windy, wind=wind, _columns={})
    return dataclasses.replace(found, motion=motion)


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
