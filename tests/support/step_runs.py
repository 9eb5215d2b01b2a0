"""Steps of robots in a team next to what their agents work out; in a process where nothing checks types at run time."""

import jax
import numpy as np
from load_runs import INERTIA, MASS, NOISE, pushed
from spatial_world import SpatialWorld

from steelyard.estimators import Packing
from steelyard.native import emit, load
from steelyard.team import row_steps, window_steps
from steelyard.team.planar_load._fit import Averaging
from steelyard.team.planar_load._shared_fit import minimise
from steelyard.team.planar_load._sums import own_row
from steelyard.team.planar_load._window import Prior, Window
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state
from steelyard.team.spatial_load._row_step_start import first_point_and_path
from steelyard.team.spatial_load._sample_history import SampleHistory

HASTY = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-ffp-contract=off")
QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
ROBOTS, SECONDS, GRAVITY = 3, 0.5, 9.81
EPS = np.finfo(float).eps
DEPTH = 100
"""Roundings behind each number that a row changes: 27 readings, taken in one by one, of three or four operations."""


def planar_errors(native: bool, seed: int) -> dict[str, float]:
    """One iteration of `minimise` at a random point, as the step that takes the last row in; see `_errors`."""
    rng, push, every = np.random.default_rng(seed), pushed(4.0, seed=seed), 4
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
    guess[:9] += 0.05 * rng.standard_normal(9)
    step, belief, last = window_steps(window, guess, 128, len(rows) - 1)
    found = minimise(window, guess, 1)._asdict()
    wanted = {name: found[name] for name in ("unknowns", "matrix", "gradient")}
    return _errors(step, belief, last, wanted, native, rng)


def spatial_errors(native: bool, seed: int) -> dict[str, float]:
    """All rows of a filter pass over a random motion, with random noises and a silent sensor; see `_errors`."""
    names, rng = [f"r{k}" for k in range(ROBOTS)], np.random.default_rng(seed)
    world = SpatialWorld(names, SECONDS, seed=seed)
    noise = 10.0 ** rng.uniform(-3.0, 0.0, 5)  # from good sensors to bad ones
    history = SampleHistory(ROBOTS, 100.0, noise, held=False)
    raw = np.stack([world.readings(i) for i in range(ROBOTS)], axis=1)
    raw = raw + np.repeat(noise, 3) * rng.standard_normal(raw.shape)
    raw[rng.integers(1, len(raw)), rng.integers(ROBOTS), :3] = np.nan
    for time, row in zip(world.time, raw, strict=True):
        history.append(time, row)
    step, belief, samples = row_steps(history, GRAVITY)
    (point, path), wrench_noise = first_point_and_path(history, GRAVITY), np.repeat(history.noise[3:], 3)
    rows = history.rows(0, history.end)
    start = initial_filter_state(point, rows, wrench_noise)
    motion, result = filter_rows(point, start, path, rows, wrench_noise, first=True)
    wanted = {
        "columns": motion.columns,
        "covariance": motion.covariance,
        "score": result.score.sum(axis=0),
        "information": result.information,
        "nis": result.nis.sum(),
    }
    return _errors(step, belief, samples, wanted, native, rng)


def _errors(step, belief, samples, wanted, native: bool, rng) -> dict[str, float]:
    """By quantity and engine, the largest difference to what is wanted, over what rounding can make.

    Rounding: the largest change of the result when every given number changes in its last digit, in four random ways,
    times the roundings behind a number. What cancels in a result makes it sensitive, in whatever way it is computed.
    """
    run = jax.jit(lambda b, s: jax.lax.scan(lambda b, s: (step.step(b, s), None), b, s)[0], compiler_options=QUICKLY)
    by_xla = run(belief, samples)
    allowed = {name: np.spacing(np.max(np.abs(np.asarray(wanted[name])))) for name in wanted}
    for _ in range(4):
        near = run(*jax.tree.map(lambda leaf: nearby(leaf, rng), (belief, samples)))
        for name in wanted:
            allowed[name] = max(allowed[name], difference(getattr(near, name), getattr(by_xla, name)))
    found = {"XLA": by_xla} | ({"C": _by_c(step, belief, samples)} if native else {})
    return {
        f"{name} by {engine}": difference(getattr(result, name), value) / (DEPTH * allowed[name])
        for engine, result in found.items()
        for name, value in wanted.items()
    }


def _by_c(step, belief, samples):
    first = jax.tree.map(lambda leaf: np.asarray(leaf)[0], samples)
    called = load(emit(step.step, (belief, first)), HASTY)
    beliefs, packed = Packing(belief), Packing(belief).pack_numpy(belief)
    parts = [np.asarray(leaf).reshape(len(leaf), -1) for leaf in jax.tree.leaves(samples)]
    called.run(packed, np.concatenate(parts, axis=1), np.empty(0))
    return beliefs.unpack(packed)


def nearby(leaf, rng) -> np.ndarray:
    """Changed in its last digit; whole numbers count something, and are exact."""
    leaf = np.asarray(leaf)
    return leaf * np.where(leaf == np.round(leaf), 1.0, 1.0 + EPS * rng.uniform(-1.0, 1.0, leaf.shape))


def difference(one, other) -> float:
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other))))
