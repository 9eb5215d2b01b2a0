"""Which axes, by physics: quaternion order and direction, up in the world and in the body, sensors' rotations."""

import dataclasses
import itertools

import numpy as np

from steelyard.logs.mapping._acceleration import acceleration, observed_acceleration
from steelyard.logs.mapping._compare import Alignment, Track, compare_axes
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._rotations import (
    SIGNED_PERMUTATIONS,
    angle_between,
    axes_matrix,
    axes_of,
    body_rates,
    matrices,
)
from steelyard.logs.mapping._samples import attitude_maps, vector_map
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING

UP_AXES = {
    "z": ("x", "y", "z"),
    "-z": ("x", "-y", "-z"),
    "y": ("x", "-z", "y"),
    "-y": ("x", "z", "-y"),
    "x": ("-z", "y", "x"),
    "-x": ("z", "y", "-x"),
}
"""Our world axes in one whose up is the key."""


def rates_of(track: Track) -> Track:
    """Body rates of an attitude's samples."""
    return Track(*body_rates(track.time, track.values))


ORDERS = {"?": ("wxyz", "xyzw"), "?3": ("rotvec", "rpy")}
"""What four or three numbers may be whose order nothing states."""


def _order_question(one: SignalSource) -> str:
    names = ", ".join(one.source)
    if one.order == "?3":
        return f"Are {names} a rotation vector or roll, pitch and yaw?"
    return f"Is the first or the last of {names} the scalar part (w)?"


def settle_attitude(exam: Examination, robot: str) -> Alignment | None:
    """Order and direction of the quaternion, by turning with the gyroscope and keeping gravity upright.

    Returns how the gyroscope is aligned with the attitude, where it turns enough to tell.
    """
    signal = f"{robot}/attitude"
    one = exam.sources.get(signal)
    gyro, acc = exam.track(f"{robot}/rates"), exam.track(f"{robot}/specific_force")
    if one is not None and exam.track_of(one) is None:  # without times nothing can be checked, and they are asked for
        return None
    if one is None:
        return None
    flown = observed_acceleration(exam, robot) is not None and acceleration(exam, robot) is not None
    if gyro is None and acc is None and not flown:
        if one.order in ORDERS:
            exam.ask(_order_question(one))
            exam.refuse(signal, "the order of its numbers cannot be told without a gyroscope or an accelerometer.")
        return None
    orders = ORDERS.get(one.order or "", (one.order,))
    inverses = (False,) if one.order == "rpy" else (one.inverse, not one.inverse)
    trials = [dataclasses.replace(one, order=o, inverse=i) for o, i in itertools.product(orders, inverses)]
    if one.order == "rpy" and not one.frame:  # the Crazyflie and others count the pitch upwards
        other = None if one.conversion else "legacy-pitch"
        trials.append(dataclasses.replace(one, conversion=other))
    scored = []
    for trial in trials:
        scored.append((_agreement(exam, robot, trial), trial))
        if scored[-1][0][0] > 0.9 and one.order not in ORDERS:  # what was expected fits: nothing else need be tried
            break
    scored.sort(key=lambda item: -item[0][0])
    (score, text, alignment), best = scored[0]
    tried = len(scored) > 1
    next_best = scored[1][0][0] if tried else 0.0
    same = (best.order, best.inverse, best.conversion) == (one.order, one.inverse, one.conversion)
    if one.order in ORDERS and score < TUNING.coherence:
        exam.ask(f"Is the first or the last of {', '.join(one.source)} the scalar part (w)?")
        exam.refuse(signal, f"the motion cannot tell the order of its numbers: {text}.")
        return None
    if score < TUNING.coherence:
        exam.report(signal, "undecided", f"The motion cannot check the attitude: {text}.")
    elif same and not tried:
        exam.change(signal, "confirmed", f"Order and direction fit the motion: {text}.")
    elif same and next_best > score - TUNING.margin:
        exam.report(signal, "confirmed", f"Body to world as usual; the motion fits ({text}) and cannot tell more.")
    elif same:
        exam.change(signal, "confirmed", f"Order and direction fit the motion: {text}; the next best {next_best:.2f}.")
    elif next_best > score - TUNING.margin and one.order not in ORDERS:
        exam.report(
            signal, "undecided", "The motion cannot tell the direction of the attitude; body to world is taken."
        )
        return scored[[t for _, t in scored].index(next(t for _, t in scored if not t.inverse))][0][2]
    else:
        way = "world to body" if best.inverse else "body to world"
        read = "angles with the pitch upwards" if best.conversion else best.order or "a matrix"
        sentence = f"Read as {read}, {way}, it fits the motion: {text}; the next best {next_best:.2f}."
        # Angles and a rotation vector of small tilts hardly differ: what is left unexplained tells them apart.
        other = scored[1][0][2] if tried else None
        close = next_best > score - TUNING.margin
        if one.order == "?3" and alignment is not None and other is not None:
            close = 1.0 - alignment.coherence > TUNING.mirrored_share * (1.0 - other.coherence)
        if one.order in ORDERS and close:
            exam.ask(_order_question(one))
            exam.refuse(signal, "the motion cannot tell the order of its numbers.")
            return None
        exam.change(signal, "found", sentence, order=best.order, inverse=best.inverse, conversion=best.conversion)
    return alignment if score >= TUNING.coherence else None


