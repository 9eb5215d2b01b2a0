"""Which problems there are."""

from collections.abc import Callable

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.logs import Log
from steelyard.problems._identification import Identification

Solver = Callable[..., Identification]


def _multirotor() -> Solver:
    from steelyard.problems._multirotor import identify_multirotor

    return identify_multirotor


PROBLEMS: dict[str, Callable[[], Solver]] = {"multirotor": _multirotor}
"""By name; each is imported when it is asked for."""


def identify(
    log: Log,
    problem: str,
    config: Config | None = None,
    method: str | None = None,
    advance: Callable[[int], None] = lambda rows: None,
) -> Identification:
    """Answers a problem from a log; without a method, by the problem's own best one.

    `advance` is told how many rows are done.
    """
    if problem not in PROBLEMS:
        raise BadInput(f'Unknown problem "{problem}"; {nearest(problem, list(PROBLEMS))}')
    solve = PROBLEMS[problem]()
    chosen = {} if method is None else {"method": method}
    return solve(log, config or Config(), advance=advance, **chosen)
