"""The recursive method: its equations are exact, it is least squares, and its deviations hold."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import steelyard as sy
from steelyard.bench.wrist import cases, config_of, log_of
from steelyard.geometry import Twist, wrench_regressor
from steelyard.problems import exportable_step, identify
from steelyard.problems.rigid_body._modulating import modulating
from steelyard.problems.rigid_body._noise import _transform
from steelyard.problems.rigid_body._recursive import RecursiveLoad, load_regressor
from steelyard.problems.rigid_body._recursive_answer import RecursiveRun, estimator_of, samples_of
from steelyard.problems.rigid_body._tuning import RECURSIVE
from steelyard.problems.rigid_body._windows import OpenWindows, WristSample, advance
from steelyard.worlds.wrist import WristScenario, wrist_truth

HOP, MODES = RECURSIVE.hop, RECURSIVE.modes
SCENARIO = WristScenario(com_x=0.05, com_y=-0.02, force_offset=5.0, torque_offset=0.3, duration=6.0)


def log_and_config(scenario: WristScenario = SCENARIO, seed: int = 3):
    return log_of(scenario, wrist_truth(scenario, seed), seed), config_of(scenario, known=True, tared=False)


def rows_of(log) -> WristSample:
    rows = samples_of(log, "r1")
    return WristSample(rows[:, 0], rows[:, 1:4], rows[:, 4:7], rows[:, 7:])


def test_lapped_functions_are_orthogonal_and_their_slopes_are_derivatives():
    time = np.linspace(0.0, 4.0 * HOP, 4001)
    values, slopes = [], []
    for begin in (0.0, HOP, 2.0 * HOP):
        value, slope = jax.vmap(lambda t: modulating(t, HOP, MODES))(jnp.asarray(time - begin))
        values.append(np.asarray(value).T)
        slopes.append(np.asarray(slope).T)
    stacked = np.concatenate(values)
    gram = stacked @ stacked.T * (time[1] - time[0])
    np.testing.assert_allclose(gram, 0.5 * HOP * np.eye(len(gram)), atol=1e-9)
    numeric = np.gradient(stacked, time, axis=1)
    # Central differences at 0.25 ms of waves to 44 rad/s: (0.011)² / 6 is 2e-5, and some times that at the seams.
    assert np.abs(numeric - np.concatenate(slopes))[:, 2:-2].max() < 3e-4 * np.abs(numeric).max()


def test_numbers_that_allow_no_load_are_a_reason_and_no_exception():
    """All signals at 1e15, which a stream takes; it goes on."""
    chance = np.random.default_rng(0)
    stream = sy.stream("rigid-body", {"wrist": {"calibrated": True}}, method="recursive")
    names = ("r1/twist/angular", "r1/specific_force", "r1/wrench/torque", "r1/wrench/force")
    for k in range(300):
        values = 1e15 * chance.standard_normal((4, 3))
        step = stream.step({"time": 0.01 * k, **dict(zip(names, values.tolist(), strict=True))})
    assert all(estimate.status != "known" for estimate in step.estimates.values())
    assert "no-solution" in {reason.code for reason in step.estimates["mass"].trust.reasons}


def test_the_regressor_of_means_is_that_of_geometry():
    rng = np.random.default_rng(0)
    s, omega, alpha = rng.standard_normal((3, 3))
    x, y, z = omega
    mine = load_regressor(*map(jnp.asarray, (s, alpha, np.array([x * x, y * y, z * z, x * y, x * z, y * z]))))
    zero = jnp.zeros(3)
    referee = wrench_regressor(Twist(jnp.asarray(omega), zero), Twist(jnp.asarray(alpha), jnp.asarray(s)))
    theta = rng.standard_normal(10)
    np.testing.assert_allclose(np.asarray(mine) @ theta, np.asarray(referee) @ theta, atol=1e-12)


def test_one_step_a_sample_is_least_squares_over_all_windows_at_once():
    log, _ = log_and_config()
    estimator: RecursiveLoad = estimator_of(SCENARIO.noise, tared=False)
    states = jax.jit(lambda rows: jax.lax.scan(lambda b, s: (estimator.step(b, s),) * 2, estimator.init(), rows)[1])(
        rows_of(log)
    )
    ends = np.flatnonzero(np.diff(np.asarray(states.ended), prepend=0.0))
    accepted = jax.tree.map(lambda leaf: np.asarray(leaf)[-1], states.accepted)
    pending = jax.tree.map(lambda leaf: np.asarray(leaf)[ends[:-1]], states.pending)
    assert accepted.windows == len(ends) - 1
    H, C, g = (part.sum(axis=0) for part in (pending.information, pending.attenuation, pending.vector))
    np.testing.assert_allclose(accepted.information, H, rtol=1e-10, atol=1e-6)
    H[:10, :10] -= C
    covariance, state = np.asarray(states.covariance)[-1], np.asarray(states.state)[-1]
    direct = np.linalg.solve(H, g)
    assert np.abs((direct - state) / np.sqrt(np.diag(covariance))).max() < 0.01  # but for the weak prior


def test_a_hole_ends_its_windows_and_a_missing_sample_does_not():
    log, _ = log_and_config()
    rows = samples_of(log, "r1")
    windows = OpenWindows.start(RECURSIVE)
    run = jax.jit(lambda w, s: advance(w, s, RECURSIVE))
    for missing, lost in ((slice(120, 122), 0), (slice(120, 130), 1)):
        broken, complete, now = rows[:300].copy(), [], windows
        broken[missing, 4:7] = np.nan
        for row in broken:
            after = run(now, WristSample(row[0:1].reshape(()), row[1:4], row[4:7], row[7:]))
            complete.append(bool(after.complete))
            now = after.windows
        assert np.isfinite(np.asarray(now.moments.wrench)).all()
        whole = 10  # in 3 s
        assert sum(complete) == whole if not lost else sum(complete) < whole


def test_machine_code_xla_and_the_exported_step_agree():
    log, config = log_and_config()
    run = RecursiveRun(estimator_of(SCENARIO.noise, False), np.zeros(10), True)
    answers = run.over(samples_of(log, "r1"))
    found = exportable_step("rigid-body", "recursive", log, config)
    last = jax.jit(lambda rows: jax.lax.scan(lambda b, s: (found.step(b, s), None), found.belief, rows)[0])(
        rows_of(log)
    )
    native = answers[-1][1].belief
    np.testing.assert_allclose(native.state, np.asarray(last.state), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(native.covariance, np.asarray(last.covariance), rtol=1e-9, atol=1e-14)


def test_stated_deviations_hold_on_gentle_and_wild_motions():
    """30 logs, 300 numbers before the nearest possible load is taken: their mean NEES is 1 ± 0.25 (99.7 %)."""
    nees = []
    for motion in ("gentle", "wild"):
        for scenario, seed in cases(motion, 15, force_offset=10.0, torque_offset=0.5):
            truth = wrist_truth(scenario, seed)
            run = RecursiveRun(estimator_of(scenario.noise, False), np.zeros(10), True)
            last = run.over(samples_of(log_of(scenario, truth, seed), "r1"))[-1][1]
            load = truth.loads[-1]
            shift = load.inertia + load.mass * (load.com @ load.com * np.eye(3) - np.outer(load.com, load.com))
            pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            true = np.concatenate([[load.mass], load.mass * load.com, [shift[p] for p in pairs]])
            off = last.belief.state[:10] - true
            nees.append(off @ np.linalg.solve(last.belief.covariance[:10, :10], off) / 10.0)
    assert 0.7 < np.mean(nees) < 1.3


def test_a_stream_has_the_numbers_of_identify_and_names_contact_and_change():
    log, config = log_and_config(dataclasses.replace(SCENARIO, touch_force=3.0, touch_time=3.0))
    settings = {"noise": {s.replace("/", "_"): v for s, v in SCENARIO.noise.items()}, "wrist": {"calibrated": True}}
    stream = sy.stream("rigid-body", settings, method="recursive")
    signals = {name: np.stack([log.columns[f"r1/{name}/{a}"] for a in "xyz"], 1) for name in stream_signals()}
    events, statuses = [], []
    for k, t in enumerate(log.time):
        step = stream.step({"time": float(t)} | {name: value[k] for name, value in signals.items()})
        events += step.events
        statuses.append(step.estimates.mass.status)
    assert [event.kind for event in events] == ["contact"]
    assert abs(events[0].time - 3.0) < 0.5  # s: a window
    assert "doubtful" in statuses
    assert statuses[-1] == "known"
    found = identify(log, "rigid-body", config, method="recursive")
    assert [event.kind for event in found.events] == ["contact"]
    for quantity in ("mass", "com", "inertia"):
        np.testing.assert_allclose(step.estimates[quantity].value, found["r1"][quantity].value, rtol=1e-6, atol=1e-9)
    log, config = log_and_config(WristScenario(duration=9.0, pick_mass=0.5, pick_time=3.6))
    found = identify(log, "rigid-body", config, method="recursive")
    assert [event.kind for event in found.events] == ["change"]
    mass = found["r1"].mass
    assert abs(mass.value - 1.5) < 4.0 * mass.std  # by chance 6e-5


def stream_signals() -> tuple[str, ...]:
    return ("twist/angular", "specific_force", "wrench/torque", "wrench/force")


def test_sensors_that_are_not_stated_as_calibrated_are_refused():
    log, _ = log_and_config()
    with pytest.raises(sy.BadInput, match="calibrated = true"):
        identify(log, "rigid-body", config_of(SCENARIO, known=False), method="recursive")
    with pytest.raises(sy.BadInput, match="calibrated = true"):
        sy.stream("rigid-body", method="recursive")


def test_what_does_not_move_is_not_known():
    log, config = log_and_config(WristScenario(motion="still", duration=5.0))
    found = identify(log, "rigid-body", config, method="recursive")
    assert all(found["r1"][quantity].value is None for quantity in ("mass", "com", "inertia"))


def test_the_transform_of_even_rows_is_that_of_any_rows():
    rng = np.random.default_rng(1)
    time, values, k = np.linspace(3.0, 5.0, 201), rng.standard_normal((201, 3)), np.arange(1, 90)
    share = (time - time[0]) / 2.0
    direct = np.exp(-2j * np.pi * np.outer(k, share)) @ values
    np.testing.assert_allclose(np.abs(_transform(time, values, k)), np.abs(direct), atol=1e-9)


def test_a_change_to_numbers_that_allow_no_load_is_no_event_and_no_exception():
    """Accelerations of 1e20 for 0.1 s in each second: the window test takes them for a change."""
    chance = np.random.default_rng(0)
    stream = sy.stream("rigid-body", {"wrist": {"calibrated": True}}, method="recursive")
    for k in range(600):
        t, noise = 0.01 * k, chance.standard_normal((4, 3))
        turning = np.array([0.8 * np.cos(2.0 * t), 0.7 * np.sin(3.0 * t), 0.5 * np.cos(1.3 * t)]) + 1e-3 * noise[0]
        specific = np.array([0.3 * np.sin(4.0 * t), np.cos(2.0 * t), 9.81]) + 0.01 * noise[1]
        sample = {"time": t, "r1/twist/angular": turning, "r1/wrench/force": 2.0 * specific + 0.01 * noise[3]}
        sample["r1/wrench/torque"] = np.cross([0.0, 0.05, 0.1], 2.0 * specific) + 3e-3 * noise[2]
        sample["r1/specific_force"] = [1e20, 1e20, 0.0] if k % 100 > 90 else specific
        step = stream.step(sample)
    assert step.estimates["mass"].status == "failed"
