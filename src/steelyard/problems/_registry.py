"""Which problems there are."""

import dataclasses
from collections.abc import Callable

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Reason
from steelyard.logs import Log
from steelyard.logs.mapping import Prepared, prepare
from steelyard.problems._checked import checked
from steelyard.problems._identification import Identification
from steelyard.problems._streaming import StreamFilter, StreamRefit
from steelyard.problems._trust import doubted, robots_that_use

Solver = Callable[..., Identification]


def _multirotor() -> Solver:
    from steelyard.problems.multirotor._answer import identify_multirotor

    return identify_multirotor


def _rigid_body() -> Solver:
    from steelyard.problems.rigid_body._answer import identify_rigid_body

    return identify_rigid_body


def _planar_load() -> Solver:
    from steelyard.problems.planar_load._answer import identify_planar_load

    return identify_planar_load


def _spatial_load() -> Solver:
    from steelyard.problems.spatial_load._answer import identify_spatial_load

    return identify_spatial_load


def _jets() -> Solver:
    from steelyard.problems.jets._answer import identify_jets

    return identify_jets


PROBLEMS: dict[str, Callable[[], Solver]] = {
    "jets": _jets,
    "multirotor": _multirotor,
    "planar-load": _planar_load,
    "rigid-body": _rigid_body,
    "spatial-load": _spatial_load,
}
"""By name; each is imported when it is asked for."""


def _multirotor_stream() -> Callable[[Config, str | None], StreamFilter]:
    from steelyard.problems.multirotor._stream import MultirotorStream

    return MultirotorStream


def _rigid_body_stream() -> Callable[[Config, str | None], StreamFilter | StreamRefit]:
    from steelyard.problems.rigid_body._stream import wrist_stream

    return wrist_stream


STREAMS: dict[str, Callable[[], Callable[[Config, str | None], StreamFilter | StreamRefit]]] = {
    "multirotor": _multirotor_stream,
    "rigid-body": _rigid_body_stream,
}
"""Problems with a method that runs sample by sample."""


def stream_filter(problem: str, config: Config, method: str | None) -> StreamFilter | StreamRefit:
    """The online method of a problem."""
    if problem not in STREAMS:
        if problem not in PROBLEMS and not problem.endswith(".py"):
            raise BadInput(f'Unknown problem "{problem}"; {nearest(problem, list(STREAMS))}')
        known = " and ".join(f'"{name}"' for name in STREAMS)
        raise BadInput(f'"{problem}" cannot be streamed yet; {known} can, and identify answers the others from a log.')
    return STREAMS[problem]()(config, method)


def identify(
    log: Log,
    problem: str | None = None,
    config: Config | None = None,
    method: str | None = None,
    progress: Callable[[int], None] = lambda rows: None,
    mend: bool = False,
) -> Identification:
    """Answers a problem from a log; without a method, by the problem's own best one.

    A problem is a name, or the path of a Python file that describes a robot of your own (see `OwnRobot`); by default
    the only one that the log can answer. `progress` is told how many rows are done. The log is checked first; with
    `mend`, what is certainly wrong with it is mended.
    """
    config = config or Config()
    return answer(prepare(log, problem, config), config, method, progress, mend)


def answer(
    prepared: Prepared,
    config: Config,
    method: str | None = None,
    progress: Callable[[int], None] = lambda rows: None,
    mend: bool = False,
) -> Identification:
    """Answers a problem from the rows that were prepared for it."""
    found = _solved(prepared.log, prepared.problem, config, method, progress, mend)
    found = dataclasses.replace(found, notes=[*prepared.notes, *found.notes])
    against: dict[str, tuple[Reason, ...]] = {}
    for finding in prepared.open_units:
        for robot in robots_that_use(found, finding.subject.partition("/")[0]):
            against[robot] = (*against.get(robot, ()), Reason("unit", finding.sentence))
    return doubted(found, against)


def _solved(log: Log, problem: str, config: Config, method: str | None, progress, mend: bool) -> Identification:
    chosen = {} if method is None else {"method": method}
    if problem.endswith(".py"):
        from steelyard.problems.own import identify_own, is_users_fault, load_robot, users_fault

        try:
            return identify_own(log, load_robot(problem), progress=progress, mend=mend, **chosen)
        except BadInput:
            raise
        except Exception as error:
            if is_users_fault(problem, error):
                raise users_fault(problem, error) from error
            raise
    if problem not in PROBLEMS:
        raise BadInput(
            f'Unknown problem "{problem}"; {nearest(problem, list(PROBLEMS))[:-1]}, or give a .py file with a robot '
            "of your own."
        )
    solver = PROBLEMS[problem]()
    return checked(log, problem, config, mend, lambda log: solver(log, config, progress=progress, **chosen))
