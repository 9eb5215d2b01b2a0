"""`steelyard trial disguises`: each disguise of a simulated flight and hold, through mapping and estimator."""

import dataclasses
import functools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from steelyard.bench._tuning import COVER
from steelyard.bench.disguises._disguise import (
    CLOCK_AHEAD,
    CLOCK_FAST,
    DISGUISES,
    FLIGHT,
    HOLD,
    LATE,
    disguises_of,
    flight,
    hold,
    signal,
)
from steelyard.campaigns import all_of
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.geometry import MOMENT_PLACES
from steelyard.logs.mapping import Look, MappingTuning, Track, angles_of, delay_bound, look_at, prepare
from steelyard.problems import Identification, answer
from steelyard.worlds import MultirotorScenario

KINDS: dict[str, tuple[Callable[[int, float], dict[str, np.ndarray]], Mapping[str, tuple[str, ...]], str, str]] = {
    "flight": (flight, FLIGHT, "multirotor", "r1/attitude"),
    "hold": (hold, HOLD, "rigid-body", "r1/specific_force"),
}
"""By name: what simulates it, names that others give its signals, its problem, and the signal that may be late."""
UNITS = {"flight": {"thrust": "N"}, "hold": {"fx": "N", "tx": "N m"}}
"""What their owner answers where the mapping asks for units that neither the file nor any motion shows."""
Verdict = Literal["right", "doubted", "asked", "wrong"]


@dataclasses.dataclass(frozen=True)
class DisguiseRun:
    """One disguised log."""

    kind: str
    disguise: str
    seed: int
    verdict: Verdict
    """`asked`: refused with a sentence; `doubted`: no number is said to be known."""
    worst: float
    """Largest error of a known mass, centre of mass or inertia, in standard deviations; 0 where none is known."""
    what: str
    sentence: str
    """What the mapping found that it finds in no undisguised log, or what was asked."""
    delay_error: float | None
    """s, of the delay of a signal that was made late; None for other disguises."""
    delay_std: float | None
    delay_bound: float | None = None
    """s, the least deviation that an attitude's delay could have by this flight's motion and noise."""


@dataclasses.dataclass(frozen=True)
class DisguiseRow:
    """A row of the table: one disguise of flights or holds."""

    kind: str
    disguise: str
    runs: int
    right: int
    doubted: int
    asked: int
    wrong: int
    worst: float
    how: str
    """The finding of the first run."""
    delay_rms: float | None
    """s, of the errors of the delay."""
    delay_z: float | None
    """Root mean square of error over stated deviation: 1 where that is consistent."""
    delay_bound: float | None
    """s, root mean square of the runs' bounds."""


def run_disguises(
    seeds: int,
    only: str | None = None,
    kinds: Sequence[str] = tuple(KINDS),
    progress=lambda done: None,
    rate: float = 100.0,
) -> list[DisguiseRun]:
    """Every disguise of a flight and a hold for each seed; `only` names disguises by a part of their names.

    Over the cores of this machine, a flight or a hold in all of its disguises at a time.
    """
    runs = []
    for kind in kinds:
        disguises = len(disguises_of(kind))
        work = functools.partial(_disguised, kind, only, rate)
        for found in all_of(work, list(range(seeds)), lambda done, n=disguises: progress(n * done)):
            runs += found
    return runs


def _disguised(kind: str, only: str | None, rate: float, seed: int) -> list[DisguiseRun]:
    """One flight or hold in every disguise."""
    columns = KINDS[kind][0](seed, rate)
    plain: frozenset[str] = frozenset()
    runs = []
    for disguise in disguises_of(kind):
        if only is None or only in disguise or disguise == "as it is":
            run, found = _run(kind, disguise, seed, columns, plain)
            plain = found if disguise == "as it is" else plain
            runs.append(run)
    return runs


