"""A wrist's force against its accelerometer: the sign of the wrench, the rotation between the two, offsets."""

import dataclasses
import itertools
from typing import Any

import numpy as np

from steelyard.logs.mapping._compare import (
    Alignment,
    Track,
    align,
    averaged,
    compare,
    compare_axes,
    derivative,
    grid_of,
    width_for,
)
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._frames import ORDERS, UP_AXES, rates_of, settle_sensor_axes, snapped
from steelyard.logs.mapping._open_units import asked_unit, leave_open
from steelyard.logs.mapping._rotations import angle_between, axes_matrix, axes_of, matrices
from steelyard.logs.mapping._samples import vector_map
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING
from steelyard.logs.mapping._unit_names import G
from steelyard.logs.mapping._units import quiet_norm

_LONGEST_ARM = 1.0
"""m, from a wrist's force sensor to the mass centre of what it holds: a longer one is another unit of the torque."""
_CLEAR = 0.01  # of coherence, by which a rotation must beat its mirror image for the sign to be decided


def settle_wrench(exam: Examination, robot: str) -> None:
    """A load's force follows the specific force, F = m R s + offset: its sign and the sensors' rotation R.

    A force on the load is along the specific force, one on the sensor against it. A minus is a mirror image, so the
    sign shows wherever gravity turns about more than one axis; where it does not, equal axes decide, or nothing does.
    """
    force, torque = f"{robot}/wrench/force", f"{robot}/wrench/torque"
    F, s = exam.track(force), exam.track(f"{robot}/specific_force")
    if F is None or s is None:
        return
    plus = compare(s, F, TUNING.longest_delay).alignment
    if plus.coherence < TUNING.coherence and plus.mirrored < TUNING.coherence:
        norm, varies = quiet_norm(s)
        if varies > TUNING.gravity_varies and not 0.75 < norm / G < 1.33:
            text = f"it follows no force and reads {norm:.3g} m/s² where it is quietest"
            exam.refuse(
                f"{robot}/specific_force", f"{text}: gravity is not in it, so it is no accelerometer's own reading."
            )
            return
        text = f"Force and specific force do not go together (coherence {plus.coherence:.2f})"
        exam.report(force, "undecided", f"{text}: neither the sign of the wrench nor the sensors' axes can be checked.")
        exam.ask(f"Is {exam.sources[force].streams[0]} the force on the load, in the accelerometer's axes?")
        return
    minus = compare(Track(s.time, -s.values), F, TUNING.longest_delay).alignment
    sign, found, decided = _sign(plus, minus)
    mass = f"as a load of about {found.scale:.3g} kg does (coherence {found.coherence:.3f})"
    if not decided:
        exam.report(
            force,
            "undecided",
            f"The force follows the specific force, {mass}, but gravity turned about one axis only, so whether it is "
            "the force on the load or on the sensor cannot be told; on the load is taken.",
        )
        exam.ask(
            f"Is {exam.sources[force].streams[0]} the wrench on the load or on the sensor? This motion cannot tell; "
            "the mass and the centre of mass are the same for both."
        )
    elif sign > 0:
        exam.change(force, "confirmed", f"The force is along the specific force, {mass}: it acts on the load.")
    else:
        text = f"The force is against the specific force, {mass}: it acts on the sensor and is turned round."
        for signal in (force, torque):
            if signal in exam.sources:
                M = -vector_map(exam.sources[signal])
                exam.change(signal, "found", text, axes=axes_of(M), frame=None)
    _turn_sensor(exam, robot, _with_lever_arm(exam, robot, F, s, sign, found))
    _offset(exam, force, robot)


def _sign(plus: Alignment, minus: Alignment) -> tuple[float, Alignment, bool]:
    """+1 or −1, its alignment, and whether the motion decides it."""
    if plus.coherence > minus.coherence + _CLEAR:
        return 1.0, plus, True
    if minus.coherence > plus.coherence + _CLEAR:
        return -1.0, minus, True
    if angle_between(plus.R, np.eye(3)) < TUNING.snap:
        return 1.0, plus, True
    if angle_between(minus.R, np.eye(3)) < TUNING.snap:
        return -1.0, minus, True
    return 1.0, plus, False


def _with_lever_arm(exam: Examination, robot: str, F: Track, s: Track, sign: float, found: Alignment) -> Alignment:
    """The same alignment once the acceleration of the mass centre is known, where a gyroscope comes with the sensor.

    Turning accelerates a mass centre that is away from the sensor, which looks like another rotation of the axes.
    """
    w = exam.track(f"{robot}/rates")
    if w is None or f"{robot}/rates" not in exam.same_stream(f"{robot}/specific_force"):
        return found
    R, alignment = snapped(found.R)[1], found
    for _ in range(3):
        turned = [Track(t.time, t.values @ R.T) for t in (s, w)]
        signed = Track(F.time, sign * F.values)
        near = compare(turned[0], signed, TUNING.longest_delay, free=False)
        x = at_mass_centre(signed, *turned, -near.delay)
        alignment = compare(x, signed, TUNING.longest_delay).alignment
        if alignment.coherence < found.coherence:
            return found
        R = alignment.R @ R
    return dataclasses.replace(alignment, R=R)


