"""Finds the command, and turns every ending into an exit code."""

import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

from steelyard._files import remove_unfinished
from steelyard.errors import BadInput, Failed, nearest

COMMANDS = {
    "demo": "five robots weigh an unknown load that they hold, decentralised: table, report, log",
    "simulate": "makes a log with truth in it",
    "look": "what is in log files, which problems they can answer, and what is missing for the others",
    "identify": "identifies from a log",
    "reproduce": "a paper: published, its method, ours, the bound",
    "plan": "what a motion can and cannot identify, and a better one",
    "team": "a whole team on this machine, one process a robot; team keys makes its keys",
    "agent": "one robot of a team, in production",
    "export": "the step of a filter as dependency-free C99",
    "cover": "how often the stated intervals hold the truth, over many simulated logs",
    "trial": "measurements over many simulated runs: disguises, faults, …",
    "bench": "speed against peers, and accuracy, in one run",
    "completion": "a script with which a shell completes commands and options",
}
"""By name; each lives in the module `_<name>`, which is imported when it is asked for."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: a command ends as after an interruption from the keyboard."""


def main(arguments: list[str] | None = None) -> None:
    """Runs one command and ends the process: 0 well, 1 failed or interrupted, 2 bad usage or bad input."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small: threads cost more than they bring
    given = sys.argv[1:] if arguments is None else arguments
    code = run(given)
    if given and given[0] in ("agent", "team"):  # threads of the middleware would keep a process alive that has ended
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Runs one command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a narrow terminal shows ? for ², and goes on
    try:
        with _interruptible():
            code = _dispatch(arguments)
            sys.stdout.flush()
    except BadInput as error:
        return _fail(2, str(error))
    except Failed as error:
        return _fail(1, str(error))
    except KeyboardInterrupt as end:
        return _interrupted(end)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has gone, quietly
        return 1
    except Exception as error:
        if os.environ.get("STEELYARD_DEBUG"):
            raise
        return _fail(*_explained(error))
    finally:
        remove_unfinished()
    return code


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends a command as SIGINT does: drafts, temporary folders and child processes go the same way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second one does not disturb the cleaning up
        error = kinds[signal.Signals(number)]()
        if _importing(frame):  # an extension that an exception interrupts as it is loaded can crash
            remove_unfinished()
            os._exit(_interrupted(error))
        raise error

    before = {one: signal.getsignal(one) for one in kinds}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(one, end)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _interrupted(error: KeyboardInterrupt) -> int:
    how = "terminated" if isinstance(error, Terminated) else "interrupted"
    return _fail(1, f"{how}; no half-written file was left behind.")


def _fail(code: int, sentence: str) -> int:
    print(f"steelyard: {sentence}", file=sys.stderr)
    return code


def _explained(error: Exception) -> tuple[int, str]:
    """Exit code and sentence for what was not foreseen."""
    what = " ".join(str(error).split())[:300]
    where = "STEELYARD_DEBUG=1 shows where it happened."
    if isinstance(error, MemoryError):
        return 1, f"there is not enough memory for this ({what or 'MemoryError'}); take a shorter log or fewer trials."
    if isinstance(error, OSError) and error.strerror:
        file = "" if error.filename is None else f"{error.filename}: "
        return 2, f"{file}{error.strerror}; check that the file, its folder and the disk can be used. {where}"
    if type(error).__name__ == "LinAlgError":  # NumPy's, which is not imported here for a name
        return 1, f"the numbers led to equations without a solution ({what}); check units and noise. {where}"
    if type(error).__name__ == "XlaRuntimeError" and "RESOURCE_EXHAUSTED" in what:
        return 1, "there is not enough memory for this; take a shorter log or fewer trials."
    return 1, f"failed with {type(error).__name__}: {what}\nThis is a fault of ours; {where}"


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    name, *rest = arguments
    if name == "--version":
        from steelyard.cli._version import version

        print(version())
        return 0
    if name not in COMMANDS:
        raise BadInput(f'there is no command "{name}"; {nearest(name, list(COMMANDS))}')
    return importlib.import_module(f"steelyard.cli._{name}").run(rest) or 0


def _usage() -> str:
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:<{width}}{does}" for name, does in COMMANDS.items())
    return f"""Steelyard weighs what robots carry, and what they are, while they move.

usage: steelyard COMMAND [OPTIONS]

{commands}

steelyard COMMAND --help lists the options of a command; --quiet, which all commands but agent and completion take,
prints the result only. steelyard --version names the version, the engine and the compiler.
Exit codes: 0 well, 1 failed or interrupted, 2 bad usage or bad input (one sentence on standard error), 3 it ran and
nothing that was asked for is known."""
