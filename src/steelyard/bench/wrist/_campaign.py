"""Many logs of the wrist's world through `identify --as rigid-body`: errors next to the bound, events, refusals."""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from steelyard.bench.wrist._bound import ERRORS, WristBound, bound_of
from steelyard.campaigns import all_of
from steelyard.config import Config, Noise, Wrist
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.logs import Log
from steelyard.problems import Identification, identify
from steelyard.worlds.wrist import WristScenario, WristTruth, wrist_columns, wrist_truth

QUANTITIES = {"mass": slice(0, 1), "com": slice(1, 4), "inertia": slice(4, 10)}
SENSOR_ERRORS = {
    "force_offset": 10.0,
    "torque_offset": 0.5,
    "accelerometer_bias": 0.2,
    "gyro_bias": 0.01,
    "delay": 0.008,
    "mounting": 3.0,
}
"""What real sensors have, by the scenario's names: N, N m, m/s², rad/s, s, degrees."""


@dataclasses.dataclass(frozen=True, eq=False)
class Outcome:
    """Of one log."""

    error: np.ndarray
    """(10,): mass, centre, inertia xx, yy, zz, xy, xz, yz less the truth; NaN where not given."""
    std: np.ndarray
    """(10,): as stated."""
    bound: np.ndarray
    """(10,): standard deviations of the Cramér-Rao bound."""
    trace: float
    """Of the true inertia, kg m²."""
    possible: bool
    """Whether the inertia that was given is that of a body."""
    doubted: bool
    events: tuple[str, ...]
    seconds: float
    """Of the identification."""

    @property
    def withheld(self) -> bool:
        """Whether an inertia was not given that the bound knows to within half of its trace."""
        sizes = self.bound[4:] ** 2 * np.array([1, 1, 1, 2, 2, 2])
        return bool(np.isnan(self.error[4]) and np.sqrt(sizes.sum()) < 0.5 * self.trace)


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """Of one quantity over many logs."""

    group: str
    quantity: str
    logs: int
    given: int
    rms: float
    """Root mean square of error over bound."""
    stated: float
    """Median of stated deviation over bound."""
    nees: float
    """Mean square of error over stated deviation."""
    coverage: float
    """Share of 95 % intervals that hold the truth."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return dataclasses.asdict(self)


def loads(count: int = 20) -> list[dict[str, float]]:
    """Settings of boxes of 0.05 to 3 kg: compact, long, flat, off-axis in turn, larger where heavier."""
    found = []
    for k, mass in enumerate(np.geomspace(0.05, 3.0, count)):
        size = mass ** (1.0 / 3.0)
        kind = (
            {"length": 0.12, "width": 0.1, "height": 0.15, "com_z": 0.08},
            {"length": 0.03, "width": 0.03, "height": 0.45, "com_z": 0.22},
            {"length": 0.3, "width": 0.25, "height": 0.02, "com_z": 0.03, "tilt": 90.0},
            {"length": 0.2, "width": 0.06, "height": 0.1, "com_x": 0.09, "com_y": -0.06, "com_z": 0.1, "tilt": 35.0},
        )[k % 4]
        found.append({name: float(value if name == "tilt" else size * value) for name, value in kind.items()})
        found[-1]["mass"] = float(mass)
    return found


def cases(motion: str, logs: int, **settings: Any) -> Iterator[tuple[WristScenario, int]]:
    """`logs` scenarios with a seed each: the loads in turn, at two noise levels in turn."""
    boxes = loads()
    for k in range(logs):
        sensors = ("good", "poor")[(k // len(boxes)) % 2]
        yield WristScenario(motion=motion, sensors=sensors, **(boxes[k % len(boxes)] | settings)), 1000 + k  # type: ignore[arg-type]


def config_of(scenario: WristScenario, known: bool, tared: bool | None = None) -> Config:
    """Noise stated; `known`: sensors have no other errors; `tared`: nor has the wrench, by default as `known`."""
    noise = Noise(**{signal.replace("/", "_"): level for signal, level in scenario.noise.items()})
    return Config(noise=noise, wrist=Wrist(tared=known if tared is None else tared, calibrated=known))


def log_of(scenario: WristScenario, truth: WristTruth, seed: int) -> Log:
    """The log, truth left out."""
    columns = {n: v for n, v in wrist_columns(scenario, truth, seed).items() if not n.startswith("truth/")}
    return Log(columns.pop("time"), columns, "trial", {})


def outcome(
    scenario: WristScenario, seed: int, known: bool, tared: bool | None = None, method: str | None = None
) -> Outcome:
    """Simulates, identifies, compares."""
    import time

    truth = wrist_truth(scenario, seed)
    begin = time.process_time()
    found = identify(log_of(scenario, truth, seed), "rigid-body", config_of(scenario, known, tared), method)
    seconds = time.process_time() - begin
    return compared(scenario, truth, found, bound(scenario, truth, seed, known, tared), seconds)


def bound(scenario: WristScenario, truth: WristTruth, seed: int, known: bool, tared: bool | None = None) -> WristBound:
    """With the sensor errors known, or among the unknowns."""
    if scenario.delay or scenario.mounting or scenario.lever:
        truth = wrist_truth(dataclasses.replace(scenario, delay=0.0, mounting=0.0, lever=0.0), seed)
    offsets = ("torque_offset", "force_offset")
    unknown = (offsets if tared is False else ()) if known else tuple(ERRORS)
    return bound_of(scenario, truth, unknown)


def compared(
    scenario: WristScenario, truth: WristTruth, found: Identification, bound: WristBound, seconds: float
) -> Outcome:
    """Errors of what was given."""
    load, estimates = truth.loads[-1], found.robots["r1"]
    true = np.concatenate([[load.mass], load.com, [load.inertia[p] for p in MOMENT_ENTRIES]])
    value, std = np.full(10, np.nan), np.full(10, np.nan)
    for quantity, at in QUANTITIES.items():
        estimate = estimates[quantity]
        if estimate.value is not None:
            value[at], std[at] = _flat(estimate.value), _flat(estimate.std)
    inertia = estimates["inertia"].value
    return Outcome(
        error=value - true,
        std=std,
        bound=bound.std,
        trace=float(np.trace(load.inertia)),
        possible=inertia is None or bool(2.0 * np.linalg.eigvalsh(inertia)[-1] < np.trace(inertia) * (1.0 + 1e-9)),
        doubted=any(estimates[q].status == "doubtful" for q in QUANTITIES),
        events=tuple(event.kind for event in found.events),
        seconds=seconds,
    )


def _flat(value: Any) -> np.ndarray:
    value = np.asarray(value, float)
    return np.array([value[p] for p in MOMENT_ENTRIES]) if value.ndim == 2 else np.atleast_1d(value)


def accuracies(group: str, outcomes: Sequence[Outcome]) -> list[Accuracy]:
    """By quantity."""
    found = []
    for quantity, at in QUANTITIES.items():
        given = [o for o in outcomes if np.isfinite(o.error[at]).all()]
        if not given:
            found.append(Accuracy(group, quantity, len(outcomes), 0, *[float("nan")] * 4))
            continue
        error, std, bounds = (np.concatenate([getattr(o, n)[at] for o in given]) for n in ("error", "std", "bound"))
        found.append(
            Accuracy(
                group,
                quantity,
                len(outcomes),
                len(given),
                float(np.sqrt(np.mean((error / bounds) ** 2))),
                float(np.median(std / bounds)),
                float(np.mean((error / std) ** 2)),
                float(np.mean(np.abs(error) < 1.96 * std)),
            )
        )
    return found


def group(
    motion: str,
    logs: int,
    known: bool,
    progress: Callable[[int], None] = lambda done: None,
    tared: bool | None = None,
    method: str | None = None,
    **settings: Any,
) -> list[Outcome]:
    """The outcomes of one kind of log, in the order of `cases`; over the cores of this machine."""
    work = functools.partial(_case, known, tared, method)
    return all_of(work, list(cases(motion, logs, **settings)), progress)


def _case(known: bool, tared: bool | None, method: str | None, case: tuple[WristScenario, int]) -> Outcome:
    return outcome(*case, known, tared, method)
