"""`steelyard trial faults`: every fault on simulated logs, and what becomes of the answers."""

import dataclasses
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from steelyard.bench.faults._edits import Edit
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import Identification, identify

LIMIT = 4.0
"""Standard deviations beyond which a known number is wrong."""
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
class _StoredRun:
    problem: str
    run: FaultRun


@dataclasses.dataclass(frozen=True)
class FaultStore:
    """Runs in a file, one JSON object a line, so that a long trial can be made in pieces."""

    path: Path

    def runs(self, problem: str) -> dict[tuple[str, str, int], FaultRun]:
        """Those of a problem, by fault, strength and seed; the last of each."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        try:
            rows = [msgspec.json.decode(line, type=_StoredRun) for line in lines if line.strip()]
        except msgspec.MsgspecError as error:
            raise BadInput(f"{self.path} does not hold the runs of a trial ({error}); give another file.") from None
        found = [row.run for row in rows if row.problem == problem]
        return {(run.fault, run.strength, run.seed): run for run in found}

    def add(self, problem: str, run: FaultRun) -> None:
        """One more, written at once."""
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(_StoredRun(problem, run)) + b"\n")


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


def rounds(problem: TriedProblem, runs: int, seed: int, clean: int) -> Iterator[tuple[Fault | None, str, int]]:
    """Fault, strength and seed of every run, log by log; a run that is cut short has tried every fault."""
    for k in range(max(runs, clean)):
        if k < clean:
            yield None, "clean", seed + k
        for fault in problem.faults if k < runs else ():
            for strength in fault.strengths:
                yield fault, strength, seed + k


def run_faults(
    problem: TriedProblem,
    runs: int,
    seed: int,
    clean: int,
    only: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
    keep: FaultStore | None = None,
    seconds: float = float("inf"),
) -> list[FaultRun]:
    """All runs; `only` names the faults to try by a part of their names.

    Runs that `keep` has are not made again, and new ones go there; none is begun after so many `seconds`.
    """
    found, stored, begin = [], {} if keep is None else keep.runs(problem.name), time.monotonic()
    log, of = None, None
    for fault, strength, number in rounds(problem, runs, seed, clean):
        name = "clean" if fault is None else fault.name
        if only is None or only in name:
            run = stored.get((name, strength, number))
            if run is None and time.monotonic() - begin < seconds:
                if log is None or of != number:
                    log, of = problem.clean(number), number
                edit = None if fault is None else fault.strengths[strength]
                run = _run(problem, fault, strength, number, log, edit)
                if keep is not None:
                    keep.add(problem.name, run)
            found += [] if run is None else [run]
        progress(1)
    return found


def _run(problem: TriedProblem, fault: Fault | None, strength: str, seed: int, log: Log, edit: Edit | None) -> FaultRun:
    name = "clean" if fault is None else fault.name
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
        verdict = "wrong" if worst > LIMIT and not excused else "right" if known else "doubted"
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
    """The figures that a problem is judged by."""
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
