"""The step of a multirotor's filter, to run or to export."""

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, required_log, step_of
from steelyard.problems.multirotor._answer import robots_of
from steelyard.problems.multirotor._method import METHODS, noise_levels_of
from steelyard.problems.multirotor._reading import read_flight_record


def multirotor_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """The step of the first multirotor in a log."""
    chosen = chosen_method(method, "adaptive", list(METHODS), "multirotor")
    flown = required_log(log, "multirotor").without_truth()
    record = read_flight_record(flown, robots_of(flown, config)[0], config)
    levels, _ = noise_levels_of(record, config, chosen)
    run = METHODS[chosen](record, levels, config)
    about = f"The filter {chosen} of {record.robot}, a multirotor"
    return ExportableStep(step_of(run.estimator), run.belief, run.samples, about)
