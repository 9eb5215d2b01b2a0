"""The answer of the method `smoothed`: quantities, events and a verdict from the fit of a whole flight."""

import numpy as np

from steelyard.config import Config
from steelyard.estimators import Estimate, Reason
from steelyard.logs import Log
from steelyard.problems._identification import Event, Innovations, Replay, Series
from steelyard.problems.multirotor._blocks import LOSSES, WIND
from steelyard.problems.multirotor._changes import change_of, noticed, persistent_error, time_interval
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._smoothed import Smoothed
from steelyard.problems.multirotor._tuning import TUNING

SCALED = "mass_over_thrust_coefficient"
"""Where only rotor speeds are known, kg/(N/rpm²)."""
_UNITS = {
    "mass": "kg",
    SCALED: "kg rpm²/N",
    "drag": "N s/m",
    "drag/quadratic": "N s²/m²",
    "thrust_loss": "s/m",
    "thrust_loss/axial": "s/m",
    "motor_lag": "s",
}
_NO_NEWTONS = (
    "Rotor speeds tell the mass over the thrust coefficient only; [multirotor] thrust_coefficient, N a rotor and rpm², "
    "gives the mass."
)
_CALM = "This flight hardly moved through the air."


def smoothed_estimates(record: FlightRecord, found: Smoothed) -> dict[str, Estimate]:
    """What is known at the last row."""
    time = float(record.time[-1])
    names = [name for name, _, _ in _quantities(record, found)]
    if found.refusal is not None:
        return {
            n: Estimate.unknown("not-identifiable", _UNITS[n], _frame(n, record), time, found.refusal) for n in names
        }
    answers: dict[str, Estimate] = {}
    if record.thrust_unit != "N":
        answers["mass"] = Estimate.unknown("not-identifiable", "kg", None, time, _NO_NEWTONS)
    for name, value, std in _quantities(record, found):
        if np.isfinite(value[-1]):
            answers[name] = Estimate.known(value[-1], std[-1], _UNITS[name], _frame(name, record), time)
        else:
            answers[name] = Estimate.unknown("not-identifiable", _UNITS[name], _frame(name, record), time, _CALM)
    if found.smallest_seen is not None:
        answers["smallest_change"] = Estimate.known(*found.smallest_seen, "1", None, time)
    return answers


def smoothed_reasons(found: Smoothed) -> tuple[Reason, ...]:
    """Why the mass at the last row may be another than the one that the flight told."""
    reasons = []
    if found.refusal is None and found.fit.blocks.used.any():
        last = float(found.fit.blocks.time[found.fit.blocks.used][-1])
        if found.fit.motion.flight_end - last > TUNING.end_margin:
            text = f"After {last:.1f} s thrust, attitude or velocity is missing, or rows come at another rate"
            reasons.append(Reason("unheard", f"{text}: the mass may have changed since. Cut the log there with --end."))
        if found.smallest_seen is not None and found.smallest_seen[0] > TUNING.unseen_change:
            text = f"A step of the mass by less than {100 * found.smallest_seen[0]:.0f} % would not show"
            reasons.append(Reason("unheard", f"{text}: there are too few rows, or too much acts beside the thrust."))
    return tuple(reasons)


def hover_throttle(log: Log, record: FlightRecord, found: Smoothed) -> dict[str, Estimate]:
    """The command, 0 to 1, at which the thrust carries the weight, where commands were logged; deviations by blocks."""
    if found.refusal is not None or "throttle" not in log.signals(record.robot):
        return {}
    command = np.nanmean(log.signal(record.robot, "throttle"), axis=1) / 100.0
    weight = 9.81 * found.mass
    near = (np.abs(record.thrust / weight - 1.0) < TUNING.near_hover) & (command > 0.0)
    if near.sum() < TUNING.hover_rows:
        return {}
    shares = np.array([float(np.median(one)) for one in np.array_split(command[near], 10)])
    std = float(max(shares.std(ddof=1) / np.sqrt(10), 1e-4))
    return {"hover_throttle": Estimate.known(float(np.median(command[near])), std, "1", None, float(record.time[-1]))}


