"""`sy.identify`: the answer to a problem from a log, and the files that can be made of it."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from steelyard._face._inputs import check_names, check_progress, checked_path, config_from, log_from
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import Identification
from steelyard.problems import identify as answer


class Findings(Identification):
    """An identification that also writes its files. It is here because `problems` comes before `report`."""

    def write_report(self, path: str | Path) -> None:
        """Writes a report: one HTML file that opens in any browser and needs nothing else."""
        from steelyard.report import write_report

        write_report(self, checked_path(path, "A report is written to"))

    def write_urdf(self, path: str | Path) -> None:
        """Writes the load as a URDF, one link with its `<inertial>` a robot frame; `BadInput` where it is not known."""
        from steelyard.report import write_urdf

        write_urdf(self, checked_path(path, "A URDF is written to"))

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer in one sentence, and every quantity with its interval."""
        from steelyard.report import fill, headline, rows, value_table

        cells = [
            [f"{row.robot} {row.quantity}", "; ".join(f"{part.label} {part.value}".strip() for part in row.parts),
             row.unit, row.words]
            for row in rows(self)
        ]  # fmt: skip
        shown = value_table("estimates", ("quantity", "value (95 %)", "unit", "status"), cells)
        return str(fill("<p><strong>$headline</strong></p>$table", headline=headline(self), table=shown))


def identify(
    log: Log | str | Path,
    problem: str | None = None,
    config: Config | Mapping[str, Any] | str | Path | None = None,
    method: str | None = None,
    progress: Callable[[int], None] = lambda rows: None,
    mend: bool = False,
) -> Findings:
    """Identifies a robot or what it carries from a log; without a method, by the problem's best one.

    >>> import steelyard as sy
    >>> log = sy.simulate("multirotor", duration=4, profile="constant", mass=1.5, seed=1)
    >>> noise = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
    >>> found = sy.identify(log, "multirotor", {"noise": noise}, method="ekf")
    >>> mass = found["r1"].mass
    >>> mass.status, mass.unit, bool(mass.interval[0] < 1.5 < mass.interval[1])
    ('known', 'kg', True)
    >>> found["r1"]["drag/quadratic"].unit, len(found.events)
    ('N s²/m²', 0)

    `log` is a `Log` or a path. A log that `sy.read` made of another tool's files gives what `steelyard identify` gives
    for them. `problem` is `multirotor`, `rigid-body`, `planar-load`, `spatial-load`, `jets`, or a .py file that
    describes a robot of your own; by default the only one that the log can answer. `config` is a `Config`, the path of
    a TOML file or a dictionary, and what it does not state is estimated or has a default. `progress` is called with the
    number of rows that are done. The log is checked first; with `mend`, what is certainly wrong with it is mended and
    listed in the notes.
    """
    if not isinstance(log, Log | str | Path):
        raise BadInput(f"A log is a Log or the path of a file, not {type(log).__name__}; sy.read makes one.")
    check_names("multirotor" if problem is None else problem, method)
    check_progress(progress)
    found = answer(log_from(log), problem, config_from(config), method, progress, mend)
    return Findings(**{field.name: getattr(found, field.name) for field in dataclasses.fields(found)})
