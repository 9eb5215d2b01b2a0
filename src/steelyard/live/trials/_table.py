"""A team as a table: while it runs, and when it has ended."""

import time
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from steelyard.live.robot._status import EstimateReport, RobotStatus
from steelyard.live.trials._outcome import TeamOutcome
from steelyard.live.trials._team import WatchedTeam
from steelyard.live.trials._tuning import TUNING

_QUANTITIES = ("mass", "centre of mass", "inertia")
_COSTS = ("lost", "dropped", "late p99", "memory", "core")
_ESTIMATED = ("state", *_QUANTITIES, "age")
HEADINGS = ("robot", *_ESTIMATED, "hears", *_COSTS)
_CAPTION = (
    "±: 95 %. Centre of mass from the robot's contact, and inertia about it, in the robot's axes (planar: world axes). "
    "hears: neighbours alive; lost, dropped: messages; late p99: of steps after their samples."
)


def elapsed_of(view: WatchedTeam) -> float:
    """S of the run; before the start robots state negative times."""
    return max([0.0, *(status.time for status in view.statuses.values())])


def live_rows(view: WatchedTeam, robots: tuple[str, ...]) -> list[list[str]]:
    """By robot, under `HEADINGS`: its estimates, their age, neighbours alive and drops."""
    rows = []
    for name in robots:
        status, heard = view.statuses.get(name), view.heard.get(name, 0.0)
        if status is None:
            rows.append([name, "starting", *[""] * (len(HEADINGS) - 2)])
            continue
        silent = time.monotonic() - heard
        state = f"silent {silent:.0f} s" if silent > 1.0 else status.phase
        age = "" if status.age is None else f"{status.age:.2f} s"
        hears = f"{len(status.alive)}/{len(status.alive) + len(status.missing)}"
        rows.append([name, state, *_estimates(status), age, hears, *_costs(status)])
    return rows


def live_table(view: WatchedTeam, robots: tuple[str, ...]) -> Group:
    """Elapsed time, every robot's estimates, what they cost, and the last events."""
    estimates, costs = _table("robot", *_ESTIMATED), _table("robot", *HEADINGS[len(_ESTIMATED) + 1 :])
    for name, *cells in live_rows(view, robots):
        estimates.add_row(name, *cells[: len(_ESTIMATED)])
        costs.add_row(name, *cells[len(_ESTIMATED) :])
    events = [f"{event.time:7.2f} s  {event.robot}: {event.what}" for event in view.events[-TUNING.table_events :]]
    title = Text(f"{elapsed_of(view):.1f} s of the run\n", "bold")
    return Group(title, estimates, Text(), costs, Text(f"\n{_CAPTION}\n", "dim"), Text("\n".join(events)))


def outcome_table(outcome: TeamOutcome) -> Group:
    """The same when all is over, with the truth where it is known; estimates and costs apart, for 80 columns."""
    table, costs = _table("robot", *_QUANTITIES), _table("robot", *_COSTS)
    for name, robot in outcome.robots.items():
        if robot is None:
            table.add_row(name, "no last status", "", "")
            continue
        status = msgspec.convert(robot, RobotStatus)
        table.add_row(name, *_estimates(status))
        costs.add_row(name, *_costs(status))
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
    caption = Text(f"\n{_CAPTION}\n", "dim")
    return Group(Text("At the end\n", "bold"), table, Text(), costs, caption, Text("\n".join(lines)))


def _table(*headings: str) -> Table:
    """Without frames, so that a team fits 80 columns; where it does not, cells are folded between words."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _estimates(status: RobotStatus) -> tuple[str, str, str]:
    """What it knows now; otherwise why not, and what it knew last."""
    return _cell(status, "mass"), _cell(status, "com", 1e3, "mm", 1), _cell(status, "inertia")


def _cell(status: RobotStatus, name: str, scale: float = 1.0, unit: str = "", decimals: int = 3) -> str:
    now, last = status.estimates.get(name), status.known.get(name)
    if last is None or now is None or now.value is not None:
        return _shown(now or last, scale, unit, decimals)
    return f"{_shown(now)}; at {last.time:.1f} s: {_shown(last, scale, unit, decimals)}"


def _shown(one: EstimateReport | None, scale: float = 1.0, unit: str = "", decimals: int = 3) -> str:
    """One number with its interval and unit; a vector or the diagonal of a matrix axis by axis, with one unit."""
    if one is None:
        return ""
    if one.value is None:
        return one.status.replace("-", " ")
    if isinstance(one.value, list):
        matrix = isinstance(one.value[0], list)
        entries = [one.value[k][k] if matrix else one.value[k] for k in range(len(one.value))]
        labels = ("xx", "yy", "zz") if matrix else ("x", "y", "z")
        lines = (f"{label} {scale * value:.{decimals}f}" for label, value in zip(labels, entries, strict=False))
        return f"{', '.join(lines)} {unit or one.unit}"
    return f"{one.value:.4f} ± {1.96 * _number(one.std):.4f} {one.unit}"


def _number(value: Any) -> float:
    return 0.0 if value is None else float(value)


def _costs(status: RobotStatus) -> tuple[str, ...]:
    dropped = sum(count for reason, count in status.dropped.items() if reason != "replayed")  # copies are no loss
    return (
        str(status.lost),
        str(dropped),
        f"{status.late[1]:.1f} ms",
        f"{status.memory:.0f} MB",
        f"{100 * status.processor:.0f} %",
    )
