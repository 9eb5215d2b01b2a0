"""What the numbers of a load can be trusted with, and what happened to it, as text."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Reason, Trust
from steelyard.problems._identification import Event
from steelyard.problems.rigid_body._checks import Check
from steelyard.problems.rigid_body._events import Piece
from steelyard.problems.rigid_body._quantities import Load
from steelyard.problems.rigid_body._tuning import TUNING

_REMEDY = (
    "state the true noise in [noise], or look for what the model lacks (a late or wrongly scaled channel, other axes, "
    "a second hand on the load, a load that is not rigid)"
)


def trust_of(pieces: Sequence[Piece]) -> Trust:
    """What speaks against the answer of the last piece.

    The sensors are the same all along: where no rigid load explains an earlier piece, the last one is not explained
    either, however well a short piece can be fitted.
    """
    reasons = _changes_reasons(pieces)
    for piece in reversed(pieces):
        known = {reason.code for reason in reasons}
        found = [reason for reason in _piece_reasons(piece) if piece is pieces[-1] or reason.code not in known]
        if piece is not pieces[-1]:
            when = f"Until {piece.record.end:.2f} s: "
            found = [dataclasses.replace(reason, sentence=f"{when}{reason.sentence}") for reason in found]
        reasons += found
    named = {"density", *(name.replace("_", "-") for name in TUNING.check_sizes)}
    return Trust(tuple(sorted(reasons, key=lambda reason: reason.code not in named)))  # first what says what to mend


def _piece_reasons(piece: Piece) -> list[Reason]:
    """What speaks against one load and these sensors in one piece."""
    fit, reasons = piece.fit, []
    for signal in fit.residuals:
        reasons += misfit_reason(signal, float(np.max(fit.excess[signal])), signal in fit.record.stated)
    share = {signal: 1.0 - float(weight.mean()) for signal, weight in fit.weights.items()}
    worst = max(share, key=share.__getitem__)
    if share[worst] > TUNING.most_gated:
        sentence = f"{100 * share[worst]:.0f} % of the samples of {worst} are outliers: check its wiring and its units."
        reasons.append(Reason("outliers", sentence, "contradicted"))
    if not fit.converged:
        reasons.append(
            Reason("not-converged", "The fit did not settle: the motion, the wrench and a rigid load disagree.")
        )
    load, mass = piece.load, float(fit.unknowns.load[0])
    density, far, sign = load_reasons(load, mass, float(np.sqrt(fit.load_covariance[0, 0])))
    reasons += far
    if piece.inseparable:
        sentence = "Something else touches the load for most of the log, so its weight cannot be told from the contact."
        reasons.append(Reason("contact", sentence, "contradicted"))
    return [*density, *reasons, *_check_reasons(piece), *_sensor_reasons(piece), *sign]


def load_reasons(load: Load, mass: float, mass_std: float) -> tuple[list[Reason], list[Reason], list[Reason]]:
    """A load that cannot be: too dense; far from every load; of negative `mass` (kg), as it was before."""
    away, far = load.away, []
    if away > TUNING.most_away and np.isfinite(load.inertia_std).all():  # where it did not turn, moments are noise
        sentence = f"What fits best is {away:.0f} deviations from any load that can exist: {_REMEDY}."
        far.append(Reason("impossible", sentence))
    return _density_reasons(load), far, _sign_reasons(load, mass, mass_std)


def misfit_reason(signal: str, excess: float, stated: bool) -> list[Reason]:
    """Where the variance of a misfit is so many times the assumed one."""
    if not excess > (TUNING.misfit_doubtful if stated else TUNING.misfit_failed):
        return []
    level = "contradicted" if stated and excess > TUNING.misfit_failed else "doubtful"
    allows = "as its stated noise allows" if stated else "from the motion of a rigid load as from its own curve"
    return [Reason("misfit", f"{signal} is {np.sqrt(excess):.2g} times as far off {allows}: {_REMEDY}.", level)]


def _changes_reasons(pieces: Sequence[Piece]) -> list[Reason]:
    """Changes that no picking up and putting down explains: too many, or the sensor's offsets changed with them."""
    seconds = pieces[-1].record.end - pieces[0].record.start
    changes = len(pieces) - 1
    if changes > 1.0 + seconds / TUNING.seconds_a_change:
        sentence = f"The load would have changed {changes} times in {seconds:.0f} s: {_REMEDY}."
        return [Reason("changes", sentence)]
    for before, after in itertools.pairwise(pieces):
        old, new = before.load, after.load
        if not abs(new.mass - old.mass) > 3 * np.hypot(old.mass_std, new.mass_std):
            moment = after.record.start
            sentence = f"The load would have changed at {moment:.2f} s, and its mass would not: {_REMEDY}."
            return [Reason("changes", sentence)]
        if before.record.tared:
            continue
        names = ("torque_offset", "force_offset")
        jump, spread = np.zeros(0), np.zeros(0)
        for name in names:
            jump = np.append(jump, getattr(after.fit.unknowns, name) - getattr(before.fit.unknowns, name))
            spread = np.append(spread, np.hypot(before.fit.std(name), after.fit.std(name)))
        if float(np.max(np.abs(jump) / spread)) > TUNING.offset_jump:
            moment = after.record.start
            sentence = f"The offsets of the force sensor would have jumped with the load at {moment:.2f} s: {_REMEDY}."
            return [Reason("changes", sentence)]
    return []


