"""The step behind a problem's method, ready to run or to be exported: with its start and samples to check it on."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, demanded, step_of


def exportable_step(problem: str, method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """The step of a problem's method; noise, first guess and samples come from a log where there is one."""
    if problem.endswith(".py"):
        return _own(problem, method, log)
    if problem not in _STEPS:
        raise BadInput(
            f'"{problem}" has no step that can become C; {nearest(problem, list(_STEPS))[:-1]}, a .py file with a '
            "robot of your own, or steelyard.native.export for any pure step."
        )
    return _STEPS[problem](method, log, config)


def first_sample(ready: ExportableStep) -> Any:
    """Its first row: an example of what will come."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[0], ready.samples)


def _own(path: str, method: str | None, log: Log | None) -> ExportableStep:
    from steelyard.problems.own._answer import METHODS, load_robot

    robot = load_robot(path)
    chosen = chosen_method(method, "adaptive", list(METHODS), robot.name)
    estimator = METHODS[chosen](robot)
    samples = robot.samples(demanded(log, path).without_truth())
    return ExportableStep(
        step_of(estimator), estimator.init(robot.guess), samples, f"The filter {chosen} of {robot.name}"
    )


def _multirotor(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.multirotor._step import multirotor_step

    return multirotor_step(method, log, config)


def _jets(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.jets._method import THRUST_METHODS, thrust_run
    from steelyard.problems.jets._reading import read_jets_record
    from steelyard.problems.jets._robot import robot_from

    chosen = chosen_method(method, "adaptive", list(THRUST_METHODS), "jets")
    flown, configured = demanded(log, "jets").without_truth(), robot_from(config)
    robot = (config.team.robots or tuple(r for r in flown.robots if "throttle" in flown.signals(r)) or ("r1",))[0]
    run = thrust_run(read_jets_record(flown, robot, configured, config), configured, config, THRUST_METHODS[chosen])
    return ExportableStep(step_of(run.estimator), run.belief, run.samples, f"The filter {chosen} of {robot}, on jets")


def _planar(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems._steps_team import planar_step

    return planar_step(method, log, config)


def _spatial(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems._steps_team import spatial_step

    return spatial_step(method, log, config)


_STEPS: dict[str, Callable[[str | None, Log | None, Config], ExportableStep]] = {
    "multirotor": _multirotor,
    "planar-load": _planar,
    "spatial-load": _spatial,
    "jets": _jets,
}
