"""What a thrust is in: newtons, or units of its maximum, which physics cannot tell from the mass."""

import numpy as np

from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._open_units import asked_unit, leave_open
from steelyard.logs.mapping._px4 import normalised_thrust

_G = 9.81


def settle_commands(exam: Examination, robot: str) -> None:
    """Refuses motor commands and rotor speeds whose unit nothing shows; leaves open what a range only suggests."""
    for signal, options, unit in (
        (f"{robot}/motor", "a command (of which range) or a rotor's speed", "%"),
        (f"{robot}/rpm", "rpm or rad/s", "rpm"),
    ):
        while signal in exam.sources and exam.sources[signal].unit == "?":
            one = exam.sources[signal]
            asked_unit(exam, signal, f"Is {one.source[0]} … {one.source[-1]} {options}?", unit)
            exam.refuse(signal, f"whether it is {options} cannot be told.")
        if signal in exam.sources and exam.sources[signal].open_unit:
            leave_open(exam, [signal], "Nothing but its range suggests the unit")


def settle_thrust(exam: Examination, robot: str) -> None:
    """A thrust whose unit nothing states stays open, whatever its range: the mass is any multiple of it."""
    signal = f"{robot}/thrust"
    one, track = exam.sources.get(signal), exam.track(signal)
    if one is None or track is None:
        setpoint = normalised_thrust(exam.recording)
        if setpoint is not None:
            text = f"{setpoint} is a thrust in units of its maximum: from it only mass over thrust scale can be told."
            exam.report(signal, "undecided", text)
        return
    thrust = track.values[:, 0]
    if one.open_unit:
        asked_unit(exam, signal, f"Are {one.source[0]} … commands of a Crazyflie 2.x, 0 to 65535?", "pwm16")
        return
    most = float(np.nanmax(np.abs(thrust)))
    if not one.certain and (most <= 1.001 or most == 100.0):  # a whole hundred is a percentage at its limit
        span = f"It lies between {thrust.min():.3g} and {thrust.max():.3g}."
        unit = "28 N" if most <= 1.001 else "0.28 N"
        question = f"How many newtons is {one.source[0]} at {1 if most <= 1.001 else 100}? {span}"
        asked_unit(exam, signal, f"{question} As an example, where 1 of it is {unit}:", unit)
        exam.refuse(
            signal, "the thrust may be in units of its maximum: only mass over thrust scale can be told from it."
        )
        return
    if np.nanmedian(thrust) < 0:
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
