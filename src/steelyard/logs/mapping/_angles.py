"""Roll, pitch and yaw in radians or degrees: by how fast they change, and by where the machine accelerates."""

import dataclasses

import numpy as np

from steelyard.logs.mapping._acceleration import acceleration, observed_acceleration
from steelyard.logs.mapping._compare import Track, compare
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._frames import rates_of
from steelyard.logs.mapping._open_units import asked_unit
from steelyard.logs.mapping._rotations import matrices
from steelyard.logs.mapping._samples import column
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING


def settle_angle_unit(exam: Examination, robot: str) -> None:
    """Refuses angles that fit both units; tilts beyond half a turn are in degrees already."""
    signal = f"{robot}/attitude"
    flies = f"{robot}/wrench/force" not in exam.sources
    while signal in exam.sources and exam.sources[signal].unit == "?":
        one = exam.sources[signal]
        misfits = {unit: _misfit(exam, robot, dataclasses.replace(one, unit=unit)) for unit in ("rad", "deg")}
        best = min(misfits, key=lambda unit: misfits[unit])
        *tilts, turn = (float(np.nanmax(np.abs(column(exam.recording, s)), initial=0.0)) for s in one.source)
        tilt = max(tilts)
        if misfits[best] < TUNING.unit_fits and max(misfits.values()) > misfits[best] + TUNING.unit_apart:
            unit, text = best, f"The motion fits angles in {best}."
        elif flies and tilt > TUNING.upright:
            unit, text = "deg", f"Roll and pitch reach {tilt:.3g}: in rad it would lie on its side, so deg."
        elif flies and tilt < TUNING.level and turn <= 2 * np.pi + 0.1:
            unit, text = "rad", f"Roll and pitch reach {tilt:.3g}: too level for degrees, so rad."
        else:
            names = ", ".join(one.source)
            if flies or f"{robot}/specific_force" in exam.sources:  # else nothing could be identified with it
                asked_unit(exam, signal, f"Is {names} in rad or deg? Roll and pitch reach {tilt:.3g}.", "deg")
            exam.refuse(signal, f"whether it is in rad or deg cannot be told: roll and pitch reach {tilt:.3g}.")
            continue
        exam.change(signal, "found", text, unit=unit)


def _misfit(exam: Examination, robot: str, trial: SignalSource) -> float:
    """How badly angles in this unit fit the motion: logarithms of ratios that should be 1; infinite where untold."""
    track = exam.track_of(trial)
    if track is None:
        return float("inf")
    found = []
    gyro, stated = exam.track(f"{robot}/rates"), exam.sources.get(f"{robot}/rates")
    if gyro is not None and stated is not None and stated.certain:
        turned = compare(rates_of(track), gyro, TUNING.longest_delay)
        found += [(turned.alignment.scale, (1.0,))] if turned.coherence > TUNING.coherence else []
    s = exam.track(f"{robot}/specific_force")
    if f"{robot}/wrench/force" in exam.sources and s is not None:  # gravity turns with the sensor
        up = Track(track.time, matrices(track.values)[:, 2, :])
        fit = compare(up, s, TUNING.longest_delay, centred=False)
        found.append((float(np.exp(10.0 * (1.0 - fit.coherence))), (1.0,)))
    motion = exam.sources.get(f"{robot}/linear_velocity") or exam.sources.get(f"{robot}/position")
    lengths = (1.0,) if motion is not None and motion.certain else (1.0, 100.0, 1000.0)  # m, cm, mm
    push, moved = acceleration(exam, robot, track), observed_acceleration(exam, robot)
    if push is not None and moved is not None:
        for sign in (1.0, -1.0):  # a thrust along z or along -z
            level = [
                Track(one.time, k * one.values * np.array([1.0, 1.0, 0.0])) for one, k in ((push, sign), (moved, 1))
            ]
            fit = compare(level[0], level[1], TUNING.longest_delay)
            if fit.coherence > TUNING.coherence:
                found.append((fit.alignment.scale, lengths))
                break
    return max((min(abs(float(np.log(max(one, 1e-12) / k))) for k in units) for one, units in found), default=np.inf)
