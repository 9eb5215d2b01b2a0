"""`steelyard trial wrist`: one load at one wrist, its errors next to the bound, contacts and mistakes."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, check_number, parse
from steelyard.errors import BadInput


@dataclasses.dataclass(frozen=True)
class TrialWrist:
    """Weighs simulated loads at a wrist and compares the errors with the Cramér-Rao bound of each log."""

    part: Literal["all", "accuracy", "errors", "contacts", "mistakes", "disturbances"] = "all"
    """Which: sensors with noise only, sensors with all errors unknown, pushes on the load, wrong recordings, recordings
    that a hand, shaking or lost samples disturbed."""
    logs: int = 200
    """Gentle motions of 10 s; half as many wild ones; as many with a push, and without."""
    runs: int = 20
    """Logs a mistake or a disturbance."""
    seed: int = 0
    """Chooses the logs of mistakes and disturbances."""
    method: Literal["likelihood", "recursive"] = "likelihood"
    """Of `identify`. "recursive" takes motion sensors for calibrated, so it is tried on the parts accuracy and mistakes
    alone, and beside perfect sensors on wrenches with unknown offsets of 10 N and 0.5 N m."""
    rate: float = 100.0
    """Rows a second, Hz, of the logs that are compared with the bound."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, tries, prints."""
    command = parse(TrialWrist, arguments, "trial wrist")
    for name in ("logs", "runs"):
        check_number(command, name, 1, 100_000)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import report
    from steelyard.bench import wrist

    wild, parts = max(1, command.logs // 2), command.part
    groups, recursive = [], command.method == "recursive"
    if recursive and parts not in ("all", "accuracy", "mistakes"):
        raise BadInput(f'The method "recursive" is not tried on {parts}; choose accuracy or mistakes.')
    if parts in ("all", "accuracy"):
        groups += [("gentle", command.logs, True, {}), ("wild", wild, True, {})]
    if parts in ("all", "accuracy") and recursive:
        offsets = {"tared": False, **{name: wrist.SENSOR_ERRORS[name] for name in ("force_offset", "torque_offset")}}
        groups += [("gentle", command.logs, True, offsets), ("wild", wild, True, offsets)]
        parts = "mistakes" if parts == "all" else parts
    if parts in ("all", "errors"):
        groups += [("gentle", command.logs, False, wrist.SENSOR_ERRORS), ("wild", wild, False, wrist.SENSOR_ERRORS)]
    total = sum(logs for _, logs, _, _ in groups)
    total += 2 * command.logs if parts in ("all", "contacts") else 0
    total += command.runs * len(wrist.MISTAKES) if parts in ("all", "mistakes") else 0
    total += command.runs * len(wrist.DISTURBANCES) if parts in ("all", "disturbances") else 0
    found: dict[str, Any] = {"accuracy": [], "checks": []}
    with report.progress("weighing", total, quiet=command.json or command.quiet) as advance:
        for motion, logs, known, settings in groups:
            errors = ("offsets unknown" if settings else "none") if known else "unknown"
            name = f"{motion}, sensor errors {errors}"
            chosen = settings | {"rate": command.rate, "method": command.method}
            outcomes = wrist.group(motion, logs, known, advance, **chosen)
            found["accuracy"] += [row.as_json() for row in wrist.accuracies(name, outcomes)]
            found["checks"].append(_checks(name, outcomes))
        if parts in ("all", "contacts"):
            found["contacts"] = wrist.try_contacts(command.logs, 10.0 * command.logs, progress=advance).as_json()
        if parts in ("all", "mistakes"):
            mistakes = wrist.try_mistakes(command.runs, command.seed, advance, command.method)
            found["mistakes"] = [r.as_json() for r in mistakes]
        if parts in ("all", "disturbances"):
            found["disturbances"] = [r.as_json() for r in wrist.try_disturbances(command.runs, command.seed, advance)]
    if command.json:
        print_json(found)
    else:
        _show(found)


def _checks(name: str, outcomes: Sequence[Any]) -> dict[str, Any]:
    return {
        "group": name,
        "logs": len(outcomes),
        "events": sum(len(o.events) for o in outcomes),
        "impossible": sum(not o.possible for o in outcomes),
        "withheld": sum(o.withheld for o in outcomes),
        "doubted": sum(o.doubted for o in outcomes),
        "seconds": sum(o.seconds for o in outcomes) / len(outcomes),
    }


def _show(found: dict[str, Any]) -> None:
    titles = {
        "accuracy": "Errors and stated deviations over the bound, mean square error over stated, 95 % coverage",
        "checks": "False events, impossible or withheld inertias, doubted answers, seconds a log",
        "mistakes": "What became of wrong recordings",
        "disturbances": "What became of disturbed recordings",
    }
    for part, title in titles.items():
        if found.get(part):
            _table(title, found[part])
    if "contacts" in found:
        _table("Pushes noticed, and false ones in so many seconds", [found["contacts"]])


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    cells = [[f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows]
    print_table(list(rows[0]), cells, title)
