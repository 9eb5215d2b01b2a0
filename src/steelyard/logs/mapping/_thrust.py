"""What a thrust is in: newtons, or units of its maximum, which physics cannot tell from the mass."""

import numpy as np

from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._px4 import normalised_thrust

_G = 9.81
_ONE_KILOGRAM = 0.03
"""kg: a mass this near to 1 is what a thrust over the mass would make."""


def settle_commands(exam: Examination, robot: str) -> None:
    """Refuses motor commands and rotor speeds whose unit nothing shows."""
    for signal, options in (
        (f"{robot}/motor", "a command (of which range) or a rotor's speed"),
        (f"{robot}/rpm", "rpm or rad/s"),
    ):
        while signal in exam.sources and exam.sources[signal].unit == "?":
            one = exam.sources[signal]
            exam.ask(f"Is {one.source[0]} … {one.source[-1]} {options}? State its unit in a mapping.")
            exam.refuse(signal, f"whether it is {options} cannot be told.")


def settle_thrust(exam: Examination, robot: str) -> None:
    """Refuses a thrust without a unit that may be a share of its maximum, or over the mass; says what it carries."""
    signal = f"{robot}/thrust"
    one, track = exam.sources.get(signal), exam.track(signal)
    if one is None or track is None:
        setpoint = normalised_thrust(exam.recording)
        if setpoint is not None:
            text = f"{setpoint} is a thrust in units of its maximum: from it only mass over thrust scale can be told."
            exam.report(signal, "undecided", text)
        return
    thrust = track.values[:, 0]
    most = float(np.nanmax(np.abs(thrust)))
    if not one.certain and (most <= 1.001 or most == 100.0):  # a whole hundred is a percentage at its limit
        span = f"It lies between {thrust.min():.3g} and {thrust.max():.3g}."
        exam.ask(f"How many newtons is {one.source[0]} at {1 if most <= 1.001 else 100}? {span}")
        exam.refuse(
            signal, "the thrust may be in units of its maximum: only mass over thrust scale can be told from it."
        )
        return
    if np.nanmedian(thrust) < 0:
        exam.change(signal, "found", "The thrust is negative, along a z axis that points down.", conversion="negative")
        thrust = -thrust
    mass = _carried(exam, robot, track.time, thrust)
    if mass is None:
        return
    if not one.certain and abs(mass - 1.0) < _ONE_KILOGRAM:
        exam.ask(f"Is {one.source[0]} in N, or in m/s² as a thrust over the mass? State its unit in a mapping.")
        exam.refuse(signal, f"it makes {mass:.3g} kg if it is in newtons, as every thrust over the mass makes 1 kg.")
        return
    exam.report(signal, "undecided", f"It carries {mass:.3g} kg, if it is in newtons.")


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