def _sensor_reasons(piece: Piece) -> list[Reason]:
    """Sensor errors that are much larger than any sensor's."""
    fit, found = piece.fit, []
    vector, prior = fit.unknowns.vector(fit.at), fit.at.prior
    names = {
        "gyro_bias": "the bias of twist/angular",
        "velocity_bias": "the bias of twist/linear",
        "accelerometer_bias": "the bias of specific_force",
        "accelerometer_scale": "the scale of specific_force",
        "rotation": "the rotation between the axes of the motion sensor and of the force sensor",
        "attitude_rotation": "the rotation between the axes of the orientation and of the force sensor",
        "lever": "the distance of the motion sensor from the force sensor",
        "torque_offset": "the offset of wrench/torque",
        "force_offset": "the offset of wrench/force",
        **{f"delay/{signal}": f"the delay of {signal}" for signal in fit.unknowns.delays},
    }
    for name, what in names.items():
        if name in fit.at:
            ratio = float(np.max(np.abs(vector[fit.at[name]]) / prior[fit.at[name]]))
            if ratio > TUNING.unlikely_error:
                sentence = (
                    f"{what[0].upper()}{what[1:]} would have to be {ratio:.1f} times what sensors have: {_REMEDY}."
                )
                found.append(Reason("sensor-error", sentence))
    return found


def _sign_reasons(load: Load, mass: float, std: float) -> list[Reason]:
    """The wrench may have the opposite sign, or leave gravity out."""
    if mass < -3.0 * std and np.isfinite(load.mass_std):
        sentence = (
            f"The mass would be {mass:.3g} kg: the wrench is that of the load on the sensor, not of the sensor on the "
            "load; give it the opposite sign."
        )
        return [Reason("wrench-sign", sentence, "contradicted")]
    return []


def _density_reasons(load: Load) -> list[Reason]:
    """A load that is denser than any material: its force is too large for its torque.

    Of all bodies of mass m and density rho a ball has the smallest moments: the trace of its inertia is 6/5 m r^2.
    """
    radius = (3.0 * load.mass / (4.0 * np.pi * TUNING.densest)) ** (1.0 / 3.0)
    least = 1.2 * load.mass * radius**2
    most = float(np.trace(load.inertia)) + TUNING.most_away * float(np.linalg.norm(load.inertia_std))
    if load.known["mass"] and most < least:
        sentence = (
            f"A load of {load.mass:.3g} kg with moments this small would be denser than any metal: "
            "check the units of wrench/force (grams?) and of wrench/torque."
        )
        return [Reason("density", sentence, "contradicted")]
    return []


def _check_reasons(piece: Piece) -> list[Reason]:
    """Errors that no sensor should have, and this log shows; the clearest first."""
    found = [check for check in piece.fit.checks if check.found]
    found.sort(key=lambda check: -float(np.max(check.deviations)))
    return [Reason(check.name.replace("_", "-"), _check_sentence(check)) for check in found]


def no_solution(error: Exception) -> Reason:
    """Where the numbers allow no load at all."""
    sentence = f"No load explains these numbers ({error}): check units, clocks and axes."
    return Reason("no-solution", sentence, "contradicted")


def _check_sentence(check: Check) -> str:
    gains = check.name == "force_gains"  # the three of them add up to none: the largest is the axis that is off
    k = int(np.argmax(np.abs(check.value) if gains else check.deviations))
    value, std = float(check.value[k]), float(check.std[k])
    size = f"{100 * abs(value):.2g} ± {100 * std:.1g} %" if abs(value) < 0.5 else "much"  # a linear step tells no more
    scale = f"{size} too {'large' if value > 0 else 'small'}"
    return {
        "torque_scale": f"wrench/torque is {scale} for wrench/force and the motion: check its unit and calibration.",
        "force_delay": f"wrench/force is {1000 * value:.2g} ± {1000 * std:.1g} ms late against wrench/torque: it was "
        "filtered or recorded otherwise; treat both alike.",
        "wrench_smoothing": f"{'The wrench' if value > 0 else 'What shows the motion'} is filtered at "
        f"{1.0 / (2.0 * np.pi * np.sqrt(2.0 * abs(value))):.2g} Hz, and the rest of the log is not: "
        "record both unfiltered, or filter them alike.",
        "force_gains": f"wrench/force/{'xyz'[k]} is {scale} next to the mean of the three axes: check its calibration.",
        "gyro_scale": f"twist/angular is {scale} for the way gravity turns: check its unit, and whether the clock "
        "of the log runs too fast or too slow.",
        "velocity_scale": f"twist/linear is {scale} for the accelerations: check its unit, and the clock of the log.",
        "velocity_rotation": f"twist/linear is turned by {np.degrees(abs(value)):.2g} ± {np.degrees(std):.1g}° about "
        f"{'xyz'[k]} against the force sensor: state it in the force sensor's axes.",
    }[check.name]


