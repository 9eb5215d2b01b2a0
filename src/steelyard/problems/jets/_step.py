"""The step of the thrust filter of a robot on jets, to run or to export."""

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems._exportable import ExportableStep, chosen_method, required_log, step_of
from steelyard.problems.jets._method import thrust_run
from steelyard.problems.jets._reading import read_jets_record
from steelyard.problems.jets._robot import robot_from
from steelyard.problems.jets._tuning import THRUST_METHODS


def jets_step(method: str | None, log: Log | None, config: Config) -> ExportableStep:
    """The step of the first robot with throttles in a log."""
    chosen = chosen_method(method, "adaptive", list(THRUST_METHODS), "jets")
    flown, configured = required_log(log, "jets").without_truth(), robot_from(config)
    robot = (config.team.robots or tuple(r for r in flown.robots if "throttle" in flown.signals(r)) or ("r1",))[0]
    run = thrust_run(read_jets_record(flown, robot, configured, config), configured, config, THRUST_METHODS[chosen])
    return ExportableStep(step_of(run.estimator), run.belief, run.samples, f"The filter {chosen} of {robot}, on jets")
