"""What a recursive belief tells of the load: estimates, what speaks against them, events; and a whole log's answer."""

import dataclasses
import functools
import time as clock
from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax
import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import Estimate, Knowledge, Reason, Trust
from steelyard.logs import Log
from steelyard.native import PackedStep
from steelyard.problems._identification import Event, Identification, Innovations, Series
from steelyard.problems._parametrised import Parametrised, as_arrays
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems.rigid_body._quantities import UNITS, Load, load_from
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._recursive import RecursiveBelief, RecursiveLoad
from steelyard.problems.rigid_body._series import rough_load, series_from
from steelyard.problems.rigid_body._tuning import NUMERICS, RECURSIVE, SENSOR_ERRORS, TUNING, RecursiveTuning
from steelyard.problems.rigid_body._verdict import (
    change_event,
    load_reasons,
    load_verdict,
    misfit_reason,
    no_solution,
    why_no_inertia,
    why_no_mass,
)
from steelyard.problems.rigid_body._windows import WristSample

SIGNALS = {"twist/angular": 3, "specific_force": 3, "wrench/torque": 3, "wrench/force": 3}
"""What the method reads, with the number of axes; in the order of a sample."""


@dataclasses.dataclass(frozen=True, eq=False)
class WindowAnswer:
    """What is known at the end of a window."""

    belief: RecursiveBelief
    """As NumPy arrays."""
    tool: np.ndarray
    """(10,): parameters of a known tool, which is no part of the load."""
    stated: bool
    """Whether all noise was stated."""

    @property
    def covariance(self) -> np.ndarray:
        """(10, 10), of the parameters; wider where the misfit is larger than the noise explains."""
        misfit, least = float(self.belief.misfit), 1.0 if self.stated else TUNING.least_excess
        return self.belief.covariance[:10, :10] * (max(least, misfit) if np.isfinite(misfit) else 1.0)

    @property
    def parameters(self) -> np.ndarray:
        """(10,), of the load."""
        return self.belief.state[:10] - self.tool

    @property
    def enough(self) -> bool:
        """Whether there are windows enough to tell a load at all, and numbers that allow one."""
        return float(self.belief.accepted.windows) >= RECURSIVE.fewest_windows and isinstance(self._solution, Load)

    @property
    def load(self) -> Load:
        """The nearest that can exist; what noise alone seems to tell is not known. `LinAlgError` where none can."""
        if isinstance(self._solution, Load):
            return self._solution
        raise self._solution

    @functools.cached_property
    def _solution(self) -> Load | np.linalg.LinAlgError:
        try:
            return self._without_noise(load_from(self.parameters, self.covariance))
        except np.linalg.LinAlgError as error:
            return error

    @functools.cached_property
    def rough(self) -> Load:
        """Without the search for the nearest possible one."""
        return self._without_noise(rough_load(self.parameters, self.covariance))

    @functools.cached_property
    def trust(self) -> Trust:
        """What speaks against the load."""
        if not isinstance(self._solution, Load):
            return Trust((no_solution(self._solution),))
        if not self.enough:
            return Trust()
        mass_std = float(np.sqrt(self.covariance[0, 0]))
        density, far, sign = load_reasons(self.load, float(self.parameters[0]), mass_std)
        misfit = misfit_reason("wrench", float(self.belief.misfit), self.stated)
        return Trust((*density, *misfit, *far, *sign, *self._contact_reasons()))

    def estimates(self, robot: str, time: float, begin: float) -> dict[str, Estimate]:
        """What is known well enough; nothing is judged yet."""
        unknown: Knowledge = "not-yet-known" if time - begin <= TUNING.long_enough else "not-identifiable"
        found = {}
        for quantity, unit in UNITS.items():
            frame, estimate = None if quantity == "mass" else robot, None
            if self.enough and self.load.known[quantity]:
                estimate = Estimate.known(*self.load.of(quantity), unit, frame, time)
            found[quantity] = estimate or Estimate.unknown(unknown, unit, frame, time)
        return found

    def event(self, before: "WindowAnswer | None", robot: str, time: float) -> Event | None:
        """The contact or the change that this window enough, if any; `before` is what was known when it began."""
        onset = self.onset(time)
        if not self.has_event:
            return None
        if int(self.belief.event) == 1:
            what = f"Something touched the load until about {time - 2.0 * RECURSIVE.hop:.2f} s."
            return Event(onset, "contact", robot, "wrench", what, None, time)
        old = self.load if before is None or not before.enough else before.load
        return change_event(old, self.load, robot, onset, time)

    @property
    def has_event(self) -> bool:
        """Whether this window ended a contact, or shows a change of a load that the numbers allow."""
        code = int(self.belief.event)
        return code == 1 or (code == 2 and self.enough)

    def _contact_reasons(self) -> list[Reason]:
        if float(self.belief.refused) < 2.0:
            return []
        seconds = float(self.belief.since_refused) * RECURSIVE.hop
        what = f"For {seconds:.2g} s the load does not explain the wrench: something touches it, or it has changed."
        return [Reason("contact", what)]

    def onset(self, time: float) -> float:
        """s: when that began."""
        return time - float(self.belief.event_windows) * RECURSIVE.hop

    def _without_noise(self, load: Load) -> Load:
        infinite = float("inf")
        if not self._more_than_noise(slice(0, 4)):
            load = dataclasses.replace(load, mass_std=infinite, com_std=np.full(3, infinite))
        if not self._more_than_noise(slice(4, 10)):
            load = dataclasses.replace(load, inertia_std=np.full((3, 3), infinite))
        return load

    def _more_than_noise(self, of: slice) -> bool:
        """Whether the information of these parameters, all others unknown, is not mostly noise of the motion."""
        accepted = self.belief.accepted
        own = np.arange(16)[of]
        others = np.setdiff1d(np.arange(16), own)
        H = accepted.information + 1e-9 * np.eye(16)
        left = H[np.ix_(own, own)] - H[np.ix_(own, others)] @ np.linalg.solve(
            H[np.ix_(others, others)], H[np.ix_(others, own)]
        )
        share = np.linalg.eigvals(np.linalg.solve(left, accepted.attenuation[of, of]))
        return bool(np.max(share.real) < 1.0 - TUNING.least_excitation)


