"""Faults of a robot on jets that stands and takes off."""

import functools

import numpy as np

from steelyard.bench.faults import _edits as e
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.bench.faults._multirotor import tilted
from steelyard.bench.faults._row_faults import row_faults
from steelyard.config import Config, parse
from steelyard.logs import Log
from steelyard.problems import Identification, identify
from steelyard.worlds import JetsScenario, jets_config, simulate_jets

_Q, _W, _V, _P = "base/attitude", "base/rates", "base/linear_velocity", "base/position"
_J, _U, _R, _L = "joint", "throttle", "rpm", "foot_left/wrench"
_FEET = ("foot_left/wrench", "foot_right/wrench")
_SCENARIO = JetsScenario(duration=8.0)


def clean_jets(seed: int) -> Log:
    """A humanoid that stands while its jets rise, its URDF's mass a little off."""
    scenario = JetsScenario(duration=8.0, mass_error=(0.0, 0.03, -0.03)[seed % 3], foot_bias=(0.0, 2.0)[seed % 2])
    columns = dict(simulate_jets(scenario, seed))
    return Log(columns.pop("time"), columns, f"jets {seed}")


@functools.cache
def standing_config() -> Config:
    """The robot as its owner knows it."""
    return parse(jets_config(_SCENARIO), Config, "robot.toml")


def _answer(log: Log) -> Identification:
    return identify(log, "jets", standing_config())


