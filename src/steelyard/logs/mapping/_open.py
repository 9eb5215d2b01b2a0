"""From files to the rows that a problem reads: one path for the command line and for Python."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs._log import Log
from steelyard.logs._recording import Recording, read_recording
from steelyard.logs.formats import read
from steelyard.logs.mapping._airborne import never_flies
from steelyard.logs.mapping._examine import examine
from steelyard.logs.mapping._look import Look, look
from steelyard.logs.mapping._open_units import open_units
from steelyard.logs.mapping._own import assess_own, foreign_recording
from steelyard.logs.mapping._requirements import REQUIREMENTS, Assessment
from steelyard.logs.mapping._rows import rows_for, table_of
from steelyard.logs.mapping._source import Finding, SignalMapping, SignalSource
from steelyard.logs.mapping._toml import read_mapping, with_stated_units
from steelyard.logs.mapping._tuning import TUNING
from steelyard.logs.mapping._units import time_sources

_ON_A_GRID = ("planar-load", "spatial-load")
"""Problems whose teams step through time at an even rate, gaps included."""


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A log as a problem reads it."""

    problem: str
    log: Log
    notes: tuple[str, ...] = ()
    """What was done to get the rows, and what physics could not decide."""
    mapping: Mapping[str, SignalSource] = dataclasses.field(default_factory=dict)
    """Which field is which signal; empty for a log in our own columns."""
    open_units: tuple[Finding, ...] = ()
    """What makes an answer doubtful whatever the estimator says: units that nobody has stated, by signal."""


def look_at(files: Sequence[str | Path], stated: str | Path | None = None, recording: Recording | None = None) -> Look:
    """Examines files as one recording; with the TOML file of a mapping, takes that one.

    A mapping that states times and units of columns alone leaves the signals to be found.
    """
    recording = recording or read_recording(*files)
    if stated is None:
        return look(recording)
    recording = with_stated_units(stated, recording)
    mapping = read_mapping(stated, recording, SignalMapping({}, time_sources(recording)))
    if not mapping.signals:
        return look(recording, examine(recording, mapping.times))
    return look(recording, dataclasses.replace(mapping, findings=tuple(never_flies(recording, mapping))))


def open_log(files: Sequence[str | Path], stated: str | Path | None = None) -> Log | Look:
    """A log in our own columns, or somebody's recording with its mapping."""
    if stated is not None or len(files) != 1:
        return look_at(files, stated)
    if not Path(files[0]).exists():
        raise BadInput(f"{files[0]} does not exist; check the name and the folder.")
    recording = foreign_recording(files[0])
    return read(files[0]) if recording is None else look_at(files, recording=recording)


def log_of(opened: Log | Look) -> Log:
    """Every sample of all mapped signals at its own time, as a log that remembers its recording."""
    if isinstance(opened, Log):
        return opened
    return table_of(opened.recording, opened.mapping, recorded=opened)


def prepare(opened: Log | Look, problem: str | None, config: Config) -> Prepared:
    """The rows that a problem reads, and the problem where it is the only one; `BadInput` where something is missing.

    A log in our own columns is taken as it is. One that `log_of` made goes back to its recording, between the times
    that the log has.
    """
    found = _prepared(opened, problem, config)
    _check_clock(found)
    return found


def _check_clock(found: Prepared) -> None:
    """Refuses times that no robot has: a grid over them would take all memory."""
    time = found.log.time
    if len(time) < 3:
        return
    steps = np.diff(time)
    step, gap = float(np.median(steps)), float(steps.max())
    mean = float((time[-1] - time[0]) / (len(time) - 1))  # two sensors of one rate are as close as their clocks
    if mean < TUNING.shortest_step:
        raise BadInput(
            f"{found.log.origin}: rows are {mean:.3g} s apart, faster than any robot samples; times are in "
            "seconds: convert them."
        )
    rows = float(time[-1] - time[0]) / step if step > 0.0 else 0.0
    if (found.problem in _ON_A_GRID and rows > TUNING.most_grid_rows) or rows > TUNING.mostly_gap * len(time):
        raise BadInput(
            f"{found.log.origin}: rows are {step:.3g} s apart, but one gap lasts {gap:.3g} s; cut the log there with "
            "--start and --end."
        )


