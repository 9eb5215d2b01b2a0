"""`steelyard reproduce icra15`: noisy velocities; the paper's method in closed loop, ours, and the bound."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from steelyard.campaigns import all_of
from steelyard.papers._reproduction import Reproduction, ReproductionRow
from steelyard.papers.planar._bound import Attainable, attainable
from steelyard.papers.planar._curves import Record
from steelyard.papers.planar._icra15_page import sections
from steelyard.papers.planar._load import Load
from steelyard.papers.planar._observer import observer_table
from steelyard.papers.planar._our_method import our_trial
from steelyard.papers.planar._results import Results
from steelyard.papers.planar._scenario import INERTIA, LINE, PUBLISHED, PUSH, VELOCITY_NOISE
from steelyard.papers.planar._teams import (
    DISTURBED,
    DROPPED,
    UNDISTURBED,
    Case,
    conclude,
    size_rows,
    sizes,
    trials_of,
)
from steelyard.papers.planar._trials import paper_trial, run_paper, scored
from steelyard.worlds import planar_truth


def icra15_work(trials: int, observer_trials: int, team_trials: int, team_sizes: Sequence[int]) -> int:
    """How many times `advance` will be called with one."""
    return 3 * trials + observer_trials + team_trials * len(_cases(team_sizes))


def reproduce_icra15(
    trials: int,
    observer_trials: int,
    team_trials: int,
    team_sizes: Sequence[int],
    seed: int,
    advance: Callable[[int], None] = lambda steps: None,
) -> Reproduction:
    """The paper's method and ours on `trials` runs each, whose noise and forces follow from the seed.

    Beyond the paper, ours in each case of `_teams` on `team_trials` runs.
    """
    results = _measure(trials, observer_trials, seed, advance)
    rows, findings = _rows(results), _conclude(results)
    if team_trials:
        seeds = [seed + k for k in range(team_trials)]
        found = {case: trials_of(case, seeds, advance) for case in _cases(team_sizes)}
        rows += [row for case in sizes(team_sizes) for row in size_rows(case, found[case])]
        findings += conclude(found)
    return Reproduction("icra15", trials, rows, findings, sections(results, findings))


def _cases(team_sizes: Sequence[int]) -> list[Case]:
    return [*sizes(team_sizes), UNDISTURBED, *DISTURBED, DROPPED]


def _measure(trials: int, observer_trials: int, seed: int, advance: Callable[[int], None]) -> Results:
    seeds = [seed + k for k in range(trials)]
    load, record = Load(INERTIA, VELOCITY_NOISE, seed), Record()
    run = run_paper(load, seed, record)
    advance(1)
    paper = [scored(load, run), *all_of(paper_trial, seeds[1:], advance)]
    ours, bounds = all_of(our_trial, seeds, advance), all_of(_bound, seeds, advance)
    scatter = observer_table([seed + k for k in range(observer_trials)], advance)
    return Results(paper, ours, bounds, scatter, load, run, record)


def _bound(seed: int) -> Attainable:
    return attainable(planar_truth(PUSH, seed), VELOCITY_NOISE)


def _rows(results: Results) -> list[ReproductionRow]:
    rows = []
    for quantity in ("inertia", "mass"):
        measured = (results.paper_rms(quantity), results.our_rms(quantity), results.bound_rms(quantity))
        rows.append(ReproductionRow(quantity, "%", PUBLISHED[quantity], *[_percent(one) for one in measured]))
    z_c = {which: results.z_c(which) for which in ("paper", "ours", "bound")}
    for k, axis in enumerate("xy"):
        found = [_number(z_c[which][k]) for which in z_c]
        rows.append(ReproductionRow(f"z_c/{axis}", "m", PUBLISHED[f"z_c/{axis}"], *found))
    for axis in "xy":
        part = f"com/{axis}"
        rows.append(
            ReproductionRow(part, "m", None, results.paper_rms(part), results.our_rms(part), results.bound_rms(part))
        )
    for quantity in ("inertia", "mass"):
        name, fits = f"{quantity}/stated_std", results.fits(quantity)
        stated = [100.0 * np.sqrt(np.mean(fit[:, 1] ** 2)) for fit in fits.values() if len(fit)]
        scatter = [100.0 * np.std(fit[:, 0]) for fit in fits.values() if len(fit)]
        rows.append(ReproductionRow(name, "%", PUBLISHED[name], float(max(stated, default=math.nan))))
        rows.append(ReproductionRow(f"{quantity}/scatter", "%", None, float(max(scatter, default=math.nan))))
    for quantity in ("mass", "inertia", "com"):
        rows.append(
            ReproductionRow(f"coverage/{quantity}", "%", None, None, _percent(results.coverage(quantity)), 95.0)
        )
    return rows


def _conclude(results: Results) -> list[str]:
    trials = len(results.paper)
    sentences = [f"The paper's method came to an end in {results.finished} of {trials} trials."]
    for quantity, word in (("inertia", "J"), ("mass", "m")):
        rms = results.paper_rms(quantity)
        fits = results.fits(quantity)
        errors, stated = (np.concatenate([fit[:, k] for fit in fits.values()]) for k in (0, 1))
        if rms is not None and len(errors):
            own, bias, stated_rms = np.sqrt(np.mean(errors**2)), np.mean(errors), np.sqrt(np.mean(stated**2))
            sentences.append(
                f"Its {word} is off by {100 * rms:.2f} % RMS (published: {PUBLISHED[quantity]:.2f} % in one run). A "
                f"robot's own fit is off by {100 * own:.2f} % RMS, of which {100 * bias:+.2f} % is bias, and states "
                f"{100 * stated_rms:.2f} %."
            )
    x, y = 1e3 * results.z_c("paper")
    sentences.append(f"Its z_c is off by {x:.0f} and {y:.0f} mm RMS (published scatter: 75 and 33 mm).")
    if results.ours:
        sentences.append(_ours(results))
    low, high = results.scatter[0], results.scatter[-1]
    sentences.append(
        f"Its observer alone, under random sinusoids: z_c is off by {1e3 * low.x:.0f} and {1e3 * low.y:.0f} mm RMS at "
        f"{low.level:g} rad/s of noise on ω, by {1e3 * high.x:.0f} and {1e3 * high.y:.0f} mm at {high.level:g} rad/s."
    )
    return sentences


def _ours(results: Results) -> str:
    rms = {q: results.our_rms(q) for q in ("mass", "inertia")}
    if any(one is None for one in rms.values()):
        return "Ours did not know everything at every robot in any trial."
    ratio = {q: one / results.bound_rms(q) for q, one in rms.items() if one is not None}
    z_c, least = results.z_c("ours"), results.z_c("bound")
    sent = max(trial.bytes_a_second for trial in results.ours)
    return (
        f"Ours after {PUSH.duration:g} s of sinusoids: m is off by {100 * (rms['mass'] or 0):.3f} % RMS at the worst "
        f"robot ({ratio['mass']:.2f} of the bound), J by {100 * (rms['inertia'] or 0):.3f} % ({ratio['inertia']:.2f}), "
        f"z_c by {1e3 * z_c[0]:.2f} and {1e3 * z_c[1]:.2f} mm ({z_c[0] / least[0]:.2f} and {z_c[1] / least[1]:.2f}). "
        f"The busiest robot sends {sent / 1e3:.1f} kB a second to its neighbours on the line of {len(LINE.names)}. "
        f"In {PUSH.duration * len(results.ours) / 60:.1f} minutes without a change, robots reported "
        f"{sum(trial.false_alarms for trial in results.ours)}."
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