def _run(kind: str, disguise: str, seed: int, columns, plain: frozenset[str]) -> tuple[DisguiseRun, frozenset[str]]:
    _, names, problem, late = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        files = [table.write(Path(folder)) for table in DISGUISES[disguise](columns, names)]
        looked = look_at(files)
        if any(one.open_unit for one in looked.mapping.signals.values()):
            looked = look_at(files, _answered(Path(folder), UNITS[kind]))
        seen = [f"{one.subject}: {one.sentence}" for one in looked.mapping.findings if one.verdict == "found"]
        seen += [f"{one.stream}: {one.why}" for one in looked.mapping.times.values()]
        found = frozenset(_without_numbers(text) for text in seen)
        how = next((text for text in seen if _without_numbers(text) not in plain), "")
        error, std = _delay(looked, disguise, late, 0.5 * float(columns["time"][-1]))
        bound = None if error is None else _bound(kind, columns)
        try:
            identified = answer(prepare(looked, problem, Config()), Config())
        except BadInput as refusal:
            how = str(refusal).replace(f"{folder}/", "")
            return DisguiseRun(kind, disguise, seed, "asked", 0.0, "", how, error, std, bound), found
    # A sensor's axes are what they are called: the answer is in them, so that truth is turned along.
    flip = kind == "hold" and disguise == "NED/FRD"
    worst, what, known = _largest_error(identified, columns, flip)
    verdict = "wrong" if worst > COVER.wrong_disguise else "right" if known else "doubted"
    return DisguiseRun(kind, disguise, seed, verdict, worst, what, how, error, std, bound), found


def _answered(folder: Path, units: Mapping[str, str]) -> Path:
    lines = [f'"run".units.{field} = "{unit}"' for field, unit in units.items()]
    (folder / "map.toml").write_text("\n".join(lines) + "\n")
    return folder / "map.toml"


def _without_numbers(text: str) -> str:
    return "".join(c for c in text if not c.isdigit())


def _delay(looked: Look, disguise: str, signal: str, middle: float) -> tuple[float | None, float | None]:
    """Error of the found delay, s, in the middle of the log, and its stated deviation."""
    one = looked.mapping.signals.get(signal)
    if disguise not in LATE or one is None:
        return None, None
    offset = looked.mapping.times[one.streams[0]].offset
    true = LATE[disguise] + (CLOCK_AHEAD + CLOCK_FAST * middle if offset else 0.0)
    return offset + one.delay + one.drift * middle - true, one.delay_std


def _bound(kind: str, columns) -> float | None:
    """Of a flight: the attitude's samples against the rates, a line in every window unknown."""
    if kind != "flight":
        return None
    rates, attitude = (Track(columns["time"], signal(columns, name)) for name in ("rates", "attitude"))
    noise = MultirotorScenario().attitude_noise
    return delay_bound(rates, angles_of(attitude), noise, MappingTuning().turning_window)


def _largest_error(found: Identification, columns, flip: bool) -> tuple[float, str, bool]:
    """Of known numbers in standard deviations, whose it is, and whether any is known."""
    worst, what, known = 0.0, "", False
    for name, estimate in found.robots["r1"].items():
        if name not in ("mass", "com", "inertia") or estimate.value is None or estimate.std is None:
            continue
        axes = {"mass": ("",), "com": ("/x", "/y", "/z"), "inertia": ("/xx", "/yy", "/zz", "/xy", "/xz", "/yz")}[name]
        stem = f"truth/{name}" if f"truth/{name}{axes[0]}" in columns else f"truth/r1/{name}"
        true = np.array([columns[stem + axis][-1] for axis in axes])
        if name == "inertia":
            true = true[np.array(MOMENT_PLACES)]
        if flip and name != "mass":
            turn = np.diag([1.0, -1.0, -1.0])
            true = turn @ true if name == "com" else turn @ true @ turn
        known = True
        errors = np.abs(np.asarray(estimate.value) - true.reshape(np.shape(estimate.value)))
        z = float(np.max(errors / np.maximum(estimate.std, 1e-12)))
        worst, what = max((worst, what), (z, name))
    return worst, what, known


def table_of(runs: Sequence[DisguiseRun]) -> list[DisguiseRow]:
    """A row for each kind and disguise."""
    groups: dict[tuple[str, str], list[DisguiseRun]] = {}
    for run in runs:
        groups.setdefault((run.kind, run.disguise), []).append(run)
    rows = []
    for (kind, disguise), group in groups.items():
        counts = {v: sum(run.verdict == v for run in group) for v in ("right", "doubted", "asked", "wrong")}
        errors = np.array([run.delay_error for run in group if run.delay_error is not None], float)
        ratios = np.array([r.delay_error / r.delay_std for r in group if r.delay_error is not None and r.delay_std])
        bounds = np.array([run.delay_bound for run in group if run.delay_bound is not None], float)
        rms, z, bound = (float(np.sqrt(np.mean(one**2))) if len(one) else None for one in (errors, ratios, bounds))
        worst, how = max(run.worst for run in group), next((run.sentence for run in group if run.sentence), "")
        rows.append(
            DisguiseRow(
                kind, disguise, len(group), **counts, worst=worst, how=how, delay_rms=rms, delay_z=z, delay_bound=bound
            )
        )
    return rows
