"""Faults of a multirotor's flight log."""

import numpy as np

from steelyard._rotations import matrices, quaternion_product
from steelyard.bench.faults import _edits as e
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


def tilted(degrees: float, grows: bool = False) -> e.Values:
    """An attitude sensor that is not aligned with the rotors' axis."""

    def edit(time: np.ndarray, q: np.ndarray, chance: e.Chance) -> np.ndarray:
        direction = chance.uniform(0, 2 * np.pi)
        share = (time - time[0]) / (time[-1] - time[0]) if grows else np.ones(len(time))
        half = 0.5 * np.radians(degrees) * share
        axis = np.array([np.cos(direction), np.sin(direction), 0.0])
        return quaternion_product(q, np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1))

    return edit


def wind(speed: float) -> e.Edit:
    """A steady wind: the same flight through the air, seen from the ground."""

    def edit(log: Log, chance: e.Chance) -> Log:
        direction = chance.uniform(0, 2 * np.pi)
        w = speed * np.array([np.cos(direction), np.sin(direction), 0.0])
        names = {signal: e.columns_of(log, signal)[0] for signal in (_V, _P)}
        v = {name: log.columns[name] + w[k] for k, name in enumerate(names[_V])}
        return e.changed(log, v | {name: log.columns[name] + w[k] * log.time for k, name in enumerate(names[_P])})

    return edit


def swinging(acceleration: float) -> e.Edit:
    """A load on a rope pulls the vehicle to and fro at 0.7 Hz."""

    def edit(log: Log, chance: e.Chance) -> Log:
        omega, phase, direction = 2 * np.pi * 0.7, chance.uniform(0, 6), chance.uniform(0, 6)
        s = np.sin(omega * log.time + phase)
        along = {"x": np.cos(direction), "y": np.sin(direction)}
        v = {f"r1/{_V}/{k}": log.columns[f"r1/{_V}/{k}"] + acceleration / omega * d * s for k, d in along.items()}
        c = -np.cos(omega * log.time + phase) * acceleration / omega**2
        return e.changed(log, v | {f"r1/{_P}/{k}": log.columns[f"r1/{_P}/{k}"] + d * c for k, d in along.items()})

    return edit


def body_velocity(log: Log, chance: e.Chance) -> Log:
    """Velocity in body axes."""
    turned = np.einsum("nji,nj->in", matrices(log.signal("r1", _Q)), log.signal("r1", _V))
    return e.changed(log, dict(zip(e.columns_of(log, _V)[0], turned, strict=True)))


def sag(share: float) -> e.Values:
    """Thrust as commanded, while the battery gives less and less."""
    return lambda time, T, chance: T / (1.0 - share * ((time - time[0]) / (time[-1] - time[0])))[:, None]


def grounded(share: float) -> e.Values:
    """The ground carries a part of the weight for the first quarter."""

    def edit(time: np.ndarray, T: np.ndarray, chance: e.Chance) -> np.ndarray:
        return np.where((time < time[0] + 0.25 * (time[-1] - time[0]))[:, None], (1.0 - share) * T, T)

    return edit


_ned = e.axes((1, 0, 2), (1.0, 1.0, -1.0))
_flip = e.axes((0, 1, 2), (1.0, -1.0, -1.0))


def _ned_attitude(time: np.ndarray, q: np.ndarray, chance: e.Chance) -> np.ndarray:
    """From FRD to NED what was from FLU to ENU."""
    world, body = np.array([0.0, np.sqrt(0.5), np.sqrt(0.5), 0.0]), np.array([0.0, 1.0, 0.0, 0.0])
    return quaternion_product(quaternion_product(world, q), body)


def _frd_attitude(time: np.ndarray, q: np.ndarray, chance: e.Chance) -> np.ndarray:
    return quaternion_product(q, np.array([0.0, 1.0, 0.0, 0.0]))