def estimator_of(noise: Mapping[str, float], tared: bool, tuning: RecursiveTuning = RECURSIVE) -> RecursiveLoad:
    """With standard deviations by signal."""
    offsets = (RECURSIVE.tared_prior,) * 2 if tared else (SENSOR_ERRORS.torque_offset, SENSOR_ERRORS.force_offset)
    std = np.concatenate([[RECURSIVE.mass_prior], *(np.full(n, s) for n, s in RECURSIVE.moment_priors)])
    return RecursiveLoad(
        np.asarray(noise["twist/angular"], float),
        np.asarray(noise["specific_force"], float),
        np.repeat([noise["wrench/torque"], noise["wrench/force"]], 3).astype(float),
        np.concatenate([std, np.repeat(offsets, 3)]) ** -2.0,
        tuning,
    )


def check_recursive(config: Config) -> None:
    """`BadInput` where the method does not know such sensors."""
    if not config.wrist.calibrated:
        raise BadInput(
            'The method "recursive" takes gyro and accelerometer as they are; say [wrist] calibrated = true if they '
            'have no bias, delay or rotation worth naming, or take the method "likelihood", which finds these.'
        )
    if config.wrist.drift > 0.0:
        raise BadInput('The method "recursive" has constant offsets; leave [wrist] drift out, or take "likelihood".')


@functools.cache
def _compiled(tuning: RecursiveTuning) -> tuple[PackedStep, int]:
    """The step, and where `ended` lies in a packed belief."""
    estimator = estimator_of(dict.fromkeys(SIGNALS, 1.0), tared=True, tuning=tuning)
    numbers, static = eqx.partition(as_arrays(estimator), eqx.is_array)
    start = estimator.init()
    sample: Any = WristSample(np.zeros(()), np.zeros(3), np.zeros(3), np.zeros(6))
    step = PackedStep(Parametrised(static), (numbers, start), sample)
    counted = eqx.tree_at(lambda belief: belief.ended, start, start.ended + 1.0)
    before, after = (np.nan_to_num(step.pack((numbers, belief))) for belief in (start, counted))
    return step, int(np.flatnonzero(before != after)[0])


class RecursiveRun:
    """The compiled step, with what is needed to read its beliefs; one compilation serves every configuration."""

    def __init__(self, estimator: RecursiveLoad, tool: np.ndarray, stated: bool):
        self._tool, self._stated = tool, stated
        self._step, self._ended = _compiled(estimator.tuning)
        numbers, _ = eqx.partition(as_arrays(estimator), eqx.is_array)
        self.start = self._step.pack((numbers, estimator.init()))

    @property
    def engine(self) -> str:
        """What the step runs on."""
        return self._step.engine

    def after(self, packed: np.ndarray, sample: np.ndarray) -> np.ndarray:
        """One step: `sample` is dt, angular velocity, specific force, torque, force (13,)."""
        return self._step.step(packed, sample)

    def answer(self, before: np.ndarray, after: np.ndarray) -> WindowAnswer | None:
        """What is known where a window has ended between two packed beliefs; None where none has."""
        if before[self._ended] == after[self._ended]:
            return None
        belief = jax.tree.map(np.array, self._step.unpack(after)[1])
        return WindowAnswer(belief, self._tool, self._stated)

    def over(self, samples: np.ndarray) -> list[tuple[int, WindowAnswer]]:
        """All rows (n, 13): what is known at the end of each window, with the row that ended it."""
        packed, found = self.start.copy(), []
        for first in range(0, len(samples), NUMERICS.chunk):
            part = np.ascontiguousarray(samples[first : first + NUMERICS.chunk])
            beliefs = np.empty((len(part) + 1, len(packed)))
            beliefs[0] = packed
            self._step.run(packed, part, beliefs[1:])
            for k in np.flatnonzero(np.diff(beliefs[:, self._ended])):
                answer = self.answer(beliefs[k], beliefs[k + 1])
                assert answer is not None
                found.append((first + int(k), answer))
        return found