_flip, _swap = e.axes((0, 1, 2), (-1.0, -1.0, -1.0)), e.axes((1, 0, 2), (1.0, 1.0, 1.0))
_BY_FEET, _BY_JOINTS, _BY_ATTITUDE = r"foot|feet|sole|wrench", r"joint", r"attitude"
_BY_RATES, _BY_VELOCITY, _BY_ENGINES = r"rates", r"velocity", r"throttle|engine|rotor|rpm"
_BY_TIME = r"time|clock|rows|gap|late|twice|repeat|jump"
FAULTS = (
    Fault("time in ms", r"time|millisecond|step", e.time_unit(1e3)),
    Fault("fast clock", _BY_TIME, e.time_unit(1.2), e.time_unit(1.05)),
    *row_faults(_BY_TIME, (1.5, 0.3)),
    Fault("attitude inverse", _BY_ATTITUDE, e.on(_Q, e.axes((0, 1, 2, 3), (1.0, -1.0, -1.0, -1.0)))),
    Fault("attitude xyzw", _BY_ATTITUDE, e.on(_Q, e.axes((1, 2, 3, 0), (1.0,) * 4))),
    Fault("attitude tilted", _BY_ATTITUDE, e.on(_Q, tilted(10.0)), e.on(_Q, tilted(2.0))),
    Fault("attitude late", _BY_ATTITUDE, e.on(_Q, e.delay(0.3)), e.on(_Q, e.delay(0.05))),
    Fault("attitude stuck", r"stuck|attitude", e.on(_Q, e.stuck(0.25)), e.on(_Q, e.stuck(0.03))),
    Fault("attitude outliers", r"outlier|attitude", e.on(_Q, e.outliers(0.05)), e.on(_Q, e.outliers(0.01))),
    Fault("rates in degrees", _BY_RATES, e.on(_W, e.scale(np.degrees(1.0)))),
    Fault("rates' sign", _BY_RATES, e.on(_W, _flip)),
    Fault("rates' bias", _BY_RATES, e.on(_W, e.offset(0.5)), e.on(_W, e.offset(0.02))),
    Fault("rates outliers", r"outlier|rates", e.on(_W, e.outliers(0.05)), e.on(_W, e.outliers(0.01))),
    Fault("velocity axes", _BY_VELOCITY, e.on(_V, _swap)),
    Fault("velocity scale", _BY_VELOCITY, e.on(_V, e.scale(3.6)), e.on(_V, e.scale(1.1))),
    Fault("velocity offset", _BY_VELOCITY, e.on(_V, e.offset(1.0)), e.on(_V, e.offset(0.1))),
    Fault("velocity drifts", _BY_VELOCITY, e.on(_V, e.drift(2.0)), e.on(_V, e.drift(0.2))),
    Fault("velocity stuck", r"stuck|velocity", e.on(_V, e.stuck(0.25)), e.on(_V, e.stuck(0.03))),
    Fault("velocity outliers", r"outlier|velocity", e.on(_V, e.outliers(0.05)), e.on(_V, e.outliers(0.01))),
    Fault("velocity noisy", _BY_VELOCITY, e.on(_V, e.noisy(0.5)), e.on(_V, e.noisy(0.05))),
    Fault("joints in degrees", _BY_JOINTS, e.on(_J, e.scale(np.degrees(1.0)))),
    Fault("joints offset", _BY_JOINTS, e.on(_J, e.offset(1.0)), e.on(_J, e.offset(0.1))),
    Fault("joints stuck", _BY_JOINTS, e.on(_J, e.stuck(0.25)), e.on(_J, e.stuck(0.03))),
    Fault("joints outliers", r"outlier|joint", e.on(_J, e.outliers(0.05)), e.on(_J, e.outliers(0.01))),
    Fault("throttle of 0 to 1", _BY_ENGINES, e.on(_U, e.scale(0.01)), e.on(_U, e.scale(0.9))),
    Fault("throttle late", _BY_ENGINES, e.on(_U, e.delay(1.0)), e.on(_U, e.delay(0.1))),
    Fault("throttle stuck", _BY_ENGINES, e.on(_U, e.stuck(0.25)), e.on(_U, e.stuck(0.03))),
    Fault("rotor speed scale", _BY_ENGINES, e.on(_R, e.scale(1.3)), e.on(_R, e.scale(1.03))),
    Fault("rotor speed stuck", r"stuck|rpm", e.on(_R, e.stuck(0.25)), e.on(_R, e.stuck(0.03))),
    Fault("feet's sign", _BY_FEET, e.on(_FEET, e.scale(-1.0))),
    Fault("feet's scale", _BY_FEET, e.on(_FEET, e.scale(1.2)), e.on(_FEET, e.scale(1.03))),
    Fault("a foot's offset", _BY_FEET, e.on(_L, e.offset(60.0)), e.on(_L, e.offset(5.0))),
    Fault("a foot's gain", _BY_FEET, e.on(_L, e.scale_steps(1.2)), e.on(_L, e.scale_steps(1.03))),
    Fault("a foot's axis", _BY_FEET, e.on(_L, e.one_axis(1.3)), e.on(_L, e.one_axis(1.03))),
    Fault("rates' axis", _BY_RATES, e.on(_W, e.one_axis(-1.0)), e.on(_W, e.one_axis(1.1))),
    Fault("rotor speed zeroed", r"stuck|zero|rpm", e.on(_R, e.zeroed(0.2, 8)), e.on(_R, e.zeroed(0.02, 3))),
    Fault("a foot drifts", _BY_FEET, e.on(_L, e.drift(60.0)), e.on(_L, e.drift(5.0))),
    Fault("a foot is stuck", r"stuck|foot", e.on(_L, e.stuck(0.25)), e.on(_L, e.stuck(0.03))),
    Fault("a foot's outliers", r"outlier|foot", e.on(_L, e.outliers(0.05)), e.on(_L, e.outliers(0.01))),
    Fault("feet filtered", _BY_FEET, e.on(_FEET, e.filtered(0.3)), e.on(_FEET, e.filtered(0.03))),
    Fault("feet late", _BY_FEET, e.on(_FEET, e.delay(0.3)), e.on(_FEET, e.delay(0.03))),
    Fault("feet held", r"held|repeat|foot", e.on(_FEET, e.held(0.2)), e.on(_FEET, e.held(0.05))),
    Fault("feet saturated", r"limit|foot", e.on(_FEET, e.saturated(0.3)), e.on(_FEET, e.saturated(0.04))),
    Fault("feet quantised", _BY_FEET, e.on(_FEET, e.quantised(20.0)), e.on(_FEET, e.quantised(2.0))),
)

JETS = TriedProblem(
    "jets",
    clean_jets,
    FAULTS,
    lambda quantity: quantity == "mass" or quantity.startswith("thrust/"),
    answer=_answer,
)
