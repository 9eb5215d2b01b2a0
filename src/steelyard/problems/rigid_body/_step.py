"""The recursive step of a load at a wrist, to run or to export."""

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, required_log, step_of
from steelyard.problems.rigid_body._answer import METHODS, robots_of
from steelyard.problems.rigid_body._reading import read_wrist_record
from steelyard.problems.rigid_body._recursive_answer import check_recursive, estimator_of, samples_of
from steelyard.problems.rigid_body._windows import WristSample


def rigid_body_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """The step of the first robot with a wrench in a log."""
    chosen = chosen_method(method, "recursive", list(METHODS), "rigid-body")
    if chosen != "recursive":
        raise BadInput(f'"{chosen}" fits whole logs and has no step that can become C; take the method "recursive".')
    check_recursive(config)
    moved = required_log(log, "rigid-body").without_truth()
    record = read_wrist_record(moved, robots_of(moved, config)[0], config)
    estimator = estimator_of(record.noise, record.tared)
    rows = samples_of(moved, record.robot)
    samples = WristSample(rows[:, 0], rows[:, 1:4], rows[:, 4:7], rows[:, 7:])
    about = f"Load and wrench offsets of {record.robot} by the method recursive; motion sensors are taken as calibrated"
    return ExportableStep(step_of(estimator), estimator.init(), samples, about)
