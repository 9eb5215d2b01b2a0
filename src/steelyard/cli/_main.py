"""Finds the command, and turns every ending into an exit code."""

import importlib
import os
import sys

from steelyard import __version__
from steelyard.errors import BadInput, nearest

COMMANDS = {
    "demo": "five robots weigh an unknown load that they hold, decentralised: table, report, log",
    "simulate": "makes a log with truth in it",
    "identify": "identifies from a log",
    "reproduce": "a paper: published, its method, ours, the bound",
    "plan": "what a motion can and cannot identify, and a better one",
    "team": "a whole team on this machine, one process a robot; team keys makes its keys",
    "agent": "one robot of a team, in production",
    "export": "the step of a filter as dependency-free C99",
    "bench": "speed against peers, and accuracy, in one run",
}
"""By name; each lives in the module `_<name>`, which is imported when it is asked for."""


def main(arguments: list[str] | None = None) -> None:
    """Runs one command and ends the process: 0 well, 1 failed, 2 bad usage or bad input."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small: threads cost more than they bring
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Runs one command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a narrow terminal shows ? for ², and goes on
    try:
        _dispatch(arguments)
        sys.stdout.flush()
    except BadInput as error:
        print(f"steelyard: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("steelyard: interrupted; no half-written file was left behind.", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has gone, quietly
        return 1
    except Exception as error:
        if os.environ.get("STEELYARD_DEBUG"):
            raise
        print(f"steelyard: failed with {type(error).__name__}: {' '.join(str(error).split())[:300]}", file=sys.stderr)
        print("This is a fault of ours; STEELYARD_DEBUG=1 shows where it happened.", file=sys.stderr)
        return 1
    return 0


def _dispatch(arguments: list[str]) -> None:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_usage())
        return
    name, *rest = arguments
    if name == "--version":
        print(f"steelyard {__version__}")
        return
    if name not in COMMANDS:
        raise BadInput(f'there is no command "{name}"; {nearest(name, list(COMMANDS))}')
    importlib.import_module(f"steelyard.cli._{name}").run(rest)


def _usage() -> str:
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:<{width}}{does}" for name, does in COMMANDS.items())
    return f"""Steelyard weighs what robots carry, and what they are, while they move.

usage: steelyard COMMAND [OPTIONS]

{commands}

steelyard COMMAND --help tells the options of a command; steelyard --version, the version.
Exit codes: 0 well, 1 failed, 2 bad usage or bad input (one sentence on standard error)."""
