"""`steelyard trial faults`: every fault on simulated logs, and what becomes of the answers."""

import dataclasses
import functools
import re
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from steelyard.bench._tuning import COVER
from steelyard.bench.faults._catalogues import TRIED
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.campaigns import TrialCache, all_of
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import Identification, identify

Verdict = Literal["right", "doubted", "wrong", "crashed"]


@dataclasses.dataclass(frozen=True)
class FaultRun:
    """One identification of one faulty log."""

    fault: str
    strength: str
    seed: int
    verdict: Verdict
    worst: float
    """Largest error of a known number, in standard deviations; 0 where nothing is known."""
    what: str
    """The quantity with that error."""
    named: bool
    """Whether the first sentence against the answer names the fault."""
    sentence: str
    """That sentence; the verdict where there is none."""
    excused: bool
    """Whether no data can tell, and the answer says so."""
    seconds: float
    """Of processor time."""


@dataclasses.dataclass(frozen=True)
class FaultRow:
    """A row of the table: one fault at one strength."""

    fault: str
    strength: str
    runs: int
    right: float
    doubted: float
    wrong: float
    """Shares of the runs; excused ones are not counted as wrong."""
    crashed: float
    named: float | None
    """Share of the runs that are not right in which the fault is named first; None where all are right."""
    worst: float


Job = tuple[str, str, int]
"""Fault, strength and seed; a clean log is the fault and the strength "clean"."""


def rounds(problem: TriedProblem, runs: int, seed: int, clean: int, only: str | None = None) -> list[Job]:
    """Every run, log by log; `only` names the faults to try by a part of their names."""
    jobs: list[Job] = []
    for k in range(max(runs, clean)):
        jobs += [("clean", "clean", seed + k)] if k < clean else []
        if k < runs:
            jobs += [(fault.name, strength, seed + k) for fault in problem.faults for strength in fault.strengths]
    return [job for job in jobs if only is None or only in job[0]]


def run_faults(
    problem: TriedProblem, jobs: Sequence[Job], progress: Callable[[int], None] = lambda done: None
) -> list[FaultRun]:
    """All of the runs, a process a core; what an interrupted trial of the same code has done is kept."""
    work = functools.partial(fault_run, problem.name)
    found = [FaultRun(**one) for one in all_of(work, jobs, progress)]
    TrialCache(work).clear()
    return found


def fault_run(problem: str, job: Job) -> dict[str, Any]:
    """The fields of one `FaultRun`."""
    fault, strength, seed = job
    tried = TRIED[problem]
    one = None if fault == "clean" else next(one for one in tried.faults if one.name == fault)
    return dataclasses.asdict(run_one(tried, one, strength, seed, _clean_log(problem, seed)))


@functools.lru_cache(maxsize=2)
def _clean_log(problem: str, seed: int) -> Log:
    return TRIED[problem].clean(seed)


def run_one(problem: TriedProblem, fault: Fault | None, strength: str, seed: int, log: Log) -> FaultRun:
    """A log with a fault, or as it is, and what becomes of its answer."""
    name = "clean" if fault is None else fault.name
    edit = None if fault is None else fault.strengths[strength]
    begin, worst, what = time.process_time(), 0.0, ""
    known, excused = False, False
    try:
        if edit is not None:
            log = edit(log, np.random.default_rng([seed, zlib.crc32(f"{name} {strength}".encode())]))
        found = identify(log, problem.name) if problem.answer is None else problem.answer(log)
    except BadInput as error:
        verdict, sentence = "doubted", str(error)
    except Exception as error:  # a trial goes on, and the table shows it
        verdict, sentence = "crashed", f"{type(error).__name__}: {error}"
    else:
        worst, what, known = largest_error(found, problem.main)
        excused = fault is not None and fault.exempt is not None and bool(re.search(fault.exempt, found.verdict))
        verdict = "wrong" if worst > COVER.wrong_fault and not excused else "right" if known else "doubted"
        sentence = _first_sentence(found, problem.main)
    named = fault is not None and verdict == "doubted" and bool(re.search(fault.named, sentence, re.IGNORECASE))
    seconds = time.process_time() - begin
    return FaultRun(name, strength, seed, verdict, worst, what, named, sentence, excused, seconds)


def largest_error(found: Identification, main: Callable[[str], bool]) -> tuple[float, str, bool]:
    """Of the known numbers in standard deviations, whose it is, and whether anything asked for is known."""
    worst, what, known = 0.0, "", False
    for robot, quantities in found.robots.items():
        for name, estimate in quantities.items():
            truth = found.truth.get(f"{robot}/{name}", found.truth.get(name))
            if not main(name) or truth is None or estimate.value is None or estimate.std is None:
                continue
            known = True
            true = np.asarray(truth.value[-1])
            value, std = np.asarray(estimate.value), np.asarray(estimate.std)
            if true.shape != value.shape:  # an inertia: xx, yy, zz, xy, xz, yz
                true = true[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
            z = float(np.max(np.abs(value - true) / np.maximum(std, 1e-12)))
            if z > worst:
                worst, what = z, f"{robot}'s {name}"
    return worst, what, known


def _first_sentence(found: Identification, main: Callable[[str], bool]) -> str:
    """The first reason against an answer; without one the verdict."""
    for quantities in found.robots.values():
        for name, estimate in quantities.items():
            if main(name) and estimate.trust.reasons:
                return f"[{estimate.trust.reasons[0].code}] {estimate.trust.reasons[0].sentence}"
    return found.verdict


def table_of(runs: Sequence[FaultRun]) -> list[FaultRow]:
    """A row for the clean logs, and one for each fault and strength."""
    groups: dict[tuple[str, str], list[FaultRun]] = {}
    for run in runs:
        groups.setdefault((run.fault, run.strength), []).append(run)
    rows = []
    for (fault, strength), group in groups.items():
        share = {
            v: sum(run.verdict == v for run in group) / len(group) for v in ("right", "doubted", "wrong", "crashed")
        }
        other = [run.named for run in group if run.verdict != "right"]
        rows.append(
            FaultRow(
                fault,
                strength,
                len(group),
                share["right"],
                share["doubted"],
                share["wrong"],
                share["crashed"],
                sum(other) / len(other) if other else None,
                max(run.worst for run in group),
            )
        )
    return rows


def totals(runs: Sequence[FaultRun]) -> Mapping[str, Any]:
    """The shares that a problem is judged by."""
    clean = [run for run in runs if run.strength == "clean"]
    faulty = [run for run in runs if run.strength != "clean"]
    strong = [run for run in faulty if run.strength == "strong" and run.verdict != "right"]
    more_than_once = {row.fault for row in table_of(faulty) if row.wrong * row.runs > 1.5}
    return {
        "runs": len(runs),
        "confidently_wrong": _share([run.verdict == "wrong" for run in runs]),
        "crashed": _share([run.verdict == "crashed" for run in runs]),
        "faults_wrong_more_than_once": sorted(more_than_once),
        "clean_doubted": _share([run.verdict != "right" for run in clean]),
        "strong_named_first": _share([run.named for run in strong]),
    }


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