def _agreement(exam: Examination, robot: str, trial: SignalSource):
    """How well an attitude fits, in words, and the gyroscope's alignment with it."""
    track, gyro, acc = exam.track_of(trial), exam.track(f"{robot}/rates"), exam.track(f"{robot}/specific_force")
    if track is None:
        return 0.0, "there are no samples", None
    scores, words, alignment, penalty = [], [], None, 0.0
    if gyro is not None:
        found = compare_axes(rates_of(track), gyro, TUNING.longest_delay)
        if found.second > TUNING.second_axis:
            # A wrong order turns like a mirror image; where all turning is about one axis, both fit. A wrong order and
            # direction together turn both the world and the body, which equal axes contradict.
            turned = found.coherence_of(np.eye(3)) < found.coherence - TUNING.margin
            penalty = 2 * TUNING.margin * turned
            scores.append(found.coherence - max(0.0, found.mirrored - found.coherence))
            words.append(f"coherence {found.coherence:.2f} with the gyroscope")
            alignment = found
    if acc is not None and (gyro is None or alignment is not None):
        turned = acc if alignment is None else Track(acc.time, acc.values @ alignment.R)
        _up, share = upright(track, turned)
        if alignment is not None or share > 0.9:
            scores.append(share)
            words.append(f"gravity keeps its direction in the world to {share:.2f}")
    push, moved = acceleration(exam, robot, track), observed_acceleration(exam, robot)
    if gyro is None and push is not None and moved is not None:
        found = compare_axes(push, moved, TUNING.longest_delay)
        if found.second > TUNING.second_axis:
            # A thrust may be along −z, which is a mirror image. Tilts that are read the wrong way are half a turn about
            # the vertical, which equal axes contradict.
            same = found.coherence_of(np.eye(3))
            same, score = (
                (same, found.coherence) if acc is not None else (abs(same), max(found.coherence, found.mirrored))
            )
            penalty = 2 * TUNING.margin * (same < score - TUNING.margin)
            scores.append(score)
            words.append(f"coherence {scores[-1]:.2f} of the turned force with the motion")
    if not scores:
        return 0.0, "nothing turned about two axes", None
    return float(np.mean(scores)) - penalty, " and ".join(words), alignment


