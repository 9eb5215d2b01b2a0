"""The method `vehicle`: what commands and an IMU tell of a quadrotor where no attitude was logged."""

import dataclasses

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.logs import Log
from steelyard.problems._identification import Identification
from steelyard.problems._provenance import settings_of
from steelyard.problems.multirotor._vehicle_fit import (
    CENTRE,
    CURVE,
    INVERSE,
    ROTORS,
    Flown,
    VehicleFit,
    effectiveness,
    fit_vehicle,
)
from steelyard.problems.multirotor._vehicle_load import RotorLoads, published_thrusts, rotor_loads
from steelyard.problems.multirotor._vehicle_tuning import TUNING

VEHICLE = "vehicle"
_NO_YAW = "The log does not tell the rotors' drag torque, so only its ratio to Izz shows in the yaw."
_NO_GYROSCOPE = "This needs a gyroscope and an accelerometer beside the commands."


def is_for_vehicle(log: Log, robots: tuple[str, ...]) -> bool:
    """Whether these robots logged commands and no attitude at all."""
    return all("throttle" in log.signals(r) and "attitude" not in log.signals(r) for r in robots)


@dataclasses.dataclass(frozen=True)
class _Found:
    end: float
    loads: RotorLoads
    fit: VehicleFit | None
    why: str
    """Why there is no fit."""


def identify_vehicle(log: Log, config: Config, robots: tuple[str, ...]) -> Identification:
    """Thrust curve, inertia and rotors of every quadrotor of a log."""
    found = {robot: _found(log.without_truth(), robot) for robot in robots}
    return Identification(
        problem="multirotor",
        method=VEHICLE,
        origin=log.origin,
        robots={robot: _estimates(robot, one, config) for robot, one in found.items()},
        events=[],
        verdict=" ".join(_verdict(robot, one, config) for robot, one in found.items()),
        notes=["No attitude was logged: the mass cannot be told, and is taken as stated."],
        settings=settings_of(log, config, {}),
    )


def _found(log: Log, robot: str) -> _Found:
    command = log.require(robot, "throttle") / 100.0
    if command.shape[1] != 4:
        raise BadInput(
            f"{log.origin}: {robot} has {command.shape[1]} motor commands and no attitude; without an attitude only a "
            "vehicle with four rotors can be identified."
        )
    volts = log.signal(robot, "battery/voltage")[:, 0] if log.has(robot, "battery/voltage") else None
    inertial = log.has(robot, "rates") and log.has(robot, "specific_force")
    force = log.signal(robot, "specific_force", ("x", "y", "z")) if inertial else None
    step = float(np.median(np.diff(log.time)))
    flights = _flights(log, command, force, step)
    time = np.concatenate(flights)
    rows = np.stack([(log.time >= one[0]) & (log.time <= one[-1]) for one in flights]).any(axis=0)

    def even(values: np.ndarray, time: np.ndarray = time) -> np.ndarray:
        good = np.asarray(np.isfinite(values).all(axis=1))
        if np.mean(good[rows]) < 0.9:
            raise BadInput(f"{log.origin}: more than a tenth of {robot}'s samples are missing in flight.")
        return np.column_stack([np.interp(time, log.time[good], one) for one in values[good].T])

    flown = even(command)
    battery = np.ones(len(time)) if volts is None else even(volts[:, None])[:, 0]
    scaled = flown * (battery / battery.mean())[:, None]
    fit, why = None, _NO_GYROSCOPE
    longest = max(flights, key=len)
    if force is not None and step * len(longest) < TUNING.shortest:
        why = f"The longest flight lasts {step * len(longest):.1f} s, and {TUNING.shortest:g} s are needed."
    elif force is not None:
        along, inside = even(force, longest)[:, 2], np.isin(time, longest)
        if not 0.7 < np.median(along) / 9.81 < 1.3:
            raise BadInput(
                f"{log.origin}: {robot}'s accelerometer reads {np.median(along):.3g} m/s² along z in flight, where "
                "9.81 is expected; state units and axes in a mapping."
            )
        rates = even(log.require(robot, "rates", ("x", "y", "z")), longest)
        fit = fit_vehicle(Flown(step, scaled[inside], along, rates))
        why = "The rotors do not turn this vehicle as those of a quadrotor do, or it hardly turned."
        if fit is not None and fit.explained.min() < TUNING.explained:
            share = f"{100 * fit.explained.min():.0f} % of the motion"
            fit, why = None, f"The commands explain only {share}: another clock, or another vehicle's commands."
    thrusts = published_thrusts(log, robot, flown, None if volts is None else battery)
    if fit is not None:
        a, b, c = fit.value[CURVE]
        thrusts = a * scaled**2 + b * scaled + c
    if thrusts is None:
        raise BadInput(f"{log.origin}: {robot} has no attitude, and its thrust is not known either. {why}")
    return _Found(float(time[-1]), rotor_loads(thrusts, None if fit is None else fit.signs), fit, why)