def samples_of(log: Log, robot: str) -> np.ndarray:
    """(n, 13): rows as the step reads them; dt of the first is zero."""
    signals = [log.require(robot, signal, ("x", "y", "z")) for signal in SIGNALS]
    dt = np.diff(np.asarray(log.time), prepend=log.time[0])
    return np.concatenate([dt[:, None], *signals], axis=1)


def identify_recursively(
    log: Log, config: Config, records: Mapping[str, WristRecord], progress: Callable[[int], None]
) -> Identification:
    """The answer of the method `recursive` for each robot's record."""
    check_recursive(config)
    begin, time = clock.perf_counter(), np.asarray(log.time)
    windows = {}
    for robot, record in records.items():
        run = RecursiveRun(estimator_of(record.noise, record.tared), record.tool, record.all_stated)
        windows[robot] = run.over(samples_of(log.without_truth(), robot))
        progress(len(log) // len(records))
        if not windows[robot]:
            longest = RECURSIVE.longest_gap
            raise BadInput(
                f'{log.origin}: {robot} has no half second without a hole of {longest:g} s, which "recursive" needs; '
                'take the method "likelihood".'
            )
    seconds_a_row = (clock.perf_counter() - begin) / (len(log) * len(records))
    last = {robot: found[-1][1] for robot, found in windows.items()}
    events = {robot: events_of(found, time, robot) for robot, found in windows.items()}
    trusts = {robot: Trust((*last[robot].trust.reasons, *_change_reasons(events[robot], time))) for robot in records}
    why = {
        robot: {"mass": why_no_mass(record.tared), "inertia": why_no_inertia(record.motion["twist/angular"].value)}
        for robot, record in records.items()
    }
    return Identification(
        problem="rigid-body",
        method="recursive",
        origin=log.origin,
        robots={robot: one.estimates(robot, float(time[-1]), float(time[0])) for robot, one in last.items()},
        events=sorted((event for found in events.values() for event in found), key=lambda event: event.time),
        verdict=" ".join(load_verdict(r, one.load, one.covariance, why[r], trusts[r]) for r, one in last.items()),
        notes=[note for record in records.values() for note in record.notes],
        series={robot: _series(found, time) for robot, found in windows.items()},
        innovations={robot: _innovations(windows[robot], time, record) for robot, record in records.items()},
        truth=truth_in(
            log, {"mass": "kg"} | {f"{r}/{q}": UNITS[q] for r in records for q in ("mass", "com", "inertia")}
        ),
        settings=settings_of(log, config, {robot: record.noise for robot, record in records.items()}),
        trust=trusts,
        seconds_a_row=seconds_a_row,
    )


def events_of(found: list[tuple[int, WindowAnswer]], time: np.ndarray, robot: str) -> list[Event]:
    """Contacts and changes over a whole log."""
    events = []
    for row, answer in found:
        onset = answer.onset(float(time[row]))
        before = [one for k, one in found if time[k] <= onset]
        event = answer.event(before[-1] if before else None, robot, float(time[row]))
        events += [] if event is None else [event]
    return events


def _change_reasons(events: list[Event], time: np.ndarray) -> list[Reason]:
    changes, seconds = sum(event.kind == "change" for event in events), float(time[-1] - time[0])
    if changes <= 1.0 + seconds / (2.0 * TUNING.seconds_a_change):
        return []
    sentence = f"The load would have changed {changes} times in {seconds:.0f} s: no one load explains the readings."
    return [Reason("changes", sentence)]


def _series(found: list[tuple[int, WindowAnswer]], time: np.ndarray) -> dict[str, Series]:
    enough = [(k, one) for k, one in found if one.enough]
    return series_from(time[[k for k, _ in enough]], [one.rough for _, one in enough])


def _innovations(found: list[tuple[int, WindowAnswer]], time: np.ndarray, record: WristRecord) -> Innovations:
    """Of the slowest mode of each window, as a wrench with the deviation of one reading."""
    std = np.tile(record.wrench.std, (len(found), 1))
    value = np.stack([one.belief.innovation[0] for _, one in found]) * std
    channels = tuple(f"wrench/{part}/{axis}" for part in ("torque", "force") for axis in "xyz")
    return Innovations(time[[k for k, _ in found]], channels, value, std)
