"""`steelyard export --as PROBLEM -o DIR`: the step as dependency-free C99."""

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from steelyard._files import check_output_folder
from steelyard.cli._output import print_json
from steelyard.cli._parse import parse
from steelyard.config import Config, load
from steelyard.errors import BadInput


@dataclasses.dataclass(frozen=True)
class Export:
    """Writes the step of a filter as C99 that needs nothing but <math.h>, with a program that checks it."""

    problem: Annotated[str, tyro.conf.arg(name="as", metavar="PROBLEM")]
    """What it identifies: multirotor, jets, planar-load, spatial-load, or a .py file that describes a robot of your
    own. Of a robot in a team, what it works out for itself: messages stay outside."""
    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="DIR")]
    """The folder to write: a new one, or an empty one."""
    method: Annotated[str | None, tyro.conf.arg(metavar="METHOD")] = None
    """How, as in identify; by default the problem's best. For planar-load also observer, the papers' own."""
    log: Annotated[str | None, tyro.conf.arg(metavar="LOG")] = None
    """A log of the robot: noise that is not configured, the first guess and the check's recorded rows come from it.
    By default a simulated one; jets and robots of your own need one."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Noise, guesses and the robot's own parameters."""
    name: str = "filter"
    """Of the files and the function."""
    single: bool = False
    """In float32."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> None:
    """Parses, generates, writes, prints the sizes."""
    command = parse(Export, arguments, "export")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", command.name):
        raise BadInput(f'--name is "{command.name}"; give small letters, digits and underscores.')
    if not Path(command.output).absolute().parent.is_dir():
        raise BadInput(f"{command.output}: its folder does not exist; create it or choose another output.")
    check_output_folder(Path(command.output).absolute().parent)
    config = Config() if command.config is None else load(command.config, Config)

    from steelyard import logs

    log = None if command.log is None else logs.read(command.log)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import problems, worlds
    from steelyard.native import export

    simulated = {
        "multirotor": lambda: worlds.simulate(worlds.MultirotorScenario(), seed=1),
        "planar-load": lambda: worlds.simulate_planar(worlds.PlanarScenario(duration=8.0), seed=1),
        "spatial-load": lambda: worlds.simulate_spatial(worlds.SpatialScenario(robots=5, duration=2.0), seed=1),
    }
    if log is None and command.problem in simulated:
        columns = simulated[command.problem]()
        log = logs.Log(columns.pop("time"), columns, "simulation")
    ready = problems.exportable_step(command.problem, command.method, log, config)
    first = problems.first_sample(ready)
    exported = export(
        ready.step, (ready.belief, first), command.output, command.name, samples=ready.samples,
        single=command.single, symmetric=("covariance",), about=ready.about,
    )  # fmt: skip
    if command.json:
        print_json(
            {
                "folder": str(exported.folder),
                "files": list(exported.files),
                "operations": exported.code.operations,
                "state": exported.code.arguments[0].size,
                "sample": exported.code.arguments[1].size,
                "sizes": [dataclasses.asdict(size) for size in exported.sizes],
            }
        )
        return
    print(f"Wrote {exported.folder}: {', '.join(exported.files)}.")
    print(f"{exported.code.operations} scalar operations a step, {exported.code.arguments[0].size} numbers of state.")
    for size in exported.sizes:
        print(f"{size.target}: flash {size.flash} bytes, RAM {size.ram} bytes, stack {size.stack} bytes.")