def _flights(log: Log, command: np.ndarray, force: np.ndarray | None, step: float) -> list[np.ndarray]:
    """Even times of every flight, its first and last second left out."""
    width = max(1, round(1.0 / step))
    slow = np.convolve(np.nan_to_num(command.mean(axis=1)), np.ones(width) / width, mode="same")
    flies = (slow > TUNING.idle * np.percentile(slow, 90)) & (np.diff(log.time, prepend=log.time[0]) < TUNING.gap)
    if force is not None:
        flies &= ~(np.nan_to_num(np.abs(force)).max(axis=1) > TUNING.crash)
    edges = np.flatnonzero(np.diff(np.r_[0, flies.astype(int), 0]))
    spans = [
        (float(log.time[a]) + TUNING.margin, float(log.time[b - 1]) - TUNING.margin)
        for a, b in edges.reshape(-1, 2).tolist()
    ]
    found = [np.arange(begin, end, step) for begin, end in spans if end - begin > TUNING.shortest_part]
    if step * sum(len(one) for one in found) < TUNING.shortest:
        raise BadInput(
            f"{log.origin}: the flights in it last {step * sum(len(one) for one in found):.1f} s, without their first "
            f"and last second; {TUNING.shortest:g} s are needed."
        )
    return found


def _estimates(robot: str, one: _Found, config: Config) -> dict[str, Estimate]:
    mass, arm, end = config.guess.mass, config.multirotor.arm, one.end
    unit = "m/s²" if mass is None else "N"

    def unknown(unit: str, why: str) -> Estimate:
        return Estimate.unknown("not-identifiable", unit, None, end, why)

    found = {}
    if one.fit is None:
        found["thrust_curve"] = unknown(unit, one.why)
        found["motor_lag"] = unknown("s", one.why)
    else:
        scale, std = mass or 1.0, np.sqrt(np.diag(one.fit.covariance))
        covariance = scale**2 * one.fit.covariance[CURVE, CURVE]
        found["thrust_curve"] = Estimate(scale * one.fit.value[CURVE], covariance, unit, None, end, "known")
        lag = float(np.exp(one.fit.value[3]))
        found["motor_lag"] = Estimate.known(lag, lag * std[3], "s", None, end)
        hover = _hover(one.fit)
        if hover is not None:
            found["hover_throttle"] = Estimate.known(*hover, "1", None, end)
    for k, axis in enumerate(("xx", "yy")):
        name, missing = (
            f"inertia/{axis}",
            [s for s, v in (("[guess] mass", mass), ("[multirotor] arm", arm)) if v is None],
        )
        if one.fit is None or mass is None or arm is None:
            why = one.why if one.fit is None else f"State {' and '.join(missing)}: inertia is torque over turning."
            found[name] = unknown("kg m²", why)
            continue
        ratio, deviation = one.fit.value[INVERSE][k], np.sqrt(np.diag(one.fit.covariance))[INVERSE][k]
        if not 0 < deviation < TUNING.known_below * ratio:
            found[name] = unknown("kg m²", "It hardly turned about this axis.")
        elif not TUNING.gyration[0] < np.sqrt(0.5 / (arm * ratio)) < TUNING.gyration[1]:
            size = f"{np.sqrt(arm / ratio):.2g} m"
            found[name] = unknown(
                "kg m²", f"Its radius of gyration would be {size}: check the gyroscope's unit and arm."
            )
        else:
            value = mass * arm / ratio
            found[name] = Estimate.known(value, value * deviation / ratio, "kg m²", robot, end)
    found["inertia/zz"] = unknown("kg m²", _NO_YAW)
    for k in range(4):
        if one.fit is None:
            found[f"rotor/{k + 1}/effectiveness"] = unknown("1", f"{_NO_GYROSCOPE} See rotor/{k + 1}/load.")
        else:
            found[f"rotor/{k + 1}/effectiveness"] = Estimate.known(*_rotor(one.fit, k), "1", None, end)
        found[f"rotor/{k + 1}/load"] = Estimate.known(one.loads.share[k], one.loads.std[k], "1", None, end)
    return found