def _turn_sensor(exam: Examination, robot: str, found: Alignment) -> None:
    """Turns the inertial sensor into the force sensor's axes."""
    signal = f"{robot}/specific_force"
    away, nearest = snapped(found.R)
    if found.second < TUNING.second_axis or angle_between(found.R, np.eye(3)) < TUNING.snap:
        exam.report(signal, "confirmed", "Accelerometer and force sensor have the same axes.")
        return
    inertial = [signal]
    if f"{robot}/rates" in exam.sources and f"{robot}/rates" in exam.same_stream(signal):
        inertial.append(f"{robot}/rates")
    for name in inertial:
        M = vector_map(exam.sources[name])
        if away < TUNING.snap_other:
            turned = axes_of(nearest @ M)
            text = f"In the force sensor's axes it is {', '.join(turned)} (within {np.degrees(away):.0f}°)."
            exam.change(name, "found", text, axes=turned, frame=None, rotation=None)
        else:
            rotation = tuple(tuple(round(float(x), 6) for x in row) for row in found.R @ M)
            angle = np.degrees(angle_between(found.R, np.eye(3)))
            text = f"A rotation by {angle:.0f}° takes it to the force sensor's axes."
            exam.change(name, "found", text, rotation=rotation, axes=None, frame=None)


def at_mass_centre(F: Track, s: Track, w: Track, delay: float) -> Track:
    """Specific force of the load's mass centre: F = m (s + alpha x c + omega x (omega x c)) + offset.

    The lever arm c comes from least squares. The inertial sensor's times are moved by `delay` for the fit only.
    """
    width = max(width_for(s, w), 0.06)
    times = s.time[(s.time > w.time[0] + width) & (s.time < w.time[-1] - width)]
    alpha = derivative(w, width)
    a = averaged(s.time, s.values, times, width)
    omega, domega = averaged(w.time, w.values, times, width), averaged(alpha.time, alpha.values, times, width)
    y = averaged(F.time, F.values, times - delay, width)
    good = np.isfinite(np.column_stack([a, omega, domega, y])).all(axis=1)
    if good.sum() < 30:
        return s
    arms = [np.cross(domega[good], e) + np.cross(omega[good], np.cross(omega[good], e)) for e in np.eye(3)]
    ones = [np.tile(e, (int(good.sum()), 1)) for e in np.eye(3)]
    A = np.stack([column.ravel() for column in (a[good], *arms, *ones)], axis=1)
    theta = np.linalg.lstsq(A, y[good].ravel(), rcond=None)[0]
    c = theta[1:4] / theta[0] if abs(theta[0]) > 1e-6 else np.zeros(3)
    if np.linalg.norm(c) > 3.0:
        return s
    moved = a[good] + np.einsum("k,knj->nj", c, np.array(arms))
    return Track(times[good], moved)


def _offset(exam: Examination, force: str, robot: str) -> None:
    """Reports a constant part of the force that no load explains."""
    F, s = exam.track(force), exam.track(f"{robot}/specific_force")
    if F is None or s is None:
        return
    grid = grid_of(F, s)
    if grid is None:
        return
    width = width_for(F, s)
    x, y = averaged(s.time, s.values, grid, width), averaged(F.time, F.values, grid, width)
    found = align(x, y)
    if found.coherence < 0.95:
        return
    offset = np.nanmean(y, axis=0) - found.scale * np.nanmean(x, axis=0) @ found.R.T
    weight = found.scale * 9.81
    if np.linalg.norm(offset) > 0.1 * weight:
        text = ", ".join(f"{value:.1f}" for value in offset)
        exam.report(force, "found", f"Beside a weight of {weight:.1f} N the force has an offset of about ({text}) N.")


def settle_wrench_unit(exam: Examination, robot: str) -> None:
    """N and N m, by convention or by what the file states; else the mass is any multiple of it, and the unit is open.

    What is called a wrench has the units of ROS messages. Gravity ties a force to the mass alone; torque over force is
    a lever arm, which shows a torque in N mm.
    """
    force, torque = f"{robot}/wrench/force", f"{robot}/wrench/torque"
    if force not in exam.sources:
        return
    one, other = exam.sources[force], exam.sources.get(torque)
    arm = _lever_arm(exam, force, torque)
    if other is not None and not other.certain and arm is not None and arm > _LONGEST_ARM:
        text = f"with N m its mass centre would be {arm:.3g} m from the sensor"
        asked_unit(exam, torque, f"In which unit is {', '.join(other.source)}? {text[0].upper()}{text[1:]}.", "N mm")
        exam.refuse(torque, f"{text}, so it is in another unit.")
        other = exam.sources.get(torque)
    whole = all(np.all(np.mod(exam.values_of(each), 1.0) == 0) for each in (one, other) if each is not None)
    named = any("wrench" in source.lower() for source in one.source)
    if one.certain or (other is not None and other.certain) or (named and not whole):
        return
    counts = "They are whole numbers, as a converter's counts are" if whole else "Nothing states their units"
    why = f"{counts}, and no motion tells a force's unit from the mass"
    leave_open(exam, [signal for signal in (force, torque) if signal in exam.sources], why)


