"""A multirotor's signals against each other: which reading of the log explains its own motion best.

Three comparisons need no estimator: the attitude turns as the rates say, the position moves as the velocity says, and
the velocity changes as thrust along the body's z, drag and gravity say, by least squares over 1/m and drag/m. A
`OtherReading` of the log (its quaternion inverted, its velocity in body axes, its attitude late, …) changes some of the
signals. Twice the log-likelihood of a reading is -sum N_i log(SSE_i / N_i), each comparison with a noise level of its
own; a reading that is better than the log's own by a margin is a finding.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from steelyard.logs import Log
from steelyard.logs.mapping._rotations import continuous
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._flight_fit import Fit, Signals
from steelyard.problems.preflight._flight_model import model_findings
from steelyard.problems.preflight._flight_readings import SIGNALS, OtherReading, readings_of
from steelyard.problems.preflight._readings import averages
from steelyard.problems.preflight._tuning import TUNING

_XYZ = ("x", "y", "z")


def flight_findings(
    log: Log, robot: str, mass: float | None = None
) -> tuple[list[PreflightFinding], tuple[float, float] | None]:
    """The best reading of a flight, where it is not the log's own; `mass` (kg) where its owner states one.

    And the mass in the last seconds by plain least squares, with its standard deviation (kg), where there is a thrust.
    """
    rows = _rows(log, robot)
    if rows is None:
        return [], None
    time = np.asarray(log.time) - log.time[0]
    h = max(TUNING.block, TUNING.block_rows * float(np.median(np.diff(time))))
    count = int(time[-1] / h)
    if count < 20:
        return [], None

    def blocks(name: str, late: float = 0.0) -> np.ndarray:
        return averages(time - late, getattr(rows, name), h, count)

    signals = Signals(blocks("q"), blocks("rates"), blocks("v"), blocks("p"), blocks("thrust"))
    own = Fit.of(signals, h)
    scored = []
    for reading in readings_of(own):
        other = signals
        if reading.late is not None:
            other = dataclasses.replace(signals, **{reading.late[0]: blocks(*reading.late)})
        scored.append((Fit.of(reading.change(other), h, own).gain_over(own), reading))
    gain, best = max(scored, key=lambda one: one[0])
    w, std = own.inverse_mass[-1], own.inverse_mass_std[-1]
    rough = (float(1.0 / w), float(std / w**2)) if w > 0 and np.isfinite(std) else None
    if gain < TUNING.decisive:
        mapped = _mapped(log, robot)
        unit = [] if mapped else _thrust_unit(robot, rows.thrust, own, mass)
        return [*unit, *model_findings(log, robot, own, mapped)], rough
    evidence = f"{best.sentence} (twice the log-likelihood is {gain:.0f} better)."
    kind = "certain" if best.certain else "hint"
    return [PreflightFinding(best.code, evidence, best.remedy, robot, _mend(robot, rows, best), kind)], rough


def _mapped(log: Log, robot: str) -> bool:
    """Whether the thrust is the published map of a Crazyflie's commands, so in newtons though below one."""
    from steelyard.problems.multirotor._reading import by_published_map

    return log.has(robot, "thrust") and by_published_map(log, robot, log.signal(robot, "thrust")[:, 0], []) is not None


def _thrust_unit(robot: str, thrust: np.ndarray, own: Fit, stated: float | None) -> list[PreflightFinding]:
    """A thrust that carries what no multirotor weighs, or not what its owner says."""
    inverse = float(np.median(own.inverse_mass))
    if not np.isfinite(thrust).any() or not np.isfinite(own.inverse_mass_std).any() or not inverse > 0.0:
        return []
    mass, most = 1.0 / inverse, float(np.nanmax(thrust))
    if stated is not None:
        if 1.0 / TUNING.guess_factor < mass / stated < TUNING.guess_factor:
            return []
        what = f"{robot}/thrust carries {mass:.3g} kg, if it is in newtons, and [guess] mass says {stated:g} kg"
    elif mass > TUNING.heaviest:
        what = f"{robot}/thrust carries {mass:.3g} kg, if it is in newtons: it may be in grams"
    elif most <= TUNING.share_thrust:
        what = f"{robot}/thrust is at most {most:.3g}: it may be a share of full thrust, from 0 to 1, not newtons"
    else:
        return []
    remedy = "State its unit in a mapping; if it is right, say so by the rough mass: [guess] mass."
    return [PreflightFinding("thrust-unit", f"{what}.", remedy, robot)]


def _mend(robot: str, rows: Signals, reading: OtherReading) -> Callable[[Log], Log]:
    """The log as the reading has it."""

    def mend(log: Log) -> Log:
        mended, columns = reading.change(rows), {}
        for name, signal in SIGNALS.items():
            values = getattr(mended, name)
            late = reading.late[1] if reading.late is not None and reading.late[0] == name else 0.0
            if values is getattr(rows, name) and not late:
                continue
            axes = [f"{robot}/{signal}{axis}" for axis in _AXES[name]]
            for column, series in zip(axes, values.T, strict=True):
                if column in log.columns:
                    columns[column] = np.interp(log.time + late, log.time, series) if late else series
        time = log.time[0] + mended.stretch * (log.time - log.time[0])
        return Log(time, dict(log.columns) | columns, log.origin, log.metadata)

    return mend


_AXES = {"q": ("/w", "/x", "/y", "/z"), "thrust": ("",)} | dict.fromkeys(("rates", "v", "p"), ("/x", "/y", "/z"))


def _rows(log: Log, robot: str) -> Signals | None:
    if not log.has(robot, "attitude", ("w", *_XYZ)) or len(log) < 100:
        return None

    def signal(name: str) -> np.ndarray:
        return log.signal(robot, name, _XYZ) if log.has(robot, name, _XYZ) else np.full((len(log), 3), np.nan)

    q = log.signal(robot, "attitude", ("w", *_XYZ))
    norm = np.linalg.norm(q, axis=1, keepdims=True)
    q = continuous(np.where(np.abs(norm - 1.0) < 0.1, q / np.maximum(norm, 1e-9), np.nan))
    thrust = log.columns.get(f"{robot}/thrust", np.full(len(log), np.nan))[:, None]
    return Signals(q, signal("rates"), signal("linear_velocity"), signal("position"), thrust)
