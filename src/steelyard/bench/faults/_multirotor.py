"""Faults of a multirotor's flight log."""

import numpy as np

from steelyard._rotations import matrices, quaternion_product
from steelyard.bench.faults._edits import (
    Chance,
    Edit,
    Values,
    after,
    axes,
    changed,
    columns_of,
    delay,
    drift,
    filtered,
    held,
    noisy,
    offset,
    on,
    outliers,
    quantised,
    saturated,
    scale,
    stuck,
    time_unit,
)
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.bench.faults._row_faults import row_faults
from steelyard.logs import Log
from steelyard.worlds import MultirotorScenario, simulate

_V, _Q, _P, _W, _T = "linear_velocity", "attitude", "position", "rates", "thrust"
_G = 9.81


def clean_flight(seed: int) -> Log:
    """Loops, lemniscates and hovers, the mass constant or with a step."""
    scenario = MultirotorScenario(
        profile=("constant", "step-down")[seed % 2],  # type: ignore[arg-type]
        trajectory=("loop", "lemniscate", "hover")[seed % 3],  # type: ignore[arg-type]
        duration=16.0,
        mass=(1.0, 0.6, 2.0)[seed // 2 % 3],
    )
    columns = simulate(scenario, seed)
    return Log(columns.pop("time"), columns, f"flight {seed}")


def tilted(degrees: float, grows: bool = False) -> Values:
    """An attitude sensor that is not aligned with the rotors' axis."""

    def edit(time: np.ndarray, q: np.ndarray, chance: Chance) -> np.ndarray:
        direction = chance.uniform(0, 2 * np.pi)
        share = (time - time[0]) / (time[-1] - time[0]) if grows else np.ones(len(time))
        half = 0.5 * np.radians(degrees) * share
        axis = np.array([np.cos(direction), np.sin(direction), 0.0])
        return quaternion_product(q, np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1))

    return edit


def wind(speed: float) -> Edit:
    """A steady wind: the same flight through the air, seen from the ground."""

    def edit(log: Log, chance: Chance) -> Log:
        direction = chance.uniform(0, 2 * np.pi)
        w = speed * np.array([np.cos(direction), np.sin(direction), 0.0])
        names = {signal: columns_of(log, signal)[0] for signal in (_V, _P)}
        v = {name: log.columns[name] + w[k] for k, name in enumerate(names[_V])}
        return changed(log, v | {name: log.columns[name] + w[k] * log.time for k, name in enumerate(names[_P])})

    return edit


def swinging(acceleration: float) -> Edit:
    """A load on a rope pulls the vehicle to and fro at 0.7 Hz."""

    def edit(log: Log, chance: Chance) -> Log:
        omega, phase, direction = 2 * np.pi * 0.7, chance.uniform(0, 6), chance.uniform(0, 6)
        s = np.sin(omega * log.time + phase)
        along = {"x": np.cos(direction), "y": np.sin(direction)}
        v = {f"r1/{_V}/{k}": log.columns[f"r1/{_V}/{k}"] + acceleration / omega * d * s for k, d in along.items()}
        c = -np.cos(omega * log.time + phase) * acceleration / omega**2
        return changed(log, v | {f"r1/{_P}/{k}": log.columns[f"r1/{_P}/{k}"] + d * c for k, d in along.items()})

    return edit


def body_velocity(log: Log, chance: Chance) -> Log:
    """Velocity in body axes."""
    turned = np.einsum("nji,nj->in", matrices(log.signal("r1", _Q)), log.signal("r1", _V))
    return changed(log, dict(zip(columns_of(log, _V)[0], turned, strict=True)))


def sag(share: float) -> Values:
    """Thrust as commanded, while the battery gives less and less."""
    return lambda time, T, chance: T / (1.0 - share * ((time - time[0]) / (time[-1] - time[0])))[:, None]


def grounded(share: float) -> Values:
    """The ground carries a part of the weight for the first quarter."""

    def edit(time: np.ndarray, T: np.ndarray, chance: Chance) -> np.ndarray:
        return np.where((time < time[0] + 0.25 * (time[-1] - time[0]))[:, None], (1.0 - share) * T, T)

    return edit


_ned = axes((1, 0, 2), (1.0, 1.0, -1.0))
_flip = axes((0, 1, 2), (1.0, -1.0, -1.0))


def _ned_attitude(time: np.ndarray, q: np.ndarray, chance: Chance) -> np.ndarray:
    """From FRD to NED what was from FLU to ENU."""
    world, body = np.array([0.0, np.sqrt(0.5), np.sqrt(0.5), 0.0]), np.array([0.0, 1.0, 0.0, 0.0])
    return quaternion_product(quaternion_product(world, q), body)


def _frd_attitude(time: np.ndarray, q: np.ndarray, chance: Chance) -> np.ndarray:
    return quaternion_product(q, np.array([0.0, 1.0, 0.0, 0.0]))


