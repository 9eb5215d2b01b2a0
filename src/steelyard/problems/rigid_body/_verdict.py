"""What the numbers of a load can be trusted with, and what happened to it, as text."""

import itertools
from collections.abc import Sequence

import numpy as np

from steelyard.estimators import Reason, Trust
from steelyard.problems._identification import Event
from steelyard.problems.rigid_body._events import Piece
from steelyard.problems.rigid_body._quantities import Load, load_of_fit
from steelyard.problems.rigid_body._tuning import TUNING

_REMEDY = (
    "state the true noise in [noise], or look for what the model lacks (a late or wrongly scaled channel, other axes, "
    "a second hand on the load, a load that is not rigid)"
)


def trust_of(pieces: Sequence[Piece]) -> Trust:
    """What speaks against the answer of the last piece."""
    piece = pieces[-1]
    fit, reasons = piece.fit, _changes_reasons(pieces)
    for signal in fit.residuals:
        if signal not in fit.record.stated:
            continue
        excess = float(np.max(fit.excess[signal]))
        if excess > TUNING.misfit_doubtful:
            level = "contradicted" if excess > TUNING.misfit_failed else "doubtful"
            sentence = f"{signal} is {np.sqrt(excess):.2g} times as far off as its stated noise allows: {_REMEDY}."
            reasons.append(Reason("misfit", sentence, level))
    share = {signal: 1.0 - float(weight.mean()) for signal, weight in fit.weights.items()}
    worst = max(share, key=share.__getitem__)
    if share[worst] > TUNING.most_gated:
        sentence = f"{100 * share[worst]:.0f} % of the samples of {worst} are outliers: check its wiring and its units."
        reasons.append(Reason("outliers", sentence, "contradicted"))
    if not fit.converged:
        reasons.append(
            Reason("not-converged", "The fit did not settle: the motion, the wrench and a rigid load disagree.")
        )
    load = load_of_fit(fit)
    away = load.away
    if away > TUNING.most_away and np.isfinite(load.inertia_std).all():  # where it did not turn, moments are noise
        sentence = f"What fits best is {away:.0f} deviations from any load that can exist: {_REMEDY}."
        reasons.append(Reason("impossible", sentence))
    if piece.inseparable:
        sentence = "Something else touches the load for most of the log, so its weight cannot be told from the contact."
        reasons.append(Reason("contact", sentence, "contradicted"))
    return Trust((*reasons, *_sensor_reasons(piece), *_scale_reasons(piece)))


def _changes_reasons(pieces: Sequence[Piece]) -> list[Reason]:
    """Changes that no picking up and putting down explains: too many, or the sensor's offsets changed with them."""
    seconds = pieces[-1].record.end - pieces[0].record.start
    changes = len(pieces) - 1
    if changes > 1.0 + seconds / TUNING.seconds_a_change:
        sentence = f"The load would have changed {changes} times in {seconds:.0f} s: {_REMEDY}."
        return [Reason("changes", sentence)]
    for before, after in itertools.pairwise(pieces):
        old, new = load_of_fit(before.fit), load_of_fit(after.fit)
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


def _scale_reasons(piece: Piece) -> list[Reason]:
    """A load that cannot be: the wrench may have the opposite sign, or leave gravity out."""
    fit = piece.fit
    mass, std = float(fit.unknowns.load[0]), float(np.sqrt(fit.load_covariance[0, 0]))
    if mass < -3.0 * std and np.isfinite(load_of_fit(fit).mass_std):
        sentence = (
            f"The mass would be {mass:.3g} kg: the wrench is that of the load on the sensor, not of the sensor on the "
            "load; give it the opposite sign."
        )
        return [Reason("wrench-sign", sentence, "contradicted")]
    return []


def verdict_of(piece: Piece, trust: Trust) -> str:
    """What the numbers of one robot mean, in sentences."""
    robot, load = piece.record.robot, load_of_fit(piece.fit)
    if trust.level == "contradicted":
        return f"{robot}: no load explains this log. {_sentences(trust)}"
    known, parts = load.known, []
    if known["mass"]:
        parts.append(f"the mass is {load.mass:.4g} kg, known to {196 * load.mass_std / load.mass:.2g} % (95 %)")
    else:
        parts.append(f"the mass cannot be told from this log, {_why_no_mass(piece)}")
    if known["com"]:
        parts.append(f"the centre of mass to {1960 * load.com_std.max():.2g} mm")
    else:
        direction = named_direction(np.linalg.eigh(piece.fit.load_covariance[1:4, 1:4])[1][:, -1])
        parts.append(f"the centre of mass cannot be told along {direction}: tilt the load, or turn it faster")
    if known["inertia"]:
        parts.append(f"the inertia to {1.96 * load.inertia_std.max():.2g} kg m² an entry")
    else:
        parts.append(f"the inertia cannot be told from this motion, {_why_no_inertia(piece)}")
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


def _why_no_mass(piece: Piece) -> str:
    if piece.record.tared:
        return "because hardly any force or acceleration shows"
    return (
        "because the force sensor's offset cannot be told from the weight: tilt the load, or say [wrist] tared = true "
        "if the sensor has no offset"
    )


def _why_no_inertia(piece: Piece) -> str:
    omega = piece.fit.trajectory.angular
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
        events.append(_change(load_of_fit(before.fit), load_of_fit(after.fit), after, end))
    return events


def _change(old: Load, new: Load, after: Piece, end: float) -> Event:
    size = new.mass - old.mass
    if abs(size) > 3 * np.hypot(old.mass_std, new.mass_std):
        what = f"The mass jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} kg, to {new.mass:.3g} kg."
        return Event(after.record.start, "change", after.record.robot, "mass", what, size, end)
    shift = float(np.linalg.norm(new.com - old.com))
    what = f"The load changed at the same mass: its centre of mass moved by {1000 * shift:.3g} mm."
    return Event(after.record.start, "change", after.record.robot, "com", what, shift, end)
