"""Arguments into a dataclass, and mistakes into one sentence."""

import contextlib
import io
import re
from collections.abc import Sequence
from typing import Annotated, TypeVar

import tyro

from steelyard.errors import BadInput, nearest

Command = TypeVar("Command")
Json = Annotated[bool, tyro.conf.arg(help="Print one JSON object and nothing else.")]
"""An option of every command."""
Quiet = Annotated[bool, tyro.conf.arg(help="Print the result only: no progress, no notes, no names of written files.")]
"""An option of every command."""
Workers = Annotated[
    int | None,
    tyro.conf.arg(help="Run in so many worker processes of dask; by default one a core, without dask."),
]
"""An option of every command with trials."""
Scheduler = Annotated[
    str | None, tyro.conf.arg(metavar="tcp://HOST:PORT", help="Run on the workers of this dask scheduler.")
]
"""An option of every command with trials."""


def parse(command: type[Command], arguments: Sequence[str], name: str, about: str | None = None) -> Command:
    """The dataclass that the arguments describe; `BadInput` where they do not, exit 0 after `--help`.

    `about` stands at the top of the help, by default the class's docstring.
    """
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            return tyro.cli(
                command, args=list(arguments), prog=f"steelyard {name}", description=about,
                config=(tyro.conf.FlagCreatePairsOff,),
            )  # fmt: skip
    except SystemExit as end:
        if end.code in (0, None):
            raise
        raise BadInput(f"{_sentence(printed.getvalue())} (steelyard {name} --help lists the options).") from None


def check_number(command: object, name: str, least: int, most: int | None = None) -> None:
    """`BadInput` where an option of a command is below `least` or above `most`."""
    value = getattr(command, name)
    if value < least or (most is not None and value > most):
        until = "up" if most is None else f"to {most}"
        raise BadInput(f"--{name.replace('_', '-')} is {value}; give a number from {least} {until}.")


def choose(choices: dict[str, str], arguments: Sequence[str], name: str, what: str) -> tuple[str, list[str]]:
    """The first argument, which must be one of the choices, and the rest; exit 0 after `--help` in its place."""
    listed = "\n".join(f"  {choice:<12}{does}" for choice, does in choices.items())
    if arguments and arguments[0] in ("-h", "--help"):
        print(f"usage: steelyard {name} {what.upper()} [OPTIONS]\n\n{listed}\n")
        print(f"steelyard {name} {what.upper()} --help lists the options of a {what}.")
        raise SystemExit(0)
    if not arguments or arguments[0].startswith("-"):
        raise BadInput(f"Name the {what} first: steelyard {name} {what.upper()}; {nearest('', list(choices))}")
    if arguments[0] not in choices:
        raise BadInput(f'Unknown {what} "{arguments[0]}"; {nearest(arguments[0], list(choices))}')
    return arguments[0], list(arguments[1:])


def _sentence(box: str) -> str:
    """Tyro's framed complaint without the frame, the title and the closing advice."""
    frame = r"[│╭╮╰╯─]+|-{3,}|^[|+]|[|+]$"  # drawn in ASCII where the terminal knows no better
    lines = [re.sub(frame, " ", line).strip() for line in box.splitlines()[1:]]
    text = re.sub(r"\s+", " ", " ".join(lines)).strip()
    text = re.split(r"For full helptext|Argument helptext", text)[0].strip()
    complaint, _, meant = text.partition(" Perhaps you meant:")
    if meant:
        unknown = re.findall(r"--?[\w-]+", complaint)
        return f"{complaint}; {nearest(unknown[0] if unknown else '', re.findall(r'--[a-z-]+', meant))[:-1]}"
    if "(required)" in text:
        names = re.findall(r"(--[a-z-]+ [A-Z]\S*|\b[A-Z]{2,}(?:\.[a-z]+)?)(?= )", text)
        return f"Missing is {' and '.join(names)}"
    return text.rstrip(".:")
