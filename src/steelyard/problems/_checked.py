"""Checks before the estimate, the estimate, checks after it: the same way for every problem."""

import dataclasses
from collections.abc import Callable

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._identification import Identification
from steelyard.problems._limits import check_sizes
from steelyard.problems._trust import judged
from steelyard.problems.preflight import preflight


def checked(
    log: Log, problem: str, config: Config, mend: bool, solve: Callable[[Log], Identification]
) -> Identification:
    """What `solve` answers from a log, judged; where the log cannot be solved, what is wrong with it."""
    check_sizes(log, problem)
    before = preflight(log, problem, config, mend)
    certain = [one for one in before.findings if one.kind == "certain"]
    if any(one.code == "time-unit" for one in certain):
        raise BadInput(f"{log.origin}: {certain[0].reason.sentence}")
    try:
        found = solve(before.log)
    except BadInput as error:
        if not certain:
            raise
        raise BadInput(f"{log.origin}: {certain[0].reason.sentence} ({error})") from None
    except np.linalg.LinAlgError as error:
        why = certain[0].reason.sentence if certain else "Check units, clocks and axes."
        raise BadInput(f"{log.origin}: no answer explains these numbers ({error}). {why}") from None
    return judged(
        dataclasses.replace(found, notes=[*before.mended, *found.notes]), before.findings, before.rough, problem
    )
