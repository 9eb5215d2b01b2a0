"""What a thrust is in: newtons, or units of its maximum, which physics cannot tell from the mass."""

import numpy as np

from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._open_units import asked_unit, is_electrical, leave_open
from steelyard.logs.mapping._px4 import normalised_thrust
from steelyard.logs.mapping._tuning import TUNING

_G = 9.81


def settle_commands(exam: Examination, robot: str) -> None:
    """Refuses motor commands and rotor speeds whose unit nothing shows; leaves open what a range only suggests."""
    for signal, options, unit in (
        (f"{robot}/rpm", "rpm or rad/s", "rpm"),
        (f"{robot}/motor", "a command (of which range) or a rotor's speed", "%"),
    ):
        while signal in exam.sources and exam.sources[signal].unit == "?":
            one = exam.sources[signal]
            if f"{robot}/rpm" not in exam.sources or signal.endswith("/rpm"):  # with rotor speeds nobody need answer
                asked_unit(exam, signal, f"Is {one.source[0]} … {one.source[-1]} {options}?", unit)
            exam.refuse(signal, f"whether it is {options} cannot be told.")
        if signal not in exam.sources or not exam.sources[signal].open_unit:
            continue
        why = "Nothing but its range suggests the unit" + " (thrusts of rotors are in N)" * signal.endswith("/motor")
        if is_electrical(exam.sources[signal]):
            why = "It counts electrical revolutions: a rotor's are fewer by its motor's pairs of poles, as here by 7"
        leave_open(exam, [signal], why)


def settle_thrust(exam: Examination, robot: str) -> None:
    """A thrust whose unit nothing states stays open, whatever its range: the mass is any multiple of it."""
    signal = f"{robot}/thrust"
    while (why := _no_newtons(exam, signal)) is not None:
        exam.refuse(signal, why)
    one, track = exam.sources.get(signal), exam.track(signal)
    if one is None or track is None:
        setpoint = normalised_thrust(exam.recording)
        if setpoint is not None:
            text = f"{setpoint} is a thrust in units of its maximum: from it only mass over thrust scale can be told."
            exam.report(signal, "undecided", text)
        return
    if one.open_unit:
        asked_unit(exam, signal, f"Are {one.source[0]} … commands of a Crazyflie 2.x, 0 to 65535?", "pwm16")
        return
    thrust = track.values[:, 0]
    if one.conversion is None and np.nanmedian(thrust) < 0:
        exam.change(signal, "found", "The thrust is negative, along a z axis that points down.", conversion="negative")
        thrust = -thrust
    mass = _carried(exam, robot, track.time, thrust)
    carries = "" if mass is None else f"t carries {mass:.3g} kg if it is in newtons"
    if one.certain:
        if carries:
            exam.report(signal, "undecided", f"I{carries}.")
        return
    leave_open(
        exam,
        [signal],
        "Nothing states the unit of this thrust, and no motion tells it from the mass: it may be in N, in percent of "
        f"its maximum or in m/s² over the mass{f'. I{carries}' if carries else ''}",
    )


def _no_newtons(exam: Examination, signal: str) -> str | None:
    """Why a thrust that states no unit cannot be newtons, after asking what it is; None where it may be."""
    one, track = exam.sources.get(signal), exam.track(signal)
    if one is None or track is None or one.certain or one.open_unit:
        return None
    thrust = track.values[:, 0] / (len(one.source) if one.conversion == "sum" else 1)
    least, most = float(np.nanmin(thrust)), float(np.nanmax(np.abs(thrust)))
    if most > TUNING.counted_thrust and np.all(np.mod(track.values, 1.0) == 0):
        question = f"How many newtons is 1 of {one.source[0]}? It holds whole numbers up to {most:.0f}, as commands do."
        asked_unit(exam, signal, f"{question} As an example, where 1 of it is 0.001 N:", "0.001 N")
        return f"it holds whole numbers up to {most:.0f}: a command or counts, and no newtons."
    if most <= 1.001 or most == 100.0:  # a whole hundred is a percentage at its limit
        unit = "28 N" if most <= 1.001 else "0.28 N"
        question = f"How many newtons is {one.source[0]} at {1 if most <= 1.001 else 100}?"
        span = f"It lies between {least:.3g} and {most:.3g}."
        asked_unit(exam, signal, f"{question} {span} As an example, where 1 of it is {unit}:", unit)
        return "the thrust may be in units of its maximum: only mass over thrust scale can be told from it."
    return None


def _carried(exam: Examination, robot: str, time: np.ndarray, thrust: np.ndarray) -> float | None:
    """kg, by the accelerometer; without one by the weight, which the mean upward part of the thrust carries."""
    flying = thrust > 0.3 * np.nanmax(thrust)
    acc, attitude = exam.track(f"{robot}/specific_force"), exam.track(f"{robot}/attitude")
    if acc is not None:
        s = np.interp(time, acc.time, acc.values[:, 2])
        flying &= s > 3.0
        return float(np.median(thrust[flying] / s[flying])) if flying.sum() > 30 else None
    if attitude is None:
        return None
    up = 1.0 - 2.0 * np.sum(attitude.values[:, 1:3] ** 2, axis=1)  # body z along world z
    return float(np.mean((thrust * np.interp(time, attitude.time, up))[flying]) / _G) if flying.sum() > 30 else None