def _hover(fit: VehicleFit) -> tuple[float, float] | None:
    """The command at which four rotors carry the weight, at the flight's mean voltage, and its standard deviation."""
    a, b, c = fit.value[CURVE]
    roots = [u.real for u in np.roots([a, b, c - 9.81 / 4.0]) if abs(u.imag) < 1e-9 and 0.0 < u.real <= 1.0]
    if not roots:
        return None
    u = float(max(roots))
    by = -np.array([u**2, u, 1.0]) / (2.0 * a * u + b)
    return u, float(np.sqrt(by @ fit.covariance[CURVE, CURVE] @ by))


def _rotor(fit: VehicleFit, k: int) -> tuple[float, float]:
    """The effectiveness of a rotor, from 0, and its standard deviation."""
    sums = np.zeros(14)
    sums[ROTORS] = np.eye(3)[k] if k < 3 else -1.0
    return float(effectiveness(fit.value)[k]), float(np.sqrt(sums @ fit.covariance @ sums))


def _cause(fit: VehicleFit | None, heavy: int | None) -> str:
    """Why a motor, from 1, carries more than the others."""
    either = "weight beside it, or a weaker rotor"
    if fit is None or heavy is None:
        return f"{either}, which a flight without gyroscope and accelerometer cannot tell apart"
    value, std = _rotor(fit, heavy - 1)
    towards = np.zeros(14)
    towards[CENTRE] = fit.signs[:, heavy - 1]
    centre, centre_std = towards @ fit.value, np.sqrt(towards @ fit.covariance @ towards)
    weak, aside = value < 1.0 - 1.96 * std, centre > 1.96 * centre_std
    if weak and not aside:
        return f"its rotor gives {100 * (1 - value):.0f} % less than the mean at the same command"
    if aside and not weak:
        return "the centre of mass is on its side"
    return f"{either}, which this flight does not tell apart"


def _verdict(robot: str, one: _Found, config: Config) -> str:
    text = f"{robot}: {one.loads.sentence(_cause(one.fit, one.loads.heavy))}"
    if one.fit is None:
        return f"{text} Thrust curve and inertia cannot be told: {one.why[0].lower()}{one.why[1:]}"
    scale = "for 1 kg, since no [guess] mass is stated" if config.guess.mass is None else "for the stated mass"
    return (
        f"{text} The thrust curve a u² + b u + c of a motor is {scale}: mass and thrust cannot be told apart. "
        "Inertia goes with mass, arm and the inverse of the motors' lag; how far gyroscope and accelerometer disagree "
        "about that lag is in the intervals."
    )
