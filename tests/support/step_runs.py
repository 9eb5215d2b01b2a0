"""Steps of robots in a team next to what their agents work out; in a process where nothing checks types at run time."""

import jax
import numpy as np
from load_runs import INERTIA, MASS, NOISE, pushed
from spatial_world import SpatialWorld

from steelyard.estimators import Packing
from steelyard.native import emit, load
from steelyard.team.planar_load._fit import Averaging
from steelyard.team.planar_load._shared_fit import minimise
from steelyard.team.planar_load._sums import own_row
from steelyard.team.planar_load._window import Prior, Window
from steelyard.team.planar_load._window_step_start import window_steps
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state
from steelyard.team.spatial_load._row_step_start import first_point_and_path, row_steps
from steelyard.team.spatial_load._sample_history import SampleHistory

HASTY = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-ffp-contract=off")
QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
ROBOTS, SECONDS, GRAVITY = 3, 0.5, 9.81


def planar_errors(native: bool) -> dict[str, float]:
    """One iteration of `minimise`, as the step that takes the last row in."""
    push, every = pushed(4.0), 4
    rolls = range(len(push.samples))
    rows = np.stack(
        [
            sum(own_row(float(k), push.arms[name], complex(*samples[row].velocity), complex(*samples[row].force))
                for k, (name, samples) in zip(rolls, push.samples.items(), strict=True))
            for row in range(every, 100 * every, every)
        ]
    )  # fmt: skip
    window = Window(rows, every / push.rate, Averaging(0.0, 0.0), NOISE, Prior.none(), friction=False)
    guess = np.array([0.3, 0.0, 0.0, 0.0, np.log(MASS), np.log(INERTIA), 0.0, 0.0, 0.0, 0.0, 0.0])
    guess[:9] += 0.05
    step, belief, last = window_steps(window, guess, 128, len(rows) - 1)
    wanted = minimise(window, guess, 1)._asdict()
    errors = {"trend": _error(step.rows(np.pad(rows, ((0, 29), (0, 0))), 99.0).trend, window.padded.trend)}
    for engine in (_by_xla, _by_c) if native else (_by_xla,):
        found = engine(step, belief, last)
        errors |= {f"{name} {engine.__name__}": _error(getattr(found, name), wanted[name])
                   for name in ("unknowns", "matrix", "gradient")}  # fmt: skip
    return errors


def spatial_errors(native: bool) -> dict[str, float]:
    """All rows of a sweep, one of them in part silent.

    Accelerometers so bad, next to the wrenches, that little cancels in the information: else the two agree as far as
    rounding in either of them allows.
    """
    names, rng = [f"r{k}" for k in range(ROBOTS)], np.random.default_rng(0)
    world = SpatialWorld(names, SECONDS)
    history = SampleHistory(ROBOTS, 100.0, np.array([0.01, 0.01, 1.0, 0.01, 0.02]), held=False)
    raw = np.stack([world.readings(i) for i in range(ROBOTS)], axis=1)
    raw = raw + 0.01 * rng.standard_normal(raw.shape)
    raw[30, 2, :3] = np.nan
    for time, row in zip(world.time, raw, strict=True):
        history.append(time, row)
    step, belief, samples = row_steps(history, GRAVITY)
    (point, path), noise = first_point_and_path(history, GRAVITY), np.repeat(history.noise[3:], 3)
    rows = history.rows(0, history.end)
    motion, told = filter_rows(point, initial_filter_state(point, rows, noise), path, rows, noise, first=True)
    wanted = {
        "columns": motion.columns,
        "covariance": motion.covariance,
        "score": told.score.sum(axis=0),
        "information": told.information,
        "nis": told.nis.sum(),
    }
    errors = {}
    for engine in (_by_xla, _by_c) if native else (_by_xla,):
        found = engine(step, belief, samples)
        errors |= {f"{name} {engine.__name__}": _error(getattr(found, name), value) for name, value in wanted.items()}
    return errors


def _by_xla(step, belief, samples):
    run = jax.jit(lambda b, s: jax.lax.scan(lambda b, s: (step.step(b, s), None), b, s)[0], compiler_options=QUICKLY)
    return run(belief, samples)


def _by_c(step, belief, samples):
    first = jax.tree.map(lambda leaf: np.asarray(leaf)[0], samples)
    called = load(emit(step.step, (belief, first)), HASTY)
    beliefs, packed = Packing(belief), Packing(belief).pack_numpy(belief)
    parts = [np.asarray(leaf).reshape(len(leaf), -1) for leaf in jax.tree.leaves(samples)]
    called.run(packed, np.concatenate(parts, axis=1), np.empty(0))
    return beliefs.unpack(packed)


def _error(found, wanted) -> float:
    """The largest difference over the largest number."""
    return float(np.max(np.abs(np.asarray(found) - np.asarray(wanted))) / max(np.max(np.abs(wanted)), 1e-300))
