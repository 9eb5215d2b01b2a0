"""Spatial teams in machine code next to NumPy's; in a process where nothing checks types at run time."""

import dataclasses

import numpy as np
from spatial_runs import recorded
from spatial_world import SpatialWorld
from step_runs import DEPTH, difference, nearby

from steelyard.models import WRIST_SIGNALS
from steelyard.team import Bus, Graph, compiled_filter, run_team, spatial_load_team
from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state
from steelyard.team.spatial_load._row_step_start import first_point_and_path
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.worlds import SpatialScenario

ROBOTS, GRAVITY = 2, 9.81
HOLD = SpatialScenario(robots=ROBOTS, duration=7.0, sensors="realistic", drop_share=0.4, drop_time=3.5)


def differences(seed: int) -> dict[str, float]:
    """By block and part, the largest difference over what rounding can make, as in `step_runs`; noises are random."""
    rng, world = np.random.default_rng(seed), SpatialWorld([f"r{k}" for k in range(ROBOTS)], 1.0, seed=seed)
    sensors = 10.0 ** rng.uniform(-3.0, 0.0, 5)
    history = SampleHistory(ROBOTS, 100.0, sensors, held=False)
    raw = np.stack([world.readings(i) for i in range(ROBOTS)], axis=1)
    raw = raw + np.repeat(sensors, 3) * rng.standard_normal(raw.shape)
    raw[30, 1, :3] = np.nan
    for time, row in zip(world.time, raw, strict=True):
        history.append(time, row)
    (point, path), noise = first_point_and_path(history, GRAVITY), np.repeat(history.noise[3:], 3)
    rows, lost = history.rows(0, history.end), _cancellation(point, noise, sensors[2])
    motion, compiled, found = initial_filter_state(point, rows, noise), compiled_filter(ROBOTS), {}
    assert compiled is not None
    for low, end in ((0, 50), (49, 60), (59, history.end)):

        def numpy_filter(change=lambda leaf: leaf, low=low, end=end, motion=motion):
            at, start, some = (_changed(one, change) for one in (point, motion, rows.between(low, end)))
            return filter_rows(at, start, change(path[low:end]), some, change(noise), low == 0)

        wanted, near = numpy_filter(), [numpy_filter(lambda leaf: nearby(leaf, rng)) for _ in range(4)]
        got = compiled.filter_rows(point, motion, path[low:end], rows.between(low, end), noise, low == 0)
        for part, (ours, theirs) in enumerate(zip(got, wanted, strict=True)):
            for name in (field.name for field in dataclasses.fields(theirs) if field.name != "excitation"):
                a, b = np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name))
                assert a.shape == b.shape
                changes = [difference(getattr(one[part], name), b) for one in near]
                allowed = DEPTH * max(lost * np.spacing(np.max(np.abs(b))), *changes)
                found[f"{name} {low}"] = difference(a, b) / allowed
        motion = wanted[0]
    return found


def _cancellation(point, noise, accelerometer: float) -> float:
    """By how much an update magnifies rounding where the wrenches' error swamps an accelerometer's.

    With κ the ratio of the variances, the covariance after a reading is 1/(1 + κ) of the one before, by a difference,
    and the information is the difference of two terms that are 1 + κ times as large, with κ times that error in one.
    """
    equations = EquationsOfMotion(point, noise)
    expected = equations.lever @ equations.acceleration_by_wrench @ equations.L
    kappa = float(np.max(np.sum(expected**2, axis=2))) / accelerometer**2
    return 1.0 + kappa * (1.0 + kappa)


def _changed(one, change):
    """A dataclass with all of its arrays of floats changed."""
    arrays = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    floats = {name: a for name, a in arrays.items() if isinstance(a, np.ndarray) and a.dtype == float}
    return dataclasses.replace(one, **{name: change(a) for name, a in floats.items()})


def real_time_and_not() -> list[dict[str, tuple[np.ndarray, np.ndarray]]]:
    """What the first robot says last of each quantity, value and standard deviation."""
    graph = Graph.line([f"r{k + 1}" for k in range(ROBOTS)])
    _, samples = recorded(HOLD, 1)
    samples = {name: [*own, *[None] * 130] for name, own in samples.items()}
    noise = dict(zip(WRIST_SIGNALS, HOLD.noises, strict=True))
    told = []
    for real_time in (True, False):
        agents = spatial_load_team(graph, HOLD.rate, noise, real_time=real_time)
        last = run_team(agents, samples, Bus(graph)).last("r1")
        told.append({name: (np.asarray(one.value), np.asarray(one.std)) for name, one in last.items()})
    return told