def _prepared(opened: Log | Look, problem: str | None, config: Config) -> Prepared:
    if isinstance(opened, Log):
        if opened.recorded is not None:
            found = _prepared(opened.recorded, problem, config)
            return dataclasses.replace(found, log=found.log.between(opened.time[0], opened.time[-1]))
        return Prepared(problem or only_problem(assess_own(opened), opened.origin), opened)
    origin, mapping = ", ".join(opened.recording.files), opened.mapping
    blocking = [question for question in mapping.questions if question not in mapping.unit_questions]
    if blocking and not any(one.possible for one in opened.problems):
        rest = f" As it is, {_lacking(opened.problems)}." if any(one.reads for one in opened.problems) else ""
        raise BadInput(f"{origin}: {blocking[0]}{rest}")
    problem = problem or only_problem(opened.problems, origin)
    if problem not in REQUIREMENTS:  # a robot of the user's own, or a name that nobody knows
        unstated = open_units(mapping.signals)
        return Prepared(problem, table_of(opened.recording, mapping), mapping=mapping.signals, open_units=unstated)
    assessment = opened[problem]
    if assessment.complete and not REQUIREMENTS[problem].answered:
        raise BadInput(f"{origin}: {_unanswered(assessment)}.")
    if not assessment.possible:
        raise BadInput(f"{origin} cannot answer {problem}: missing {'; '.join(assessment.missing)}.")
    for need in assessment.configuration:
        if "throttle_map" in need and config.multirotor.throttle_map is None:
            raise BadInput(f"{origin}: {need}.")
    log, notes = rows_for(opened.recording, mapping, assessment)
    used = {*assessment.mapping, *(stream for one in assessment.mapping.values() for stream in one.streams)}
    remarks = [
        f"{f.subject}: {f.sentence}"
        for f in mapping.remarks(("found", "undecided"))
        if f.subject in used or f.verdict == "undecided"
    ]
    less = [f"A smaller answer only, without {one}." for one in assessment.without]
    unstated = open_units(_driving(assessment.mapping, config))
    return Prepared(problem, log, (*less, *notes, *remarks, *mapping.questions), assessment.mapping, unstated)


def _driving(signals: Mapping[str, SignalSource], config: Config) -> dict[str, SignalSource]:
    """Of thrust, commands and rotor speeds the one that a multirotor's answer is computed of; all other signals."""
    driving = dict(signals)
    for robot in {one.robot for one in signals.values()}:
        thrust, motor, rpm = (f"{robot}/{name}" for name in ("thrust", "motor", "rpm"))
        own, command = config.multirotor, motor in driving or f"{robot}/throttle" in driving
        if own.throttle_map is not None and command:
            unused = {thrust, rpm}
        elif rpm in driving and (own.thrust_coefficient is not None or thrust not in driving):
            unused = {thrust, motor} if thrust in driving or own.thrust_coefficient is not None else set()
        else:
            unused = {rpm, motor} if thrust in driving else set()
        driving = {name: one for name, one in driving.items() if name not in unused}
    return driving


def only_problem(assessments: Sequence[Assessment], origin: str) -> str:
    """The one problem that can be answered; `BadInput` with what is missing where there are several or none."""
    possible = [one for one in assessments if one.possible]
    answered = [one.problem for one in possible if REQUIREMENTS[one.problem].answered]
    if len(answered) == 1:
        return answered[0]
    if answered:
        held = {one.problem: list(dict.fromkeys(one.mapping[s].streams[0] for s in one.reads)) for one in possible}
        shown = " and ".join(f"{name} (from {', '.join(held[name])})" for name in answered)
        raise BadInput(f"{origin} can answer {shown}; choose one with --as.")
    if possible:
        raise BadInput(f"{origin}: {_unanswered(possible[0])}.")
    first = min(assessments, key=_nearness)
    if first.complete and not REQUIREMENTS[first.problem].answered:  # stating the times that are missing would not help
        raise BadInput(f"{origin}: {_unanswered(first)}.")
    raise BadInput(f"{origin} can answer no problem: {_lacking(assessments)}.")


def _nearness(one: Assessment) -> tuple:
    return not one.complete, not one.reads, len(one.missing)


def _lacking(assessments: Sequence[Assessment]) -> str:
    """What the nearest problem lacks, and up to two others that the files hold a part of."""
    first, *others = sorted(assessments, key=_nearness)
    if not any(one.reads for one in assessments) and any(": no field of" in text for text in first.missing):
        return "no column's name says which signal it is: state them in a file for --map, as docs/MAPPING.md shows"
    lacks = f"{first.problem} lacks {' and '.join(first.missing[:3])}"
    near = [one for one in others if one.reads and REQUIREMENTS[one.problem].answered and one.missing != first.missing]
    near = [one for one in near if len(one.missing) <= len(first.missing)]  # a drone's gyroscope makes it no wrist
    for one in near[:2]:
        lacks += f"; {one.problem} lacks {' and '.join(text.partition(': no field')[0] for text in one.missing[:3])}"
    return lacks


def _unanswered(one: Assessment) -> str:
    """What the files hold for a problem that no method answers yet, in the words of the files."""
    streams: dict[str, dict[str, None]] = {}
    for signal in one.reads:
        streams.setdefault(one.mapping[signal].streams[0], {})[signal.rpartition("/")[2]] = None
    held = "; ".join(f"{stream}: {', '.join(kinds)}" for stream, kinds in streams.items())
    return (
        f'the files hold what the problem "{one.problem}" reads ({held}), but this version has no method for it, so '
        "nothing can be identified from them"
    )