def verdict_of(piece: Piece, trust: Trust) -> str:
    """What the numbers of one robot mean, in sentences."""
    why = {"mass": why_no_mass(piece.record.tared), "inertia": why_no_inertia(piece.fit.trajectory.angular)}
    return load_verdict(piece.record.robot, piece.load, piece.fit.load_covariance, why, trust)


def load_verdict(robot: str, load: Load, covariance: np.ndarray, why: Mapping[str, str], trust: Trust) -> str:
    """The same from a load, the covariance (10, 10) of its parameters, and why mass or inertia cannot be told."""
    if trust.level == "contradicted":
        return f"{robot}: no load explains this log. {_sentences(trust)}"
    known, parts = load.known, []
    if known["mass"]:
        parts.append(f"the mass is {load.mass:.4g} kg, known to {196 * load.mass_std / load.mass:.2g} % (95 %)")
    else:
        parts.append(f"the mass cannot be told from this log, {why['mass']}")
    if known["com"]:
        parts.append(f"the centre of mass to {1960 * load.com_std.max():.2g} mm")
    else:
        direction = named_direction(np.linalg.eigh(covariance[1:4, 1:4])[1][:, -1])
        parts.append(f"the centre of mass cannot be told along {direction}: tilt the load, or turn it faster")
    if known["inertia"]:
        parts.append(f"the inertia to {1.96 * load.inertia_std.max():.2g} kg m² an entry")
    else:
        parts.append(f"the inertia cannot be told from this motion, {why['inertia']}")
    return f"{robot}: {'; '.join(parts)}. {_believed(trust)}"


def _believed(trust: Trust) -> str:
    if trust.level == "believed":
        return "The measurements are as far off as their noise explains, so the intervals can be believed."
    return f"The intervals are doubtful. {_sentences(trust)}"


def _sentences(trust: Trust) -> str:
    """All reasons; the common advice once, at the end."""
    advice = f": {_REMEDY}."
    found = [reason.sentence for reason in trust.reasons]
    advised = [k for k, sentence in enumerate(found) if sentence.endswith(advice)]
    for k in advised[:-1]:
        found[k] = found[k].removesuffix(advice) + "."
    return " ".join(found)


def why_no_mass(tared: bool) -> str:
    """With or without offsets of the force sensor."""
    if tared:
        return "because hardly any force or acceleration shows"
    return (
        "because the force sensor's offset cannot be told from the weight: tilt the load, or say [wrist] tared = true "
        "if the sensor has no offset"
    )


def why_no_inertia(omega: np.ndarray) -> str:
    """From the angular velocities (n, 3), rad/s."""
    sizes, axes = np.linalg.eigh(omega.T @ omega / len(omega))
    if sizes[-1] < 0.05**2:
        return "because the load hardly turned: turn it about every axis"
    if sizes[0] < 0.1 * sizes[-1]:
        return f"because the load hardly turned about {named_direction(axes[:, 0])}: turn it about that axis, too"
    return "because the load turned too little for this noise: turn it faster, or for longer"


def named_direction(direction: np.ndarray) -> str:
    """A direction in sensor axes, its sign of no account."""
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return f"({', '.join(f'{x + 0.0:.2f}' for x in direction)}) in sensor axes"


def events_of(pieces: Sequence[Piece]) -> list[Event]:
    """Changes and contacts; noticed at the end of the log, because the whole of it was fitted."""
    events, end = [], pieces[-1].record.end
    for piece in pieces:
        robot = piece.record.robot
        for contact in piece.contacts:
            size = float(np.linalg.norm(contact.force))
            what = f"Something touched the load until {contact.end:.2f} s, with {size:.2g} N on average."
            events.append(Event(contact.start, "contact", robot, "wrench", what, size, end))
    for before, after in itertools.pairwise(pieces):
        events.append(change_event(before.load, after.load, after.record.robot, after.record.start, end))
    return events


def change_event(old: Load, new: Load, robot: str, start: float, noticed: float) -> Event:
    """A load in the place of another, from `start` (s) on."""
    size = new.mass - old.mass
    if abs(size) > 3 * np.hypot(old.mass_std, new.mass_std):
        what = f"The mass jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} kg, to {new.mass:.3g} kg."
        return Event(start, "change", robot, "mass", what, size, noticed)
    shift = float(np.linalg.norm(new.com - old.com))
    what = f"The load changed at the same mass: its centre of mass moved by {1000 * shift:.3g} mm."
    return Event(start, "change", robot, "com", what, shift, noticed)
