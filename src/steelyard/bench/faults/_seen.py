"""Confidently wrong answers that new users once got, each made again: what was done, what came out then, and now."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import msgspec
import numpy as np

from steelyard.bench.faults import _edits as e
from steelyard.bench.faults._catalogues import TRIED
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.bench.faults._jets import clean_jets, standing_config
from steelyard.bench.faults._multirotor import body_velocity, sag, tilted, to_ned, wind
from steelyard.bench.faults._own import CartState, cart, clean_cart
from steelyard.bench.faults._trial import FaultRun, run_one
from steelyard.logs import Log
from steelyard.models import Model
from steelyard.problems import Identification, identify, identify_own
from steelyard.worlds import (
    MultirotorScenario,
    PlanarScenario,
    SpatialScenario,
    simulate,
    simulate_planar,
    simulate_spatial,
)

_FORCE, _TORQUE, _W = "wrench/force", "wrench/torque", "twist/angular"


@dataclasses.dataclass(frozen=True)
class SeenCase:
    """Something that was done to a log."""

    what: str
    before: str
    """What came out then."""
    problem: TriedProblem
    edit: e.Edit
    seed: int = 0

    def run(self) -> FaultRun:
        """What comes out now."""
        fault = Fault(self.what, "", self.edit)
        return run_one(self.problem, fault, "strong", self.seed, self.problem.clean(self.seed))


def _as_it_is(log: Log, chance: e.Chance) -> Log:
    return log


def _log(columns: dict, origin: str) -> Log:
    return Log(columns.pop("time"), columns, origin)


def _asked(name: str, clean: Callable[[int], Log], answer=None) -> TriedProblem:
    return TriedProblem(name, clean, (), TRIED[name].main, answer or TRIED[name].answer)


def _wrist(problem: str = "rigid-body", **settings) -> TriedProblem:
    scenario = SpatialScenario(sensors="realistic", **settings)
    return _asked(problem, lambda seed: _log(simulate_spatial(scenario, seed), "wrist"))


def _push(**settings) -> TriedProblem:
    return _asked("planar-load", lambda seed: _log(simulate_planar(PlanarScenario(**settings), seed), "push"))


def _drone(method: str | None = None, **settings) -> TriedProblem:
    scenario = MultirotorScenario(**({"profile": "constant", "duration": 16.0, "mass": 1.0} | settings))
    answer = None if method is None else lambda log: identify(log, "multirotor", method=method)
    return _asked("multirotor", lambda seed: _log(simulate(scenario, seed), "flight"), answer)


def _missing(log: Log, chance: e.Chance) -> Log:
    """Rows from 3 to 3.5 s are not there."""
    rows = np.flatnonzero((log.time < 3.0) | (log.time > 3.5))
    return Log(log.time[rows], {name: one[rows] for name, one in log.columns.items()}, log.origin, log.metadata)


def _apart(log: Log, chance: e.Chance) -> Log:
    """Wrench and motion come in rows of their own, 3 ms apart, as in a bag."""
    time = np.sort(np.concatenate([log.time, log.time + 0.003]))
    columns = {}
    for name, one in log.columns.items():
        column, first = np.full(len(time), np.nan), 1 if "/wrench/" in name else 0
        column[first::2] = one
        columns[name] = np.interp(time, log.time, one) if name.startswith("truth/") else column
    return Log(time, columns, log.origin, log.metadata)


class EulerCart(Model):
    """The cart of the trial by steps of Euler."""

    def dynamics(self, state, control, dt):
        """One step, however long."""
        pull = control - jnp.exp(state.log_friction) * state.speed
        speed = state.speed + dt * pull * jnp.exp(-state.log_mass)
        return CartState(state.position + dt * state.speed, speed, state.log_mass, state.log_friction)

    def observe(self, state, control):
        """Position and speed."""
        return jnp.stack([state.position, state.speed])

    def idle(self, state):
        """No force."""
        return jnp.zeros(())


def _slow(log: Log, chance: e.Chance) -> Log:
    """Every fifth row: 10 Hz."""
    return Log(log.time[::5], {name: one[::5] for name, one in log.columns.items()}, log.origin, log.metadata)


def _by_euler(log: Log) -> Identification:
    return identify_own(log, dataclasses.replace(cart(), model=EulerCart()))


def _huge_rates(log: Log, chance: e.Chance) -> Log:
    names = e.columns_of(log, "base/rates")[0]
    return e.changed(log, {name: np.where(np.arange(len(log)) == 200, 1e200, log.columns[name]) for name in names})


def _no_number(log: Log) -> Identification:
    config = standing_config()
    urdf = (config.jets.urdf or "").replace('ixx="', 'ixx="abc', 1)
    jets = msgspec.structs.replace(config.jets, urdf=urdf)
    return identify(log, "jets", msgspec.structs.replace(config, jets=jets))


_GRIPPER: dict[str, Any] = {"mass": 1.5, "length": 0.12, "width": 0.1, "height": 0.08}
_ALL = ("attitude", "position", "linear_velocity", "rates")

SEEN = (
    SeenCase(
        "gripper-sized load, clean, 20 s",
        "mass 6 σ off, believed",
        _wrist(**_GRIPPER, force=2.0, torque=0.05, duration=20.0),
        _as_it_is,
        2,
    ),
    SeenCase(
        "gripper-sized load, clean, gentle, 12 s",
        "centre 7 σ off, believed",
        _wrist(**_GRIPPER, force=1.0, torque=0.005, duration=12.0),
        _as_it_is,
        2,
    ),
    SeenCase(
        "gripper-sized load, clean, hardly turned",
        "no load explains this log",
        _wrist(**_GRIPPER, force=1.0, torque=0.002, duration=12.0),
        _as_it_is,
        2,
    ),
    SeenCase(
        "all channels filtered on board, noise not stated",
        "0.02 kg of 1 kg, event to 3.07e-44 kg",
        _drone(),
        e.on(_ALL, e.filtered(0.05)),
    ),
    SeenCase(
        "attitude 2° off the thrust's axis",
        "22 jumps of ± 0.8 kg, drag -14 σ, believed",
        _drone(),
        e.on("attitude", tilted(2.0)),
    ),
    SeenCase("velocity in body axes", "mass 8.5 σ off, believed", _drone(), body_velocity),
    SeenCase(
        "own model by Euler steps at 10 Hz",
        "33 false jumps, friction 89 σ off",
        _asked("own", clean_cart, _by_euler),
        _slow,
    ),
    SeenCase("rows from 3 to 3.5 s missing, rigid-body", "21 and 31 σ off", _wrist(), _missing),
    SeenCase("rows from 3 to 3.5 s missing, multirotor", "drag wrong, two false events, believed", _drone(), _missing),
    SeenCase("force offset of 0.5 N", "refused", _wrist(), e.on(_FORCE, e.offset(0.5))),
    SeenCase("force offset of 2 N", "2.0295 ± 0.0008 for 2.0 kg, known", _wrist(), e.on(_FORCE, e.offset(2.0))),
    SeenCase("--bias 3", "mass 29 σ off, known", _wrist(bias=3.0), _as_it_is),
    SeenCase("battery sag of 15 %", "1.17 ± 0.005 kg, believed", _drone(), e.on("thrust", sag(0.15))),
    SeenCase("thrust of 0..1", "0.027 kg, believed", _drone(), e.on("thrust", e.scale(1.0 / 40.0))),
    SeenCase("thrust in grams", "101 kg, believed", _drone(), e.on("thrust", e.scale(1000.0 / 9.81))),
    SeenCase(
        "wind of 5 m/s at hover", "too little motion, event to 2.78e-07 kg", _drone(trajectory="hover"), wind(5.0)
    ),
    SeenCase("wind of 5 m/s at hover, ekf", "0.083 kg", _drone("ekf", trajectory="hover"), wind(5.0)),
    SeenCase("time in ms", 'LinAlgError, "a fault of ours"', _drone(), e.time_unit(1e3)),
    SeenCase("quaternion xyzw", "+552 kg", _drone(), e.on("attitude", e.axes((1, 2, 3, 0), (1.0,) * 4))),
    SeenCase("NED", "0.61 kg, known", _drone(), to_ned),
    SeenCase("1 % outliers, rigid-body", "refused", _wrist(), e.on((_FORCE, _TORQUE, _W), e.outliers(0.01))),
    SeenCase("2 % outliers, rigid-body", "refused", _wrist(), e.on((_FORCE, _TORQUE, _W), e.outliers(0.02))),
    SeenCase(
        "1 % outliers, spatial-load",
        "refused",
        _wrist("spatial-load", robots=2, duration=8.0),
        e.on((_FORCE, _TORQUE, _W), e.outliers(0.01)),
    ),
    SeenCase("planar, random contacts, seed 12", "mass 4 σ off, no word", _push(random_contacts=True), _as_it_is, 12),
    SeenCase("planar, random contacts, seed 24", "mass 4 σ off, no word", _push(random_contacts=True), _as_it_is, 24),
    SeenCase(
        "planar, force of the other sign", "a longer motion would help", _push(), e.on("force", e.scale(-1.0), "r2"), 1
    ),
    SeenCase(
        "planar, force 1.3 times too large", "a longer motion would help", _push(), e.on("force", e.scale(1.3), "r2"), 1
    ),
    SeenCase("planar, force 0.1 s late", "a longer motion would help", _push(), e.on("force", e.delay(0.1), "r2"), 1),
    SeenCase("planar, 2 % outliers", "a longer motion would help", _push(), e.on("velocity", e.outliers(0.02)), 1),
    SeenCase(
        'jets: ixx="abc" in the URDF',
        "every thrust known, 0.0 ± 0.1 N",
        _asked("jets", clean_jets, _no_number),
        _as_it_is,
    ),
    SeenCase("jets: rates of 1e200", "noise estimated as 4e249, believed", _asked("jets", clean_jets), _huge_rates),
    SeenCase("wrench and twist 3 ms apart", "interval 22 times wider, a false reason", _wrist(), _apart),
)
"""In the order in which they were seen."""
