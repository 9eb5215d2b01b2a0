"""Faults of wrists that hold a load: one alone, or one of a team."""

import numpy as np

from steelyard.bench.faults import _edits as e
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.bench.faults._row_faults import row_faults
from steelyard.logs import Log
from steelyard.worlds import SpatialScenario, simulate_spatial

_W, _V, _S, _N, _F = "twist/angular", "twist/linear", "specific_force", "wrench/torque", "wrench/force"
_G = 9.81


def clean_wrist(seed: int) -> Log:
    """Loads from a gripper's to a crate, good sensors."""
    sizes = (
        SpatialScenario(sensors="realistic"),
        SpatialScenario(sensors="realistic", mass=1.5, length=0.12, width=0.1, height=0.08, force=2.0, torque=0.05),
        SpatialScenario(sensors="realistic", mass=4.0, length=0.5, width=0.4, height=0.3, force=10.0, torque=0.6),
    )
    return _log(simulate_spatial(sizes[seed % 3], seed), f"wrist {seed}")


def clean_team(seed: int) -> Log:
    """Two or three robots with good sensors."""
    scenario = SpatialScenario(sensors="realistic", robots=2 + seed % 2, duration=8.0)
    return _log(simulate_spatial(scenario, seed), f"team {seed}")


def _log(columns: dict, origin: str) -> Log:
    return Log(columns.pop("time"), columns, origin)


def touched(newton: float, share: float) -> e.Edit:
    """Somebody else carries a part of the load for a share of the log: the wrench lacks that force, in world axes."""

    def edit(log: Log, chance: e.Chance) -> Log:
        names = [f"r1/{_F}/{axis}" for axis in "xyz"]
        begin = int(chance.uniform(0.2, 0.9 - share) * len(log))
        rows = (np.arange(len(log)) >= begin) & (np.arange(len(log)) < begin + share * len(log))
        direction = chance.standard_normal(3)
        direction *= newton / np.linalg.norm(direction)
        return e.changed(log, {name: log.columns[name] + d * rows for name, d in zip(names, direction, strict=True)})

    return edit


def lever(arm: float, who: str) -> e.Edit:
    """An inertial sensor that is away from the force sensor's origin."""

    def edit(log: Log, chance: e.Chance) -> Log:
        r = chance.standard_normal(3)
        r *= arm / np.linalg.norm(r)
        w, s, v = (log.signal(who, signal, ("x", "y", "z")) for signal in (_W, _S, _V))
        smooth = np.apply_along_axis(lambda column: np.convolve(column, np.hanning(21) / 10.0, "same"), 0, w)
        alpha = np.gradient(smooth, np.asarray(log.time), axis=0)
        s = s + np.cross(alpha, r) + np.cross(smooth, np.cross(smooth, r))
        v = v + np.cross(smooth, r)
        columns = {f"{who}/{_S}/{axis}": s[:, k] for k, axis in enumerate("xyz")}
        return e.changed(log, columns | {f"{who}/{_V}/{axis}": v[:, k] for k, axis in enumerate("xyz")})

    return edit