def upright(attitude: Track, acc: Track) -> tuple[np.ndarray, float]:
    """Mean direction of the specific force in the world, and how constant it is (1 where entirely)."""
    times = acc.time[:: max(len(acc.time) // 20000, 1)]
    rows = np.searchsorted(attitude.time, times).clip(0, len(attitude.time) - 1)
    near = np.abs(attitude.time[rows] - times) < TUNING.gap
    s = np.stack([np.interp(times, acc.time, v) for v in acc.values.T], 1)[near]
    if len(s) < 30:
        return np.array([0.0, 0.0, 1.0]), 0.0
    world = np.einsum("nij,nj->ni", matrices(attitude.values[rows[near]]), s)
    mean = world.mean(axis=0)
    size = float(np.linalg.norm(mean))
    return mean / max(size, 1e-12), size / float(np.mean(np.linalg.norm(s, axis=1)))


def settle_sensor_axes(exam: Examination, robot: str, alignment: Alignment | None) -> None:
    """The fixed rotation from a gyroscope's axes to those of the attitude, and of what comes with it."""
    signal = f"{robot}/rates"
    if alignment is None or signal not in exam.sources:
        return
    R = alignment.R.T  # gyroscope to body
    # What fits almost exactly shows its axes to a few degrees; noise hides more.
    nearest, permuted = permutation_of(alignment, min(TUNING.margin, 0.01 + 2.0 * (1.0 - alignment.coherence)))
    nearest = nearest.T
    if permuted and np.array_equal(nearest, np.eye(3)):
        exam.report(signal, "confirmed", f"Gyroscope and attitude have the same axes (within {_degrees(R):.0f}°).")
        return
    with_it = [f"{robot}/specific_force"] if f"{robot}/specific_force" in exam.same_stream(signal) else []
    text = (
        f"The gyroscope's axes are turned against the attitude's: ours are {', '.join(axes_of(nearest))} of it."
        if permuted
        else f"The gyroscope's axes are turned against the attitude's by {_degrees(R):.0f}°, no permutation of axes."
    )
    for name in (signal, *with_it):
        one = exam.sources[name]
        if permuted:
            M = nearest @ vector_map(one)
            exam.change(name, "found", text, axes=axes_of(M), frame=None, rotation=None)
        else:
            exam.change(name, "found", text, rotation=_tuple(R @ vector_map(one)), axes=None, frame=None)


def settle_world(exam: Examination, robot: str) -> None:
    """Which axis of the attitude's world is up, by the mean specific force."""
    signal = f"{robot}/attitude"
    attitude, acc = exam.track(signal), exam.track(f"{robot}/specific_force")
    if attitude is None or acc is None:
        return
    up, share = upright(attitude, acc)
    axis, cosine = nearest_axis(up)
    if share < 0.85 or cosine < 0.9:
        text = f"in the attitude's world the mean specific force points along {np.round(up, 2).tolist()} ({share:.2f})"
        exam.report(signal, "undecided", f"Which axis is up cannot be told: {text}.")
        return
    if axis == "z":
        exam.change(signal, "confirmed", f"The mean specific force points up along z of its world ({cosine:.3f}).")
    elif exam.sources[signal].certain and exam.sources[signal].frame:
        exam.refuse(signal, f"the mean specific force points along {axis} of its world, against its convention.")
    else:
        text = f"The mean specific force points along {axis} of its world ({cosine:.3f}), so that is up."
        turn_world(exam, robot, UP_AXES[axis], text)


def turn_world(exam: Examination, robot: str, axes: tuple[str, ...], text: str) -> None:
    """Turns the world of attitude, velocity and position."""
    for name in ("attitude", "linear_velocity", "position"):
        signal = f"{robot}/{name}"
        one = exam.sources.get(signal)
        if one is None or one.frame:
            continue
        M = attitude_maps(one)[0] if name == "attitude" else vector_map(one)
        changed = axes_of(axes_matrix(axes) @ M)
        sentence = text if name == "attitude" else f"Taken to be in the attitude's world. {text}"
        exam.change(signal, "found", sentence, axes=changed)


def settle_body(exam: Examination, robot: str) -> None:
    """Of a machine that flies: z of its body is along the thrust, so the mean specific force is along +z."""
    flies = any(f"{robot}/{name}" in exam.sources for name in ("thrust", "motor", "rpm"))
    acc, _attitude = exam.track(f"{robot}/specific_force"), exam.track(f"{robot}/attitude")
    if not flies or f"{robot}/wrench/force" in exam.sources or acc is None:
        return
    mean = np.median(acc.values, axis=0)
    axis, cosine = nearest_axis(mean / max(float(np.linalg.norm(mean)), 1e-12))
    signal = f"{robot}/specific_force"
    if cosine < 0.85:
        exam.report(signal, "undecided", f"No axis of the body is along the thrust: {np.round(mean, 2).tolist()}.")
        return
    if axis == "z":
        exam.report(signal, "confirmed", "In flight the specific force is along +z of the body, as thrust must be.")
        return
    text = f"In flight the specific force is along {axis} of the body ({cosine:.3f}): thrust is along +z of ours."
    turn_body(exam, robot, UP_AXES[axis], text)


def turn_body(exam: Examination, robot: str, axes: tuple[str, ...], text: str) -> None:
    """Turns the body axes of attitude, rates and specific force."""
    for name in ("rates", "specific_force"):
        signal = f"{robot}/{name}"
        one = exam.sources.get(signal)
        if one is not None and not one.frame:
            M = axes_matrix(axes) @ vector_map(one)
            if one.rotation is not None:
                exam.change(signal, "found", text, rotation=_tuple(M), axes=None)
            else:
                exam.change(signal, "found", text, axes=axes_of(M))
    signal = f"{robot}/attitude"
    one = exam.sources.get(signal)
    if one is not None and not one.frame:
        exam.change(signal, "found", text, body=axes_of(axes_matrix(axes) @ attitude_maps(one)[1]))


def permutation_of(found: Alignment, margin: float = TUNING.margin) -> tuple[np.ndarray, bool]:
    """The signed permutation that explains a comparison, equal axes where they do; False where none does.

    Motion in a plane fits several; equal axes are then the likeliest. A permutation may lose `margin` of the coherence.
    """
    enough = found.coherence - margin
    if found.coherence_of(np.eye(3)) >= enough:
        return np.eye(3), True
    scores = [found.coherence_of(P) for P in SIGNED_PERMUTATIONS]
    best = int(np.argmax(scores))
    return SIGNED_PERMUTATIONS[best], scores[best] >= enough


def snapped(R: np.ndarray) -> tuple[float, np.ndarray]:
    """The nearest signed permutation and its distance, rad."""
    angles = [angle_between(R, P) for P in SIGNED_PERMUTATIONS]
    best = int(np.argmin(angles))
    return angles[best], SIGNED_PERMUTATIONS[best]


def nearest_axis(direction: np.ndarray) -> tuple[str, float]:
    k = int(np.argmax(np.abs(direction)))
    return ("-" if direction[k] < 0 else "") + "xyz"[k], float(abs(direction[k]))


def _degrees(R: np.ndarray) -> float:
    return float(np.degrees(angle_between(R, np.eye(3))))


def _tuple(R: np.ndarray) -> tuple[tuple[float, float, float], ...]:
    return tuple(tuple(round(float(x), 6) for x in row) for row in R)  # type: ignore[return-value]
