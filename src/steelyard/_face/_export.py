"""`sy.export`: the step of a filter as dependency-free C99."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard._face._inputs import check_names, checked_path, config_from, log_from
from steelyard._face._simulate import simulate
from steelyard._files import check_output_folder
from steelyard.config import Config
from steelyard.errors import BadInput, shown
from steelyard.logs import Log

if TYPE_CHECKING:
    from steelyard.native import Exported

_EXAMPLES: dict[str, tuple[str, dict[str, Any]]] = {
    "multirotor": ("multirotor", {}),
    "planar-load": ("planar", {"duration": 8.0}),
    "spatial-load": ("spatial", {"robots": 5, "duration": 2.0}),
    "rigid-body": ("wrist", {"duration": 2.0}),
}
"""The scenario that shows shapes and sizes where no log is given."""


_UNITS = {
    "attitude": "quaternion w, x, y, z, body to world", "position": "m, world", "velocity": "m/s, world",
    "log_mass": "natural logarithm of kg", "flow": "kg/s", "drag": "N s/m (linear), N s^2/m^2 (quadratic)",
    "thrust": "N", "rates": "rad/s, body", "gust": "N", "dt": "s", "log_lag": "natural logarithm of s",
    "covariance": "of the tangent coordinates of state, in its order; an attitude has three, rad",
    "variance": "of each measured tangent coordinate", "z_c": "m, world", "omega": "rad/s", "omega_read": "rad/s",
    "wrench": "N m (3), N (3)", "reading": "rad/s (3), m/s (3), m/s^2 (3) a robot", "alpha": "rad/s^2",
    "throttle": "%", "specific_force": "m/s^2", "value": "measured less expected, of each measured tangent coordinate",
    "status": "0 well; else the sum of 1 some channels were NaN, 2 all were, 4 an input was, 8 the result was not "
    "finite and not taken, 16 dt was negative or not finite, 64 a change was found, 128 an outlier",
    "outlier_rows": "rows in a row with an outlier",
}  # fmt: skip
"""Of the numbers in a step, by their last name."""


def export(
    problem: str,
    folder: str | Path,
    method: str | None = None,
    log: Log | str | Path | None = None,
    config: Config | Mapping[str, Any] | str | Path | None = None,
    name: str = "filter",
    single: bool = False,
) -> "Exported":
    """Writes the step of a problem's method as C99 that needs nothing but <math.h>, with a program that checks it.

    >>> import pathlib, tempfile
    >>> import steelyard as sy
    >>> log = sy.simulate("multirotor", duration=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     noise = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
    ...     exported = sy.export("multirotor", pathlib.Path(folder) / "c", "ekf", log, {"noise": noise})
    >>> "filter.c" in exported.files
    True

    `folder` is a new or an empty one. Noise that is not configured, the first guess and the rows of the check come from
    the log, by default a simulated one; jets and robots of your own need one. `name` is that of the files and of the
    function; with `single` it is in float32.
    """
    check_names(problem, method)
    check_export(checked_path(folder, "A step is written to"), name)
    if single and problem == "rigid-body":
        raise BadInput("The step of rigid-body subtracts large sums, which float32 cannot hold; leave --single out.")
    checked, recorded = config_from(config), None if log is None else log_from(log)

    from steelyard import native, problems

    if recorded is None and problem in _EXAMPLES:
        scenario, settings = _EXAMPLES[problem]
        recorded = simulate(scenario, seed=1, **settings)
    found = problems.exportable_step(problem, method, recorded, checked)
    return native.export(
        found.step, (found.belief, problems.first_sample(found)), folder, name, samples=found.samples,
        single=single, symmetric=("covariance",), about=found.about, units=_UNITS,
    )  # fmt: skip


def check_export(folder: str | Path, name: str) -> None:
    """Raises `BadInput` where the name or the folder will not do, before the work begins."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name):  # C keeps 63 characters apart
        raise BadInput(f"--name is {shown(name)}; give small letters, digits and underscores, at most 63.")
    parent = Path(folder).absolute().parent
    if not parent.is_dir():
        raise BadInput(f"{folder}: its folder does not exist; create it or choose another output.")
    check_output_folder(parent)