def _faults(who: str) -> tuple[Fault, ...]:
    def at(signals: str | tuple[str, ...], values) -> e.Edit:
        return e.on(signals, values, who)

    flip, swap = e.axes((0, 1, 2), (-1.0, -1.0, -1.0)), e.axes((1, 0, 2), (1.0, 1.0, 1.0))
    mirror, wrench = e.axes((0, 1, 2), (1.0, 1.0, -1.0)), (_F, _N)
    sensor = r"wrench|force|torque"
    return (
        Fault("time in ms", r"time|millisecond|step", e.time_unit(1e3)),
        Fault("fast clock", r"clock|time", e.time_unit(1.2), e.time_unit(1.05)),
        *row_faults(),
        Fault("wrench on the sensor", r"sign|opposite|on the sensor", at(wrench, flip)),
        Fault("force sign only", r"sign|opposite|force", at(_F, flip)),
        Fault("wrench axes", sensor, at(wrench, swap)),
        Fault("wrench mirrored", sensor, at(wrench, mirror)),
        Fault("wrench turned", sensor, at(wrench, e.turned(40.0)), at(wrench, e.turned(5.0))),
        Fault("torque in N mm", r"torque|N mm", at(_N, e.scale(1e3)), at(_N, e.scale(1.1))),
        Fault("force scale", r"force", at(_F, e.scale(1.2)), at(_F, e.scale(1.05)), exempt=r"1 % too high"),
        Fault("force in grams", r"force|gram|unit", at(_F, e.scale(1000.0 / _G))),
        Fault("force offset", r"offset|force", at(_F, e.offset(8.0)), at(_F, e.offset(0.5))),
        Fault("torque offset", r"offset|torque", at(_N, e.offset(0.5)), at(_N, e.offset(0.03))),
        Fault("force drifts", r"drift|force", at(_F, e.drift(8.0)), at(_F, e.drift(0.5))),
        Fault("force filtered", r"filter|late|delay|force|wrench", at(_F, e.filtered(0.1)), at(_F, e.filtered(0.01))),
        Fault("wrench late", r"late|delay|wrench|force", at(wrench, e.delay(0.08)), at(wrench, e.delay(0.005))),
        Fault("force held", r"held|repeat|force", at(_F, e.held(0.1)), at(_F, e.held(0.03))),
        Fault("force stuck", r"stuck|repeat|force", at(_F, e.stuck(0.2)), at(_F, e.stuck(0.03))),
        Fault("force saturated", r"limit|satur|force", at(_F, e.saturated(0.3)), at(_F, e.saturated(0.04))),
        Fault("force outliers", r"outlier|force", at(_F, e.outliers(0.05)), at(_F, e.outliers(0.01))),
        Fault("force quantised", r"quanti|step|repeat|round", at(_F, e.quantised(4.0)), at(_F, e.quantised(0.5))),
        Fault("force zeroed", r"stuck|zero|outlier|force", at(_F, e.zeroed(0.2, 8)), at(_F, e.zeroed(0.02, 3))),
        Fault("force spikes", r"outlier|force", at(_F, e.spikes(0.05, 8, 5.0)), at(_F, e.spikes(0.01, 3, 3.0))),
        Fault("force warms", r"force", at(_F, e.warming(0.3)), at(_F, e.warming(0.03)), exempt=r"1 % too high"),
        Fault("force's axis", r"force|scale", at(_F, e.one_axis(1.3)), at(_F, e.one_axis(1.03))),
        Fault("force coupled", r"force|rotation|axes", at(_F, e.coupled(0.2)), at(_F, e.coupled(0.02))),
        Fault("force silent", r"silent|missing|gap", e.silent(wrench, 2.0, who), e.silent(wrench, 0.3, who)),
        Fault("wrench noisy", r"nois", at(_F, e.noisy(4.0)), at(_F, e.noisy(1.0))),
        Fault("touched", r"touch|contact|force", touched(20.0, 0.5), touched(4.0, 0.15)),
        Fault("rates in degrees", r"degree|deg/s", at(_W, e.scale(np.degrees(1.0)))),
        Fault("rates' sign", r"angular|rates|gyro", at(_W, flip)),
        Fault("rates' bias", r"angular|rates|gyro", at(_W, e.offset(0.5)), at(_W, e.offset(0.02))),
        Fault("rates outliers", r"outlier|angular", at(_W, e.outliers(0.05)), at(_W, e.outliers(0.01))),
        Fault("accelerometer in g", r"specific_force|accelerometer|unit", at(_S, e.scale(1.0 / _G))),
        Fault("accelerometer's sign", r"specific_force|accelerometer|sign", at(_S, flip)),
        Fault("accelerometer's axes", r"specific_force|accelerometer|axes|rotation", at(_S, swap)),
        Fault("accelerometer bias", r"specific_force|accelerometer", at(_S, e.offset(2.0)), at(_S, e.offset(0.2))),
        Fault("accelerometer scale", r"specific_force|accelerometer", at(_S, e.scale(1.15)), at(_S, e.scale(1.02))),
        Fault(
            "accelerometer filtered", r"filter|late|delay|specific", at(_S, e.filtered(0.1)), at(_S, e.filtered(0.02))
        ),
        Fault("accelerometer shakes", r"specific_force|nois|vibra", at(_S, e.hum(5.0, 17.0)), at(_S, e.hum(0.5, 17.0))),
        Fault("accelerometer outliers", r"outlier|specific", at(_S, e.outliers(0.05)), at(_S, e.outliers(0.01))),
        Fault("velocity in other axes", r"linear|velocity", at(_V, swap)),
        Fault("velocity outliers", r"outlier|linear", at(_V, e.outliers(0.05)), at(_V, e.outliers(0.01))),
        Fault(
            "inertial sensor turned",
            r"rotation|axes|specific|angular",
            at((_W, _S, _V), e.turned(25.0)),
            at((_W, _S, _V), e.turned(2.0)),
        ),
        Fault("inertial sensor away", r"lever|away|arm|specific", lever(0.3, who), lever(0.03, who)),
    )


def _load(quantity: str) -> bool:
    return quantity in ("mass", "com", "inertia")


RIGID_BODY = TriedProblem("rigid-body", clean_wrist, _faults("r1"), _load)
SPATIAL_LOAD = TriedProblem(
    "spatial-load", clean_team, tuple(one for one in _faults("r2") if one.name != "touched"), _load
)
