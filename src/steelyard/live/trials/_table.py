"""A team as a table: while it runs, and when it has ended."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from rich.console import Group
from rich.table import Table
from rich.text import Text

from steelyard.live.robot._status import EstimateReport, Status
from steelyard.live.trials._outcome import TeamOutcome
from steelyard.live.trials._team import View

_LINES = 6


def live_table(view: View, robots: tuple[str, ...]) -> Group:
    """Every robot's estimate, age, neighbours alive and drops, and the last events."""
    table = Table("robot", "state", "mass", "inertia", "age", "hears", "lost", "dropped", "late p99", "memory", "cpu")
    for name in robots:
        status, heard = view.statuses.get(name), view.heard.get(name, 0.0)
        if status is None:
            table.add_row(name, "starting", *[""] * 9)
            continue
        silent = time.monotonic() - heard
        state = f"silent {silent:.0f} s" if silent > 1.0 else status.phase
        age = "" if status.age is None else f"{status.age:.2f} s"
        hears = f"{len(status.alive)}/{len(status.alive) + len(status.missing)}"
        table.add_row(name, state, *_estimates(status.known), age, hears, *_costs(status))
    events = [f"{event.time:7.2f} s  {event.robot}: {event.what}" for event in view.events[-_LINES:]]
    return Group(table, Text("\n".join(events)))


def outcome_table(outcome: TeamOutcome) -> Group:
    """The same when all is over, with the truth where it is known."""
    table = Table("robot", "mass", "inertia", "lost", "dropped", "late p99", "memory", "cpu", title="At the end")
    for name, robot in outcome.robots.items():
        if robot is None:
            table.add_row(name, "no last status", *[""] * 6)
            continue
        status = msgspec.convert(robot, Status)
        table.add_row(name, *_estimates(status.known), *_costs(status))
    lines = []
    if "truth/mass" in outcome.truth:
        inertia = f", inertia {outcome.truth['truth/inertia']:.4g} kg m²" if "truth/inertia" in outcome.truth else ""
        lines.append(f"Truth: mass {outcome.truth['truth/mass']:.4g} kg{inertia}.")
    sent, received, lost, dropped = (
        sum(getattr(link, key) for link in outcome.links) for key in ("sent", "received", "lost", "dropped")
    )
    open_ = sum(abs(link.unaccounted) for link in outcome.links)
    lines.append(
        f"Messages: {sent} sent = {received} received + {lost} lost + {dropped} dropped; {open_} unaccounted for."
    )
    faulty = sorted({event["about"] for event in outcome.events if event["kind"] == "liar"})
    if faulty:
        lines.append(f"Faulty, not used: {', '.join(faulty)}.")
    return Group(table, Text("\n".join(lines)))


def _estimates(estimates: Mapping[str, EstimateReport]) -> tuple[str, str]:
    return _shown(estimates.get("mass")), _shown(estimates.get("inertia"))


def _shown(one: EstimateReport | None) -> str:
    if one is None:
        return ""
    if one.value is None:
        return one.status
    if isinstance(one.value, list):  # of a matrix, the diagonal is enough here
        diagonal = [one.value[k][k] if isinstance(one.value[k], list) else one.value[k] for k in range(len(one.value))]
        return " ".join(f"{value:.3f}" for value in diagonal)
    return f"{one.value:.4f} ± {1.96 * _number(one.std):.4f} {one.unit}"


def _number(value: Any) -> float:
    return 0.0 if value is None else float(value)


def _costs(status: Status) -> tuple[str, ...]:
    dropped = sum(status.dropped.values())
    return (
        str(status.lost),
        str(dropped),
        f"{status.late[1]:.1f} ms",
        f"{status.memory:.0f} MB",
        f"{100 * status.processor:.0f} %",
    )