def smoothed_series(record: FlightRecord, found: Smoothed) -> dict[str, Series]:
    """The mass over time with its band; all else is constant."""
    if found.refusal is not None:
        return {}
    return {name: Series(record.time, value, std, _UNITS[name]) for name, value, std in _quantities(record, found)}


def smoothed_innovations(found: Smoothed) -> Innovations:
    """Whitened residuals of the changes from block to block, in body axes."""
    left = np.where(found.fit.blocks.used[:, None], found.fit.left, np.nan)
    channels = tuple(f"linear_velocity/{axis}" for axis in "xyz")
    return Innovations(found.fit.blocks.time, channels, left, np.ones_like(left))


def smoothed_replay(record: FlightRecord, found: Smoothed) -> dict[str, Replay]:
    """The flight for a simulator, where its thrust is in newtons and its mass was found."""
    if found.refusal is not None or record.thrust_unit != "N":
        return {}
    fit = found.fit
    value = dict(fit.unknowns.given) | {name: fit.of(name)[0] for name in fit.unknowns.forces}
    flown = np.flatnonzero(np.isfinite(fit.motion.velocity).all(axis=1))
    rows = np.isfinite(record.thrust) & np.isfinite(record.attitude).all(axis=1)
    rows[: flown[0]] = rows[flown[-1] + 1 :] = False  # on the ground
    replay = Replay(
        record.time[rows],
        record.thrust[rows],
        record.attitude[rows],
        fit.motion.velocity[rows],
        found.mass[rows],
        drag=(value.get("drag", 0.0), value.get("drag/quadratic", 0.0)),
        losses=(value.get("thrust_loss", 0.0), value.get("thrust_loss/axial", 0.0)),
    )
    return {record.robot: replay}


def smoothed_events(record: FlightRecord, found: Smoothed) -> list[Event]:
    """Every change of the mass, with its size, direction and time, each with an interval."""
    if found.refusal is not None:
        return []
    events = []
    for piece in found.fit.unknowns.pieces:
        kind, begin = piece
        if kind == "level" or begin <= record.time[0]:
            continue
        value, std = (one / record.thrust_factor for one in found.fit.of(piece))
        early, late = time_interval(found.fit, piece)
        when = f"between {early:.2f} and {late:.2f} s"
        seen = max(noticed(found.fit, piece), begin)
        if kind == "step":
            share = 100 * value * record.thrust_factor / float(np.interp(begin - 0.1, record.time, found.mass))
            what = (
                f"The mass jumped {'up' if value > 0 else 'down'} by {abs(value):.3g} ± {1.96 * std:.2g} "
                f"{_UNITS[_mass_name(record)]} ({share:+.1f} %), {when}."
            )
            events.append(Event(begin, "change", record.robot, _mass_name(record), what, value, seen))
        else:
            before = (
                float(np.interp(begin - 0.1, record.time, np.gradient(found.mass, record.time))) / record.thrust_factor
            )
            unit = f"{_UNITS[_mass_name(record)]}/s"
            what = f"The mass now changes by {before + value:+.2g} {unit}, after {before:+.2g} {unit} before, {when}."
            events.append(Event(begin, "change", record.robot, f"{_mass_name(record)}/rate", what, value, seen))
    return events


