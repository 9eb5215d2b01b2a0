"""What checks cost: processor time of `identify` with and without preflight and cross-checks, problem by problem.

    python tests/support/check_costs.py [PROBLEM…]

Of one clean log of the trial of faults each, warm, the smallest of several runs each way, in turn.
"""

import contextlib
import dataclasses
import importlib
import sys
import time
from unittest import mock

from steelyard._jax import prepare_program


def unchecked(problem: str) -> contextlib.ExitStack:
    """Everything that only checks is left out."""
    from steelyard.problems import _checked
    from steelyard.problems.preflight import Preflight

    stack = contextlib.ExitStack()
    stack.enter_context(mock.patch.object(_checked, "preflight", lambda log, *rest: Preflight(log, (), ())))
    stack.enter_context(mock.patch.object(_checked, "judged", lambda found, *rest: found))
    if problem == "spatial-load":
        answer = importlib.import_module("steelyard.problems.spatial_load._answer")
        stack.enter_context(mock.patch.object(answer, "sensor_error_fit", return_value=None))
    if problem == "jets":
        answer = importlib.import_module("steelyard.problems.jets._answer")
        stack.enter_context(mock.patch.object(answer, "error_rates", return_value=None))
    if problem == "own":
        errors = importlib.import_module("steelyard.problems.own._unmodelled")
        none = dataclasses.replace(errors.TUNING, errors_tried=0)
        stack.enter_context(mock.patch.object(errors, "TUNING", none))
    return stack


def measure(problem: str, times: int = 3) -> tuple[float, float]:
    """s, with and without."""
    from steelyard.bench.faults import TRIED
    from steelyard.problems import identify

    tried, found = TRIED[problem], {True: [], False: []}
    log = tried.clean(2)
    for _ in range(times + 1):
        for checks in (True, False):
            with contextlib.ExitStack() if checks else unchecked(problem):
                begin = time.process_time()
                identify(log, problem) if tried.answer is None else tried.answer(log)
                found[checks].append(time.process_time() - begin)
    return min(found[True][1:]), min(found[False][1:])


def main() -> None:
    """Prints a line a problem."""
    prepare_program()
    from steelyard.bench.faults import TRIED

    for problem in sys.argv[1:] or list(TRIED):
        checked, plain = measure(problem)
        print(
            f"{problem}: {checked:.3f} s, {plain:.3f} s without checks: {100 * (checked / plain - 1):.1f} %", flush=True
        )


if __name__ == "__main__":
    main()
