"""Spatial teams in machine code next to NumPy's; in a process where nothing checks types at run time."""

import dataclasses

import numpy as np
from spatial_runs import recorded
from spatial_world import SpatialWorld

from steelyard.models import WRIST_SIGNALS
from steelyard.team import Bus, Graph, run_team, spatial_load_team
from steelyard.team.spatial_load._compiled_filter import compiled_filter
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state
from steelyard.team.spatial_load._row_step_start import first_point_and_path
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.worlds import SpatialScenario

ROBOTS, GRAVITY = 2, 9.81
HOLD = SpatialScenario(robots=ROBOTS, duration=7.0, sensors="realistic", drop_share=0.4, drop_time=3.5)


def differences() -> dict[str, float]:
    """By block and part, the largest difference over the largest number."""
    rng, world = np.random.default_rng(0), SpatialWorld([f"r{k}" for k in range(ROBOTS)], 1.0)
    history = SampleHistory(ROBOTS, 100.0, np.array([0.01, 0.01, 1.0, 0.01, 0.02]), held=False)  # see `spatial_errors`
    raw = np.stack([world.readings(i) for i in range(ROBOTS)], axis=1)
    raw = raw + 0.01 * rng.standard_normal(raw.shape)
    raw[30, 1, :3] = np.nan
    for time, row in zip(world.time, raw, strict=True):
        history.append(time, row)
    (point, path), noise = first_point_and_path(history, GRAVITY), np.repeat(history.noise[3:], 3)
    rows = history.rows(0, history.end)
    motion, compiled, found = initial_filter_state(point, rows, noise), compiled_filter(ROBOTS), {}
    assert compiled is not None
    for low, end in ((0, 50), (49, 60), (59, history.end)):
        given = point, motion, path[low:end], rows.between(low, end), noise, low == 0
        wanted, got = filter_rows(*given), compiled.filter_rows(*given)
        for ours, theirs in zip(got, wanted, strict=True):
            for field in dataclasses.fields(theirs):
                if field.name != "excitation":
                    a, b = np.asarray(getattr(ours, field.name)), np.asarray(getattr(theirs, field.name))
                    assert a.shape == b.shape
                    found[f"{field.name} {low}"] = float(np.max(np.abs(a - b)) / np.max(np.abs(b)))
        motion = wanted[0]
    return found


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
