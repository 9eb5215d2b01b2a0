"""The step of an estimator of a robot of one's own, to run or to export."""

from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, required_log, step_of
from steelyard.problems.own._method import METHODS
from steelyard.problems.own._robot import load_robot


def own_step(path: str, method: str | None, log: Log | None) -> ExportableStep:
    """The step of the `ROBOT` that a Python file defines."""
    robot = load_robot(path)
    chosen = chosen_method(method, "adaptive", list(METHODS), robot.name)
    estimator = METHODS[chosen](robot)
    samples = robot.samples(required_log(log, path).without_truth())
    about = f"The filter {chosen} of {robot.name}"
    return ExportableStep(step_of(estimator), estimator.init(robot.guess), samples, about)
