"""Velocity, position and thrust against the attitude: whose axes they are in, and which way thrust and up are."""

import dataclasses

import numpy as np

from steelyard.logs.mapping._acceleration import acceleration, observed_acceleration
from steelyard.logs.mapping._compare import (
    Alignment,
    Track,
    averaged,
    compare,
    compare_axes,
    derivative,
    grid_of,
    width_for,
)
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._frames import (
    UP_AXES,
    nearest_axis,
    permutation_of,
    turn_body,
    turn_world,
)
from steelyard.logs.mapping._handedness import reflection_of
from steelyard.logs.mapping._rotations import axes_of
from steelyard.logs.mapping._samples import vector_map
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING


def settle_velocity(exam: Examination, robot: str) -> None:
    """Velocity in the world's axes: its derivative is the turned specific force, gravity taken off."""
    signal = f"{robot}/linear_velocity"
    moved, push = observed_acceleration(exam, robot), acceleration(exam, robot)
    if signal not in exam.sources or moved is None or push is None or push.rate < 5:
        return
    found = compare_axes(push, moved, TUNING.longest_delay)
    _vector_axes(exam, signal, found, "The velocity's derivative fits the turned specific force")
    _length_unit(exam, signal, found, "attitude and acceleration")


def settle_velocity_frame(exam: Examination, robot: str) -> None:
    """Whether a velocity is in the world's or in the body's axes, by the derivative of the position or acceleration.

    A twist in the body's axes is turned to the world by the attitude, where no other velocity is recorded.
    """
    signal, twist = f"{robot}/linear_velocity", f"{robot}/twist/linear"
    one = exam.sources.get(signal) or exam.sources.get(twist)
    attitude = exam.sources.get(f"{robot}/attitude")
    if one is None or attitude is None or one.conversion or one.frame or len(attitude.source) != 4 or attitude.inverse:
        return
    q = attitude.source if attitude.order == "wxyz" else (attitude.source[3], *attitude.source[:3])
    source, axes = (*one.source, *q), attitude.axes
    why = f"{one.why} Its attitude turns it to the world."
    turned = dataclasses.replace(
        one, signal=signal, source=source, conversion="body-to-world", axes=axes, frame=None, why=why
    )
    if signal not in exam.sources:  # a twist, which is the body's by convention
        exam.sources[signal] = turned
        other = dataclasses.replace(one, signal=signal, axes=axes)
    else:
        other = turned
    taken = exam.sources[signal]
    scores = [_moves_like(exam, robot, trial) for trial in (taken, other)]
    if scores[1] > scores[0] + TUNING.margin and scores[1] > TUNING.coherence:
        whose = "the body's" if other.conversion else "the world's"
        exam.sources[signal] = other
        text = f"Its motion fits in {whose} axes (coherence {scores[1]:.2f}, else {scores[0]:.2f})."
        exam.change(signal, "found", text)


def _moves_like(exam: Examination, robot: str, trial: SignalSource) -> float:
    """Coherence of a velocity with the derivative of the position, or its own derivative with the acceleration."""
    v, p, push = exam.track_of(trial), exam.track(f"{robot}/position"), acceleration(exam, robot)
    if v is None:
        return 0.0
    if p is not None:
        return compare(derivative(p, 0.1), v, TUNING.longest_delay, free=False).coherence
    return 0.0 if push is None else compare(push, derivative(v, 0.1), TUNING.longest_delay, free=False).coherence


def settle_position(exam: Examination, robot: str) -> None:
    """Position in the axes of the velocity: its derivative."""
    signal = f"{robot}/position"
    p, v, push = exam.track(signal), exam.track(f"{robot}/linear_velocity"), acceleration(exam, robot)
    if p is not None and _geographic(p, v, push, None if v is not None else observed_acceleration(exam, robot)):
        exam.refuse(signal, "its axes change at rates that differ by thousands: degrees of longitude and latitude.")
        settle_position(exam, robot)
    elif p is not None and v is not None:
        found = compare_axes(v, derivative(p, 0.1), TUNING.longest_delay)
        _vector_axes(exam, signal, found, "The position's derivative fits the velocity")
        _length_unit(exam, signal, found, "the velocity")
    elif p is not None and push is not None and push.rate > 5:
        moved = observed_acceleration(exam, robot) or p
        free = compare_axes(push, moved, TUNING.longest_delay)
        if not exam.sources[signal].certain and reflection_of(free) is not None:
            _vector_axes(exam, signal, free, "The position's second derivative fits the turned specific force")
            moved = observed_acceleration(exam, robot) or p
        found = compare(push, moved, TUNING.longest_delay, free=False).alignment
        _length_unit(exam, signal, found, "attitude and acceleration")