def _lever_arm(exam: Examination, force: str, torque: str) -> float | None:
    """m, from the sensor to the mass centre, by least squares of torque = c x force + offset."""
    F, T = exam.track(force), exam.track(torque)
    grid = None if F is None or T is None else grid_of(F, T)
    if F is None or T is None or grid is None:
        return None
    width = width_for(F, T)
    y, z = averaged(F.time, F.values, grid, width), averaged(T.time, T.values, grid, width)
    good = np.isfinite(np.column_stack([y, z])).all(axis=1)
    y, z = y[good] - y[good].mean(axis=0), z[good] - z[good].mean(axis=0)
    if len(y) < 30:
        return None
    A = np.stack([np.cross(e, y).ravel() for e in np.eye(3)], axis=1)
    c, _, rank, _ = np.linalg.lstsq(A, z.ravel(), rcond=None)
    left = 1.0 - float(np.sum((z.ravel() - A @ c) ** 2) / max(float(np.sum(z**2)), 1e-30))
    return float(np.linalg.norm(c)) if rank == 3 and left > TUNING.coherence else None


def settle_wrist_attitude(exam: Examination, robot: str) -> None:
    """An attitude beside a wrench: its body axes in those of the force sensor, by the direction of gravity."""
    signal = f"{robot}/attitude"
    if signal not in exam.sources or f"{robot}/wrench/force" not in exam.sources:
        return
    s = exam.track(f"{robot}/specific_force")
    if exam.track(signal) is None or s is None or exam.sources[signal].frame:
        return
    one, best, chosen = exam.sources[signal], -1.0, None
    for order, inverse in itertools.product(ORDERS.get(one.order or "", (one.order,)), (False, True)):
        trial = dataclasses.replace(one, order=order, inverse=one.inverse != inverse)
        attitude = exam.track_of(trial)
        if attitude is None:
            continue
        for axis in UP_AXES:
            up = axes_matrix(UP_AXES[axis])[2]  # row z of ours: up in recorded axes
            x = Track(attitude.time, np.einsum("nji,j->ni", matrices(attitude.values), up))
            found = compare(x, s, TUNING.longest_delay, centred=False).alignment
            if found.coherence > best + TUNING.margin / 4:
                best, chosen = found.coherence, (trial, axis, found.R)
    if chosen is None or best < 0.95:
        exam.refuse(signal, f"gravity does not turn with it in any direction (at best {best:.2f}).")
        return
    trial, axis, R = chosen
    exam.sources[signal] = trial
    turning = _turning(exam, robot, trial)
    R = R if turning is None else turning
    away, nearest = snapped(R)
    way = "world to sensor" if trial.inverse else "sensor to world"
    read = f"{trial.order}, {way}" if one.order in ORDERS else way
    text = f"Gravity turns with it, read as {read}, {axis} up (coherence {best:.3f})."
    changes: dict[str, Any] = {"axes": UP_AXES[axis] if axis != "z" else None}
    if away < (_SNAP if turning is None else TUNING.snap_other):
        changes["body"] = axes_of(nearest)
        text += f" Its axes in the force sensor's are {', '.join(axes_of(nearest))} (within {np.degrees(away):.0f}°)."
    else:
        changes["rotation"] = tuple(tuple(round(float(x), 6) for x in row) for row in R)
        text += f" A rotation by {np.degrees(angle_between(R, np.eye(3))):.0f}° takes its axes to the force sensor's."
    exam.change(signal, "found", text, **changes)


_SNAP = 0.25
"""rad, from a permutation of axes within which a rotation that gravity alone shows counts as it: the motion's own
acceleration is noise to it."""


def _turning(exam: Examination, robot: str, one: SignalSource) -> np.ndarray | None:
    """The rotation from an attitude's axes to a gyroscope's, where that one comes with the accelerometer."""
    attitude, w = exam.track_of(one), exam.track(f"{robot}/rates")
    if attitude is None or w is None or f"{robot}/rates" not in exam.same_stream(f"{robot}/specific_force"):
        return None
    found = compare(rates_of(attitude), w, TUNING.longest_delay).alignment
    return found.R if found.coherence > 0.9 and found.second > TUNING.second_axis else None


def settle_wrist_gyroscope(exam: Examination, robot: str) -> None:
    """A gyroscope that does not come with the accelerometer is turned by how the attitude turns."""
    acc, rates = f"{robot}/specific_force", f"{robot}/rates"
    attitude, w = exam.track(f"{robot}/attitude"), exam.track(rates)
    if attitude is None or w is None or acc not in exam.sources or rates in exam.same_stream(acc):
        return
    found = compare_axes(rates_of(attitude), w, TUNING.longest_delay)
    if found.coherence > TUNING.coherence and found.second > TUNING.second_axis:
        settle_sensor_axes(exam, robot, found)