def smoothed_verdict(record: FlightRecord, found: Smoothed, config: Config) -> str:
    """For one robot."""
    if found.refusal is not None:
        return f"{record.robot}: the mass cannot be told from this log. {found.refusal}"
    mass, std = found.mass[-1], found.mass_std[-1]
    error = found.fit.error
    in_newtons = _mass_name(record) == "mass"
    what = f"the mass is {mass:.4g} kg," if in_newtons else "the mass over the thrust coefficient is"
    text = f"{record.robot}: {what} known to {196 * std / mass:.2g} % (95 %)."
    if found.fit.coloured:
        text += (
            f" What the model lacks is {100 * error.coloured_along / 9.81:.2g} % of the weight along the thrust, "
            f"correlated over {error.time_along:.2g} s, and is in the interval."
        )
    if persistent_error(found.fit) > 0:
        share = 196 * persistent_error(found.fit)
        text += f" {share:.2g} % is added for errors that last for the whole flight, which no flight can reveal."
    if record.thrust_uncertainty:
        text += f" {196 * record.thrust_uncertainty:.2g} % are the thrust map's."
    for name in found.fit.unknowns.forces:
        text += _force_sentence(found, name)
    hidden = dict(found.fit.unknowns.widths)
    drift = [p for p in found.fit.unknowns.pieces if p[0] == "slope" and p[1] <= record.time[0] and p not in hidden]
    if drift:
        share = 100 * change_of(found.fit, drift[0]) / mass
        text += (
            f" The apparent mass drifts by {share:+.2g} % over the flight: fuel or spray that is used where it falls; "
            "thrust that is lost to the battery, heat or wear where it rises."
        )
    if found.smallest_seen is not None:
        text += f" A step of up to {100 * found.smallest_seen[0]:.2g} % of the mass might not be seen in this flight."
    if found.outliers > 0.001:
        text += f" {100 * found.outliers:.2g} % of the velocities were outliers and did not count."
    claim = config.guess.mass
    if claim is not None and record.thrust_unit == "N" and np.all(np.abs(found.mass - claim) > 4 * found.mass_std):
        text += (
            f" The stated {claim:g} kg is contradicted: this thrust carries {mass:.3g} kg, so either the mass or the "
            f"thrust's scale is off by {100 * abs(mass / claim - 1):.0f} %."
        )
    return text


def _force_sentence(found: Smoothed, name: str) -> str:
    value, std = found.fit.of(name)
    if abs(value) < 4 * std:
        return ""
    if name == WIND:
        if not found.fit.motion.windy:
            return ""
        return f" Thrust {'falls' if value > 0 else 'rises'} where the rotors lean into the wind."
    if name in LOSSES:
        along = " along its axis" if name.endswith("axial") else ""
        moves = "falls" if value > 0 else "rises"
        return f" Thrust {moves} by {100 * abs(value):.2g} ± {196 * std:.1g} % a m/s of speed{along}."
    if name.startswith("wind/"):
        return f" A steady push of {value:+.2f} ± {1.96 * std:.2f} m/s² along {name[-1]} of the world looks like wind."
    if name.startswith("tilt/"):
        return f" The thrust axis leans by {57.3 * value:+.1f} ± {112 * std:.1f}° towards {name[-1]} of the body."
    return ""


def _quantities(record: FlightRecord, found: Smoothed):
    """Name, value and standard deviation at every row; NaN where it cannot be told."""
    yield _mass_name(record), found.mass / record.thrust_factor, found.mass_std / record.thrust_factor
    everywhere = np.ones_like(record.time)
    fit = found.fit
    limits = {"drag": TUNING.drag_prior[0], "drag/quadratic": TUNING.drag_prior[1]}
    for name in ("drag", "drag/quadratic", *LOSSES[:2]):
        if name in fit.unknowns.forces and name not in dict(fit.unknowns.widths) and record.thrust_unit == "N":
            value, std = fit.of(name)
            known = std < TUNING.known_drag_below * limits.get(name, np.inf) * max(1.0, float(found.mass[-1]))
            yield name, np.where(known, value, np.nan) * everywhere, np.where(known, std, np.nan) * everywhere
    if found.lag is not None:
        lag, std = found.lag
        known = std < max(TUNING.known_lag_below * lag, 0.01)
        yield "motor_lag", np.where(known, lag, np.nan) * everywhere, np.where(known, std, np.nan) * everywhere


def _mass_name(record: FlightRecord) -> str:
    return "mass" if record.thrust_unit == "N" else SCALED


def _frame(name: str, record: FlightRecord) -> str | None:
    return record.robot if name.startswith("drag") else None