def _geographic(p: Track, v: Track | None, push: Track | None, moved: Track | None) -> bool:
    """Whether two axes of a position change thousands of times as slowly as the motion, by least squares on it."""
    x, y = (v, derivative(p, 0.1)) if v is not None else (push, moved)
    grid = None if x is None or y is None else grid_of(x, y)
    if x is None or y is None or grid is None:
        return False
    width = width_for(x, y)
    a, b = averaged(x.time, x.values, grid, width), averaged(y.time, y.values, grid, width)
    good = np.isfinite(np.column_stack([a, b])).all(axis=1)
    if good.sum() < 30:
        return False
    a, b = a[good] - a[good].mean(axis=0), b[good] - b[good].mean(axis=0)
    scales = np.linalg.lstsq(a, b, rcond=None)[0]
    left = np.sum((b - a @ scales) ** 2, axis=0) / np.maximum(np.sum(b**2, axis=0), 1e-30)
    sizes = np.sort(np.linalg.norm(scales, axis=0)[left < 1.0 - TUNING.coherence**2])
    return len(sizes) == 3 and bool(sizes[1] < sizes[2] / TUNING.geographic)


_LENGTHS = {"": 1.0, "c": 100.0, "m": 1000.0}
"""By the prefix of a metre, how many of it are one."""


def _length_unit(exam: Examination, signal: str, found: Alignment, against: str) -> None:
    """m, cm or mm, by how fast it changes; `found.scale` is that over what it should be in metres."""
    one = exam.sources.get(signal)
    if one is None or one.certain or found.coherence < TUNING.coherence:
        return
    prefix = min(_LENGTHS, key=lambda p: abs(np.log(found.scale / _LENGTHS[p])))
    text = f"It changes {found.scale:.3g} times as fast as {against} state in metres"
    if abs(np.log(found.scale / _LENGTHS[prefix])) > np.log(2.0):
        exam.refuse(signal, f"{text}, which fits neither m, cm nor mm.")
    elif prefix:
        exam.change(signal, "found", f"{text}: {prefix}{one.unit}.", unit=f"{prefix}{one.unit}")


def _vector_axes(exam: Examination, signal: str, found: Alignment, what: str) -> None:
    one = exam.sources[signal]
    if found.coherence < TUNING.coherence or found.second < TUNING.second_axis:
        exam.report(signal, "undecided", f"The motion cannot check its axes (coherence {found.coherence:.2f}).")
        return
    mirror = None if one.certain else reflection_of(found)
    if mirror is not None:
        M = axes_of(mirror.T @ vector_map(one))
        exam.change(
            signal, "found", f"{what} as a mirror image, with axes {', '.join(M)}: its world is left-handed.", axes=M
        )
        return
    nearest, permuted = permutation_of(found)
    nearest = nearest.T
    same = permuted and np.array_equal(nearest, np.eye(3))
    if found.mirrored > found.coherence + 0.02 and not one.certain:
        exam.refuse(signal, f"{what} only as a mirror image ({found.mirrored:.2f} against {found.coherence:.2f}).")
    elif same:
        exam.change(signal, "confirmed", f"{what} (coherence {found.coherence:.2f}).")
    elif one.certain and one.frame:
        exam.report(signal, "undecided", f"{what} with axes {', '.join(axes_of(nearest))} ({found.coherence:.2f}).")
    elif permuted:
        M = axes_of(nearest @ vector_map(one))
        exam.change(signal, "found", f"{what} with axes {', '.join(M)} (coherence {found.coherence:.2f}).", axes=M)
    else:
        exam.refuse(signal, f"{what} in no axes that only rename ours.")


def settle_by_thrust(exam: Examination, robot: str) -> None:
    """Without an accelerometer: the thrust along +z or −z of the body, and what gravity takes off, show both ups."""
    v, attitude = exam.track(f"{robot}/linear_velocity"), exam.track(f"{robot}/attitude")
    thrust = exam.track(f"{robot}/thrust")
    if f"{robot}/specific_force" in exam.sources or v is None or attitude is None or thrust is None:
        return
    push = acceleration(exam, robot)
    signal = f"{robot}/attitude"
    if push is None:
        return
    dv = derivative(v, 0.1)
    trials = {}
    for axis, sign in (("z", 1.0), ("-z", -1.0)):
        trials[axis] = compare(Track(push.time, sign * push.values), dv, TUNING.longest_delay, free=False)
    best = max(trials, key=lambda axis: trials[axis].coherence)
    other = "-z" if best == "z" else "z"
    coherence, margin = trials[best].coherence, trials[best].coherence - trials[other].coherence
    if coherence < TUNING.coherence or margin < TUNING.margin:
        exam.report(signal, "undecided", f"The motion cannot tell the direction of the thrust ({coherence:.2f}).")
        return
    sign = 1.0 if best == "z" else -1.0
    mean = sign * push.values.mean(axis=0)
    up, cosine = nearest_axis(mean / float(np.linalg.norm(mean)))
    less = trials[other].coherence
    text = f"The velocity's derivative fits a thrust along {best} of the body ({coherence:.2f}, else {less:.2f})"
    if best != "z":
        turn_body(exam, robot, UP_AXES[best], f"{text}: ours is +z.")
    else:
        exam.report(signal, "confirmed", f"{text}.")
    if up != "z" and cosine > 0.9:
        turn_world(
            exam, robot, UP_AXES[up], f"The mean thrust points along {up} of its world ({cosine:.3f}), so that is up."
        )
