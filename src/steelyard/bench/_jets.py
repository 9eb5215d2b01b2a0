"""A step of the thrust filter, next to the multirotor's of the same run; and its pipeline's share of a core."""

import dataclasses
import time
from collections.abc import Callable

import jax
import numpy as np

from steelyard.bench._cold_cache import fresh_cache
from steelyard.bench._race import Lap, lap, race
from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import lay_out
from steelyard.bench._tuning import RACE
from steelyard.config import Config, parse
from steelyard.estimators import Belief, Estimator, Sample
from steelyard.logs import Log
from steelyard.models import RobotMotion
from steelyard.native import NoCompiler, PackedStep, find_compiler
from steelyard.problems import THRUST_METHODS, ConfiguredRobot, read_jets_record, robot_from, thrust_run
from steelyard.worlds import JetsScenario, jets_config, simulate_jets

JETS_RACES = 2 * RACE.rounds
"""Rounds in all, for those who show progress."""


def measure_jets(advance: Callable[[int], None] = lambda steps: None) -> list[BenchRow]:
    """Microseconds an online step with rotor speed and without; percent of a core at 100 Hz, kinematics included."""
    flight = JetsScenario(duration=3.0)
    config = parse(jets_config(flight), Config, "bench")
    robot = robot_from(config)
    columns = simulate_jets(flight, seed=1)
    log = Log(columns.pop("time"), columns, "bench")
    record = read_jets_record(log.without_truth(), "r1", robot, config)
    scenario = lay_out(3.0)
    peer = _online(scenario.estimator, scenario.belief, scenario.samples)
    rows, slowest = [], 0.0
    for key, speeds in (("jets_step", 0), ("jets_step_with_rotor_speed", record.rpm.shape[1])):
        run = thrust_run(
            dataclasses.replace(record, rpm=record.rpm[:, :speeds]), robot, config, THRUST_METHODS["adaptive"]
        )
        by_xla = _online(run.estimator, run.belief, run.samples)
        value, theirs = race(by_xla, peer, advance)
        slowest = max(slowest, value)
        rows.append(BenchRow(key, value, "us", theirs))
        rows += _native(key, run.estimator, run.belief, run.samples, by_xla)
    kinematics = 1e6 * min(_kinematics(robot) for _ in range(RACE.rounds))
    rows.append(BenchRow("jets_kinematics", kinematics, "us"))
    rows.append(BenchRow("jets_pipeline_at_100_hz", 1e-4 * RACE.jets_rate * (slowest + kinematics), "% of a core"))
    return rows


def _native(key: str, estimator: Estimator, belief: Belief, samples: Sample, by_xla: Lap) -> list[BenchRow]:
    """The same step in machine code, next to XLA's; compilation apart. Nothing without a compiler."""
    try:
        find_compiler()
    except NoCompiler:
        return []
    with fresh_cache():
        begin = time.perf_counter()
        timed = _online(estimator, belief, samples, "native")
        compiled = time.perf_counter() - begin
    value, peer = race(timed, by_xla, lambda rounds: None)
    return [BenchRow(f"{key}_native", value, "us", peer), BenchRow(f"{key}_native_compile", compiled, "s")]


def _online(estimator: Estimator, belief: Belief, samples: Sample, engine: str = "xla") -> Lap:
    """One call a sample, the result read back."""
    online = PackedStep(estimator, belief, jax.tree.map(lambda leaf: leaf[0], samples), engine)
    start = online.pack(belief)
    rows = [online.pack_sample(jax.tree.map(lambda leaf, k=k: leaf[k], samples)) for k in range(RACE.jets_steps)]

    def run():
        packed = start
        for row in rows:
            packed = online.step(packed, row)

    run()
    return lap(run, RACE.jets_steps)


def _kinematics(robot: ConfiguredRobot) -> float:
    """Seconds of a core a sample."""
    n = len(robot.multibody.joints)
    motion = RobotMotion(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3), np.full(n, 0.1), np.zeros(n))
    begin = time.process_time()  # not the clock's: a share of a core is asked for, whoever else is on it
    for _ in range(RACE.jets_steps):
        robot.multibody.at(motion)
    return (time.process_time() - begin) / RACE.jets_steps
