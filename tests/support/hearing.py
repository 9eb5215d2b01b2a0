"""Commands that hear an interruption, wherever the tests run."""

import sys
from collections.abc import Sequence

# A shell that runs the tests in the background makes them, and what they start, deaf to interruptions.
_HEARING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def hearing(command: Sequence[str]) -> list[str]:
    """The same command, in a process that an interruption ends."""
    return [sys.executable, "-c", _HEARING, *command]
