"""What people get wrong when they record a wrist, and what becomes of the answers: right, refused, named or wrong."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.bench._tuning import COVER
from steelyard.bench.wrist._bound import WristBound
from steelyard.bench.wrist._campaign import compared, config_of
from steelyard.campaigns import all_of
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.worlds.wrist import WristScenario, WristTruth, wrist_columns, wrist_truth

Signals = dict[str, np.ndarray]
"""(n, 3) by signal."""


@dataclasses.dataclass(frozen=True)
class MistakeRow:
    """What became of the logs of one mistake."""

    mistake: str
    logs: int
    right: int
    """Known, and within five standard deviations."""
    refused: int
    """No number: bad input, or nothing known without a reason that names the mistake."""
    named: int
    """No number, or a doubtful one, with a sentence on what contradicts it."""
    wrong: int
    """A number that is stated as known and is not true."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return dataclasses.asdict(self)


def _changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Signals, WristTruth], Signals]:
    return lambda signals, truth: signals | {name: change(signals[name])}


def _both(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Signals, WristTruth], Signals]:
    return lambda s, truth: s | {n: change(s[n]) for n in ("wrench/force", "wrench/torque")}


def _turns(truth: WristTruth) -> Rotation:
    return Rotation.from_quat(truth.motion.quaternion[:, [1, 2, 3, 0]])


def _in_world(*names: str) -> Callable[[Signals, WristTruth], Signals]:
    return lambda s, truth: s | {name: _turns(truth).apply(s[name]) for name in names}


def _weight(share: float) -> Callable[[Signals, WristTruth], Signals]:
    """Adds a share of the load's weight, as a force at its centre of mass."""

    def mistake(s: Signals, truth: WristTruth) -> Signals:
        load = truth.loads[0]
        return _pulled(s, truth, np.array([0.0, 0.0, share * 9.81 * load.mass]))

    return mistake


def _pulled(s: Signals, truth: WristTruth, force: np.ndarray) -> Signals:
    """A force, constant in the world, that the robot has to apply more, at the load's centre of mass."""
    own = _turns(truth).inv().apply(np.tile(force, (len(truth.time), 1)))
    torque = np.cross(truth.loads[0].com, own)
    return s | {"wrench/force": s["wrench/force"] + own, "wrench/torque": s["wrench/torque"] + torque}


def _without_gravity(s: Signals, truth: WristTruth) -> Signals:
    up = _turns(truth).inv().apply(np.tile([0.0, 0.0, 9.81], (len(truth.time), 1)))
    return s | {"specific_force": s["specific_force"] - up}


def _late(seconds: float) -> Callable[[Signals, WristTruth], Signals]:
    def mistake(s: Signals, truth: WristTruth) -> Signals:
        rows = round(seconds / float(truth.time[1] - truth.time[0]))
        return s | {n: np.roll(s[n], rows, axis=0) for n in ("wrench/force", "wrench/torque")}

    return mistake


MISTAKES: Mapping[str, Callable[[Signals, WristTruth], Signals]] = {
    "wrench of the opposite sign": _both(lambda w: -w),
    "force of the opposite sign": _changed("wrench/force", lambda f: -f),
    "torque of the opposite sign": _changed("wrench/torque", lambda t: -t),
    "gravity counted twice": _weight(1.0),
    "weight taken out by the controller": _weight(-1.0),
    "accelerometer without gravity": _without_gravity,
    "accelerometer of the opposite sign": _changed("specific_force", lambda a: -a),
    "accelerometer in g": _changed("specific_force", lambda a: a / 9.81),
    "gyro in degrees": _changed("twist/angular", np.degrees),
    "gyro in world axes": _in_world("twist/angular"),
    "gyro with x and y swapped": _changed("twist/angular", lambda w: w[:, [1, 0, 2]]),
    "accelerometer with axes y, z, x": _changed("specific_force", lambda a: a[:, [1, 2, 0]]),
    "wrench in world axes": _in_world("wrench/force", "wrench/torque"),
    "velocity in world axes": _in_world("twist/linear"),
    "velocity in mm/s": _changed("twist/linear", lambda v: 1000.0 * v),
    "torque in N mm": _changed("wrench/torque", lambda t: 1000.0 * t),
    "a second hand carries a third": _weight(-1.0 / 3.0),
    "a hose pulls with 2 N": lambda s, truth: _pulled(s, truth, np.array([2.0, 0.0, 0.0])),
    "wrench 0.2 s late": _late(0.2),
    "a torque channel is dead": _changed("wrench/torque", lambda t: t * np.array([1.0, 0.0, 1.0])),
}
"""Twenty; a force in other units is not among them, for no log of one wrist can show it."""


def mistaken(method: str | None, case: tuple[str, int]) -> str:
    """What became of one log, a mistake and a seed: `right`, `refused`, `named` or `wrong`."""
    mistake, seed = case
    scenario = WristScenario(com_x=0.05, com_y=-0.03, force_offset=5.0, torque_offset=0.3)
    truth = wrist_truth(scenario, seed)
    columns = {n: v for n, v in wrist_columns(scenario, truth, seed).items() if not n.startswith("truth/")}
    time = columns.pop("time")
    names = sorted({name.rpartition("/")[0].removeprefix("r1/") for name in columns})
    signals = {name: np.stack([columns[f"r1/{name}/{a}"] for a in "xyz"], axis=1) for name in names}
    signals = MISTAKES[mistake](signals, truth)
    columns = {f"r1/{name}/{axis}": value[:, a] for name, value in signals.items() for a, axis in enumerate("xyz")}
    config = config_of(scenario, known=method == "recursive", tared=False)
    try:
        found = identify(Log(time, columns, "trial", {}), "rigid-body", config, method)
    except BadInput:
        return "refused"
    unbounded = WristBound(np.eye(10))
    result = compared(scenario, truth, found, unbounded, 0.0)
    given = np.isfinite(result.error)
    if given.any():
        return "wrong" if float(np.max(np.abs(result.error / result.std)[given])) > COVER.wrong_wrist else "right"
    return "named" if found.trust["r1"].reasons or found.events else "refused"


def try_mistakes(
    runs: int, seed: int, progress: Callable[[int], None] = lambda done: None, method: str | None = None
) -> list[MistakeRow]:
    """Every mistake on `runs` logs; over the cores of this machine."""
    jobs = [(mistake, seed + k) for mistake in MISTAKES for k in range(runs)]
    return counted(MISTAKES, all_of(functools.partial(mistaken, method), jobs, progress))


def counted(kinds: Iterable[str], found: Sequence[str]) -> list[MistakeRow]:
    """A row a kind, of what became of its logs; those of one kind stand together."""
    kinds = list(kinds)
    runs = len(found) // len(kinds)
    groups = {kind: found[k * runs : (k + 1) * runs] for k, kind in enumerate(kinds)}
    outcomes = ("right", "refused", "named", "wrong")
    return [MistakeRow(kind, runs, *(group.count(w) for w in outcomes)) for kind, group in groups.items()]