to_ned = e.after(e.on((_P, _V), _ned), e.on(_Q, _ned_attitude), e.on(_W, _flip))
"""World NED and body FRD, as autopilots log."""
_SCALE = r"thrust.*(scale|too high|unit|gram|share|0 to 1)|mass is relative"
FAULTS = (
    Fault("time in ms", r"time|millisecond|step", e.time_unit(1e3)),
    Fault("fast clock", r"clock|time|velocity.*position|scale", e.time_unit(1.2), e.time_unit(1.05)),
    Fault("quaternion xyzw", r"xyzw|order|quaternion", e.on(_Q, e.axes((1, 2, 3, 0), (1.0,) * 4))),
    Fault(
        "quaternion inverse", r"invers|direction|world to body", e.on(_Q, e.axes((0, 1, 2, 3), (1.0, -1.0, -1.0, -1.0)))
    ),
    Fault("rates in degrees", r"degree|deg/s", e.on(_W, e.scale(np.degrees(1.0)))),
    Fault("rates' sign", r"rates", e.on(_W, e.axes((0, 1, 2), (-1.0, -1.0, -1.0)))),
    Fault("rates' axes", r"rates", e.on(_W, e.axes((1, 0, 2), (1.0, 1.0, 1.0)))),
    Fault("rates' bias", r"rates|gyro", e.on(_W, e.offset(0.5)), e.on(_W, e.offset(0.05))),
    Fault("NED and FRD", r"NED|FRD|down", to_ned),
    Fault("world NED only", r"NED|axes|frame", e.on((_P, _V), _ned)),
    Fault("body FRD only", r"FRD|body|axes|down|rates", e.on(_Q, _frd_attitude)),
    Fault("attitude tilted", r"tilt|axis|attitude", e.on(_Q, tilted(10.0)), e.on(_Q, tilted(2.0))),
    Fault("attitude drifts", r"tilt|axis|attitude|drift", e.on(_Q, tilted(15.0, True)), e.on(_Q, tilted(3.0, True))),
    Fault("attitude late", r"late|delay|attitude", e.on(_Q, e.delay(0.15)), e.on(_Q, e.delay(0.03))),
    Fault("attitude filtered", r"filter|late|delay|attitude", e.on(_Q, e.filtered(0.2)), e.on(_Q, e.filtered(0.05))),
    Fault("attitude held", r"held|repeat|attitude", e.on(_Q, e.held(0.25)), e.on(_Q, e.held(0.05))),
    Fault("attitude stuck", r"stuck|repeat|attitude", e.on(_Q, e.stuck(0.25)), e.on(_Q, e.stuck(0.03))),
    Fault("attitude outliers", r"outlier|attitude", e.on(_Q, e.outliers(0.05)), e.on(_Q, e.outliers(0.01))),
    Fault("velocity in body axes", r"body axes|velocity", body_velocity),
    Fault("velocity axes", r"velocity", e.on(_V, e.axes((1, 0, 2), (1.0, 1.0, 1.0)))),
    Fault("velocity sign of z", r"velocity", e.on(_V, e.axes((0, 1, 2), (1.0, 1.0, -1.0)))),
    Fault("velocity scale", r"velocity|km/h", e.on(_V, e.scale(3.6)), e.on(_V, e.scale(1.1))),
    Fault("velocity offset", r"velocity|position", e.on(_V, e.offset(1.0)), e.on(_V, e.offset(0.1))),
    Fault("velocity late", r"late|delay|velocity", e.on(_V, e.delay(0.3)), e.on(_V, e.delay(0.05))),
    Fault("velocity filtered", r"filter|late|delay|velocity", e.on(_V, e.filtered(0.3)), e.on(_V, e.filtered(0.05))),
    Fault("velocity held", r"held|repeat|velocity", e.on(_V, e.held(0.25)), e.on(_V, e.held(0.05))),
    Fault("velocity stuck", r"stuck|repeat|velocity", e.on(_V, e.stuck(0.25)), e.on(_V, e.stuck(0.03))),
    Fault("velocity outliers", r"outlier|velocity", e.on(_V, e.outliers(0.05)), e.on(_V, e.outliers(0.01))),
    Fault("velocity quantised", r"quanti|step|repeat|round", e.on(_V, e.quantised(0.5)), e.on(_V, e.quantised(0.05))),
    Fault("velocity noisy", r"nois", e.on(_V, e.noisy(0.5)), e.on(_V, e.noisy(0.1))),
    Fault("position in cm", r"position|unit", e.on(_P, e.scale(100.0)), e.on(_P, e.scale(1.1))),
    Fault("position drifts", r"position|drift", e.on(_P, e.drift(20.0)), e.on(_P, e.drift(1.0))),
    Fault("position outliers", r"outlier|position", e.on(_P, e.outliers(0.05)), e.on(_P, e.outliers(0.01))),
    *row_faults(),
    Fault("thrust in grams", r"gram|unit|thrust", e.on(_T, e.scale(1000.0 / _G))),
    Fault("thrust of 0 to 1", r"0 to 1|unit|thrust|share", e.on(_T, e.scale(1.0 / 40.0))),
    Fault("thrust scale", _SCALE, e.on(_T, e.scale(1.15)), e.on(_T, e.scale(1.05)), exempt=_SCALE),
    Fault("thrust late", r"late|delay|lag|thrust", e.on(_T, e.delay(0.3)), e.on(_T, e.delay(0.05))),
    Fault("thrust stuck", r"stuck|repeat|thrust", e.on(_T, e.stuck(0.25)), e.on(_T, e.stuck(0.03))),
    Fault("thrust saturated", r"limit|satur|thrust", e.on(_T, e.saturated(0.5)), e.on(_T, e.saturated(0.05))),
    Fault("thrust outliers", r"outlier|thrust", e.on(_T, e.outliers(0.05)), e.on(_T, e.outliers(0.01))),
    Fault("battery sags", r"sag|battery|rises|thrust", e.on(_T, sag(0.2)), e.on(_T, sag(0.05))),
    Fault("ground contact", r"ground|contact|thrust", e.on(_T, grounded(0.6)), e.on(_T, grounded(0.15))),
    Fault("wind", r"wind|drag|air", wind(8.0), wind(2.0)),
    Fault("swinging load", r"swing|coloured|correlated|wind", swinging(2.0), swinging(0.3)),
)

MULTIROTOR = TriedProblem("multirotor", clean_flight, FAULTS, lambda quantity: quantity == "mass")
