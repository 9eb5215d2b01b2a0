"""A robot of one's own as its author describes it: a model, noise, a first guess, and the quantities to estimate."""

import dataclasses
import importlib.util
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import BadInput, nearest
from steelyard.estimators import Guess, Noise, Sample
from steelyard.geometry import tangent_names
from steelyard.logs import Log
from steelyard.models import Model, State


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A number to estimate: a function of the state."""

    of: Callable[[State], Any]
    """From a state."""
    unit: str
    coordinate: str
    """The tangent coordinate that determines it, as `geometry.tangent_names` names it: `log_mass`."""
    jump: float | None = None
    """Standard deviation of a jump of that coordinate, in its own unit; None where it cannot jump."""


@dataclasses.dataclass(frozen=True)
class OwnRobot:
    """Everything that `identify` needs to know of a robot that this package has no problem for."""

    model: Model
    noise: Noise
    guess: Guess
    samples: Callable[[Log], Sample]
    """A row of the log each; the control of a row is what acted until then."""
    quantities: Mapping[str, Quantity]
    name: str = "r1"
    window: int = 10
    """Rows in the window of the methods `msckf` and `swls`."""

    def coordinate(self, quantity: Quantity) -> int:
        """The index of a quantity's tangent coordinate."""
        return tangent_names(self.guess.state).index(quantity.coordinate)


def load_robot(path: str) -> OwnRobot:
    """The `ROBOT` that a Python file defines. The file is run: it is a program of yours."""
    file = Path(path)
    if not file.is_file():
        raise BadInput(f"{path} does not exist; give the Python file that defines your ROBOT.")
    spec = importlib.util.spec_from_file_location(f"steelyard_robot_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is no Python file; give one that defines your ROBOT.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise users_fault(path, error) from error
    robot = getattr(module, "ROBOT", None)
    if not isinstance(robot, OwnRobot):
        raise BadInput(f"{path} defines no ROBOT; add ROBOT = OwnRobot(...) of steelyard.problems.")
    return robot


def users_fault(path: str, error: Exception) -> BadInput:
    """A failure of the user's file as one sentence that names the line."""
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if _same_file(one.filename, path)]
    if isinstance(error, SyntaxError) and error.lineno is not None:
        lines = [error.lineno]
    where = f"{path}, line {lines[-1]}," if lines else path
    what = " ".join(str(error).split())[:300]
    return BadInput(f"{where} fails with {type(error).__name__}: {what}; mend it first.")


def is_users_fault(path: str, error: Exception) -> bool:
    """Whether a failure came out of the user's file."""
    return any(_same_file(one.filename, path) for one in traceback.extract_tb(error.__traceback__))


def _same_file(name: str | None, path: str) -> bool:
    return name is not None and Path(name).resolve() == Path(path).resolve()


def check_robot(robot: OwnRobot, log: Log) -> None:
    """Raises `BadInput` where a robot cannot be estimated from a log: unknown coordinates, or too few rows."""
    names = tangent_names(robot.guess.state)
    for name, quantity in robot.quantities.items():
        if quantity.coordinate not in names:
            raise BadInput(
                f'{name} names the coordinate "{quantity.coordinate}", which the state does not have; '
                f"{nearest(quantity.coordinate, names)}"
            )
    if robot.window < 1:
        raise BadInput(f"{robot.name}'s window is {robot.window}; give at least one row.")
    if len(log) < max(2, robot.window):
        raise BadInput(
            f"{log.origin} has {len(log)} rows, fewer than the {robot.window} of {robot.name}'s window; "
            "give a longer log, or a smaller window."
        )
