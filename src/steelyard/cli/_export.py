"""`steelyard export --as PROBLEM -o DIR`: the step as dependency-free C99."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import tyro

from steelyard._face._export import check_export, export
from steelyard._face._inputs import config_from, log_from
from steelyard.cli._output import print_json
from steelyard.cli._parse import Json, Quiet, parse


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
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, generates, writes, prints the sizes."""
    command = parse(Export, arguments, "export")
    check_export(command.output, command.name)
    config = config_from(command.config)
    log = None if command.log is None else log_from(command.log)  # before JAX is loaded, for a quick answer

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard.native import not_measured

    exported = export(command.problem, command.output, command.method, log, config, command.name, command.single)
    if command.json:
        print_json(
            {
                "folder": str(exported.folder),
                "files": list(exported.files),
                "operations": exported.code.operations,
                "state": exported.code.arguments[0].size,
                "sample": exported.code.arguments[1].size,
                "sizes": [dataclasses.asdict(size) for size in exported.sizes],
                "not_measured": not_measured(exported.sizes),
            }
        )
        return
    if command.quiet:
        return
    print(f"Wrote {exported.folder}: {', '.join(exported.files)}.")
    print(f"{exported.code.operations} scalar operations a step, {exported.code.arguments[0].size} numbers of state.")
    for size in exported.sizes:
        print(f"{size.target}: flash {size.flash} bytes, RAM {size.ram} bytes, stack {size.stack} bytes.")
    for sentence in not_measured(exported.sizes):
        print(sentence)
