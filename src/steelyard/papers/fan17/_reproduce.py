"""`steelyard reproduce fan17`: a rigid load in space; the paper's method, ours, and the bound, on the same readings."""

from collections.abc import Callable, Sequence

from steelyard.campaigns import all_of
from steelyard.papers._reproduction import Reproduction, ReproductionRow
from steelyard.papers.fan17._page import sections
from steelyard.papers.fan17._physical_loads import brief_trial
from steelyard.papers.fan17._physical_loads import conclude as possible
from steelyard.papers.fan17._physical_loads import rows_of as possible_rows
from steelyard.papers.fan17._results import Results
from steelyard.papers.fan17._scenario import PUBLISHED, SCENARIO
from steelyard.papers.fan17._score import QUANTITIES
from steelyard.papers.fan17._teams import cases_of, conclude, trials_of
from steelyard.papers.fan17._teams import rows_of as team_rows
from steelyard.papers.fan17._trials import Shown, shown_trial, trial

_ASKED = {
    8.0: ("rotation", "position"),
    20.0: ("inertia", "inertia/entry", "com", "mass", "rotation", "position"),
    37.0: ("mass",),
    47.0: ("inertia/entry", "com", "mass"),
    50.0: ("inertia", "inertia/entry", "com", "mass"),
}
"""By moment (s), the quantities that have a row."""
_JUDGED = ("mass", "com", "inertia", "pose")


def fan17_work(trials: int, brief_trials: int, team_trials: int, team_sizes: Sequence[int]) -> int:
    """How many times `advance` will be called with one."""
    return trials + brief_trials + team_trials * len(cases_of(team_sizes))


def reproduce_fan17(
    trials: int,
    brief_trials: int,
    team_trials: int,
    team_sizes: Sequence[int],
    seed: int,
    advance: Callable[[int], None] = lambda steps: None,
) -> Reproduction:
    """So many runs, whose noise, grips and wrenches follow from the seed; `advance` is called after each.

    Beyond the paper, ours in `brief_trials` short runs for `_possible`, and in each case of `_teams` on `team_trials`.
    """
    first, shown = shown_trial(seed)
    advance(1)
    results = Results([first, *all_of(trial, [seed + k for k in range(1, trials)], advance)])
    rows, findings = rows_of(results), _conclude(results, shown)
    if brief_trials:
        brief = all_of(brief_trial, [seed + k for k in range(brief_trials)], advance)
        rows += possible_rows(brief)
        findings.append(possible(brief))
    if team_trials:
        seeds = [seed + k for k in range(team_trials)]
        teams = {case: trials_of(case, seeds, advance) for case in cases_of(team_sizes)}
        rows += team_rows(teams)
        findings += conclude(teams)
    return Reproduction("fan17", trials, rows, findings, sections(results, shown, rows, findings))


def rows_of(results: Results) -> list[ReproductionRow]:
    """What a machine reads."""
    rows = []
    for at, quantities in _ASKED.items():
        for quantity in quantities:
            measured = (results.worst(which, quantity, at) for which in ("paper", "ours", "bounds"))
            published = PUBLISHED.get((quantity, at))
            rows.append(ReproductionRow(f"{quantity} at {at:g} s", QUANTITIES[quantity], published, *measured))
    rows.append(ReproductionRow("event after the change", "s", None, None, results.delay))
    for estimate in _JUDGED:
        held, squares = results.coverage(estimate, 20.0), results.nees(estimate, 20.0)
        rows.append(
            ReproductionRow(f"coverage/{estimate}", "%", None, None, None if held is None else 100.0 * held, 95.0)
        )
        rows.append(ReproductionRow(f"nees/{estimate}", "1", None, None, squares, 1.0))
    return rows


def _conclude(results: Results, shown: Shown) -> list[str]:
    sentences = [
        f"Scenario: five robots in a ring at {SCENARIO.rate:g} Hz, noise of 0.4 on every channel, {SCENARIO.force:g} N "
        f"and {SCENARIO.torque:g} N m rms an axis together; the paper leaves rate, load, grips and wrenches open. "
        "Every trial has its own grips, wrenches and noise.",
        _against(results),
        _ours(results),
    ]
    false = sum(one.false_events for one in results.trials)
    if results.delay is None:
        missed = sum(any(d == float("inf") for d in one.delays.values()) for one in results.trials)
        sentences.append(f"Ours missed the change in {missed} of {len(results.trials)} trials.")
    else:
        sentences.append(
            f"Ours reported the change at every robot within {results.delay:.2f} s, and {false} events that were none."
        )
    busiest = max(shown.paper_bytes.values()), max(shown.talking.bytes_a_second.values())
    sentences.append(
        f"The busiest robot sends {busiest[0] / 1e3:.0f} kB a second by the paper's method and "
        f"{busiest[1] / 1e3:.0f} kB a second by ours; a step of one robot took {1e6 * shown.paper_step:.0f} and "
        f"{1e6 * shown.talking.seconds_a_step:.0f} µs in this run, messages included."
    )
    return sentences


def _against(results: Results) -> str:
    """The paper's method against its published values."""
    parts = []
    for (quantity, at), published in PUBLISHED.items():
        found = results.worst("paper", quantity, at)
        if found is None:
            known = results.known("paper", quantity, at)
            parts.append(f"{quantity} at {at:g} s known to all in {100 * known:.0f} % of trials")
        else:
            parts.append(f"{quantity} at {at:g} s {found / published:.2f}")
    return f"The paper's method, RMS at the worst robot as a share of what it published in one run: {', '.join(parts)}."


def _ours(results: Results) -> str:
    """Ours against the bound."""
    parts = []
    for at, quantities in _ASKED.items():
        for quantity in quantities:
            found, least = (results.worst(which, quantity, at) for which in ("ours", "bounds"))
            if found is None or least is None:
                known = results.known("ours", quantity, at)
                parts.append(f"{quantity} at {at:g} s known to all in {100 * known:.0f} % of trials")
            else:
                parts.append(f"{quantity} at {at:g} s {found / least:.2f}")
    return (
        f"Ours, RMS at the worst robot as a share of the Cramér-Rao bound with the poses unknown: {', '.join(parts)}."
    )
