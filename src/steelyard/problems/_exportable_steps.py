"""The exportable step of every problem, by the problem's name."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep


def exportable_step(problem: str, method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """The step of a problem's method; noise, first guess and samples come from a log where there is one."""
    if problem.endswith(".py"):
        from steelyard.problems.own._step import own_step

        return own_step(problem, method, log)
    if problem not in _STEPS:
        raise BadInput(
            f'"{problem}" has no step that can become C; {nearest(problem, list(_STEPS))[:-1]}, a .py file with a '
            "robot of your own, or steelyard.native.export for any pure step."
        )
    return _STEPS[problem](method, log, config)


def first_sample(step: ExportableStep) -> Any:
    """The first row of the step's samples: an example of the shapes to come."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[0], step.samples)


def _multirotor(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.multirotor._step import multirotor_step

    return multirotor_step(method, log, config)


def _jets(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.jets._step import jets_step

    return jets_step(method, log, config)


def _planar_load(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.planar_load._step import planar_load_step

    return planar_load_step(method, log, config)


def _spatial_load(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.spatial_load._step import spatial_load_step

    return spatial_load_step(method, log, config)


def _rigid_body(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    from steelyard.problems.rigid_body._step import rigid_body_step

    return rigid_body_step(method, log, config)


_STEPS: dict[str, Callable[[str | None, Log | None, Config], ExportableStep]] = {
    "multirotor": _multirotor,
    "planar-load": _planar_load,
    "spatial-load": _spatial_load,
    "jets": _jets,
    "rigid-body": _rigid_body,
}
"""Each is imported when it is asked for."""