to_ned = after(on((_P, _V), _ned), on(_Q, _ned_attitude), on(_W, _flip))
"""World NED and body FRD, as autopilots log."""
_SCALE = r"thrust.*(scale|too high|unit|gram|share|0 to 1)|mass is relative"
FAULTS = (
    Fault("time in ms", r"time|millisecond|step", time_unit(1e3)),
    Fault("fast clock", r"clock|time|velocity.*position|scale", time_unit(1.2), time_unit(1.05)),
    Fault("quaternion xyzw", r"xyzw|order|quaternion", on(_Q, axes((1, 2, 3, 0), (1.0,) * 4))),
    Fault("quaternion inverse", r"invers|direction|world to body", on(_Q, axes((0, 1, 2, 3), (1.0, -1.0, -1.0, -1.0)))),
    Fault("rates in degrees", r"degree|deg/s", on(_W, scale(np.degrees(1.0)))),
    Fault("rates' sign", r"rates", on(_W, axes((0, 1, 2), (-1.0, -1.0, -1.0)))),
    Fault("rates' axes", r"rates", on(_W, axes((1, 0, 2), (1.0, 1.0, 1.0)))),
    Fault("rates' bias", r"rates|gyro", on(_W, offset(0.5)), on(_W, offset(0.05))),
    Fault("NED and FRD", r"NED|FRD|down", to_ned),
    Fault("world NED only", r"NED|axes|frame", on((_P, _V), _ned)),
    Fault("body FRD only", r"FRD|body|axes|down|rates", on(_Q, _frd_attitude)),
    Fault("attitude tilted", r"tilt|axis|attitude", on(_Q, tilted(10.0)), on(_Q, tilted(2.0))),
    Fault("attitude drifts", r"tilt|axis|attitude|drift", on(_Q, tilted(15.0, True)), on(_Q, tilted(3.0, True))),
    Fault("attitude late", r"late|delay|attitude", on(_Q, delay(0.15)), on(_Q, delay(0.03))),
    Fault("attitude filtered", r"filter|late|delay|attitude", on(_Q, filtered(0.2)), on(_Q, filtered(0.05))),
    Fault("attitude held", r"held|repeat|attitude", on(_Q, held(0.25)), on(_Q, held(0.05))),
    Fault("attitude stuck", r"stuck|repeat|attitude", on(_Q, stuck(0.25)), on(_Q, stuck(0.03))),
    Fault("attitude outliers", r"outlier|attitude", on(_Q, outliers(0.05)), on(_Q, outliers(0.01))),
    Fault("velocity in body axes", r"body axes|velocity", body_velocity),
    Fault("velocity axes", r"velocity", on(_V, axes((1, 0, 2), (1.0, 1.0, 1.0)))),
    Fault("velocity sign of z", r"velocity", on(_V, axes((0, 1, 2), (1.0, 1.0, -1.0)))),
    Fault("velocity scale", r"velocity|km/h", on(_V, scale(3.6)), on(_V, scale(1.1))),
    Fault("velocity offset", r"velocity|position", on(_V, offset(1.0)), on(_V, offset(0.1))),
    Fault("velocity late", r"late|delay|velocity", on(_V, delay(0.3)), on(_V, delay(0.05))),
    Fault("velocity filtered", r"filter|late|delay|velocity", on(_V, filtered(0.3)), on(_V, filtered(0.05))),
    Fault("velocity held", r"held|repeat|velocity", on(_V, held(0.25)), on(_V, held(0.05))),
    Fault("velocity stuck", r"stuck|repeat|velocity", on(_V, stuck(0.25)), on(_V, stuck(0.03))),
    Fault("velocity outliers", r"outlier|velocity", on(_V, outliers(0.05)), on(_V, outliers(0.01))),
    Fault("velocity quantised", r"quanti|step|repeat|round", on(_V, quantised(0.5)), on(_V, quantised(0.05))),
    Fault("velocity noisy", r"nois", on(_V, noisy(0.5)), on(_V, noisy(0.1))),
    Fault("position in cm", r"position|unit", on(_P, scale(100.0)), on(_P, scale(1.1))),
    Fault("position drifts", r"position|drift", on(_P, drift(20.0)), on(_P, drift(1.0))),
    Fault("position outliers", r"outlier|position", on(_P, outliers(0.05)), on(_P, outliers(0.01))),
    *row_faults(),
    Fault("thrust in grams", r"gram|unit|thrust", on(_T, scale(1000.0 / _G))),
    Fault("thrust of 0 to 1", r"0 to 1|unit|thrust|share", on(_T, scale(1.0 / 40.0))),
    Fault("thrust scale", _SCALE, on(_T, scale(1.15)), on(_T, scale(1.05)), exempt=_SCALE),
    Fault("thrust late", r"late|delay|lag|thrust", on(_T, delay(0.3)), on(_T, delay(0.05))),
    Fault("thrust stuck", r"stuck|repeat|thrust", on(_T, stuck(0.25)), on(_T, stuck(0.03))),
    Fault("thrust saturated", r"limit|satur|thrust", on(_T, saturated(0.5)), on(_T, saturated(0.05))),
    Fault("thrust outliers", r"outlier|thrust", on(_T, outliers(0.05)), on(_T, outliers(0.01))),
    Fault("battery sags", r"sag|battery|rises|thrust", on(_T, sag(0.2)), on(_T, sag(0.05))),
    Fault("ground contact", r"ground|contact|thrust", on(_T, grounded(0.6)), on(_T, grounded(0.15))),
    Fault("wind", r"wind|drag|air", wind(8.0), wind(2.0)),
    Fault("swinging load", r"swing|coloured|correlated|wind", swinging(2.0), swinging(0.3)),
)

MULTIROTOR = TriedProblem("multirotor", clean_flight, FAULTS, lambda quantity: quantity == "mass")
