"""A log that grows: its motion goes on from where it was, and what is known is what a whole fit would know."""

import dataclasses

import numpy as np
import pytest

import steelyard as sy
from steelyard.bench.wrist import config_of
from steelyard.problems.rigid_body import fit_record, read_wrist_record
from steelyard.problems.rigid_body._gauss_newton import one_step, step, with_priors
from steelyard.problems.rigid_body._method import fit_at, linearised
from steelyard.problems.rigid_body._start import continued, first_trajectory
from steelyard.worlds.wrist import WristScenario, simulate_wrist

WILD = WristScenario(motion="wild", duration=6.0)


def logged(scenario: WristScenario, seed: int) -> sy.Log:
    columns = {name: c for name, c in simulate_wrist(scenario, seed).items() if not name.startswith("truth/")}
    return sy.Log(columns.pop("time"), columns, "simulated")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_motion_goes_on_without_a_turn(seed):
    """Continued from the attitude at 4 s, it ends where the same rates lead when they are integrated throughout."""
    record = read_wrist_record(logged(WILD, seed), "r1", config_of(WILD, known=True, tared=True))
    start, spacing = record.start, 0.05
    time = np.unique(np.concatenate([channel.time for channel in record.motion.values()]))
    whole = first_trajectory(time, record.motion, None, record.gravity, spacing)
    fit = fit_record(record.between(start, start + 4.0))
    early = dataclasses.replace(whole, **{
        name: getattr(whole, name)[whole.time <= start + 4.0]
        for name in ("time", "attitude", "angular", "angular_acceleration", "velocity", "velocity_rate",
                     "velocity_second")
    })  # fmt: skip
    later = continued(early, record.motion, fit.unknowns, spacing)
    at = np.searchsorted(later.time, whole.time[-1])
    turn = whole.attitude[-1].T @ later.attitude[min(at, len(later.time) - 1)]
    angle = float(np.arccos(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0)))
    assert angle < 2e-3  # rad; a sample of these motions turns by up to 0.05


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_stream_of_a_clean_wild_motion_tells_no_event(seed):
    """Until each second's motion began at the instant at which the last one ended, most of these had a contact."""
    log = logged(WILD, seed)
    stream, events = sy.stream("rigid-body", config_of(WILD, known=True, tared=True)), []
    for k in range(len(log)):
        values = {name: float(column[k]) for name, column in log.columns.items() if np.isfinite(column[k])}
        events += stream.step({"time": float(log.time[k]), **values}).events
    assert events == []


def test_after_a_small_step_the_derivatives_of_before_give_the_same_deviations():
    """To second order in the step; the step is that of the same equations without errors that no sensor has."""
    record = read_wrist_record(logged(WILD, 4), "r1", config_of(WILD, known=True, tared=True))
    fit = fit_record(record.between(record.start, record.start + 4.0))
    problem, state = fit.problem, with_priors(fit.problem, fit.state)
    load = state.unknowns.load * (1.0 + 3e-4)
    state = dataclasses.replace(state, unknowns=dataclasses.replace(state.unknowns, load=load))
    at = linearised(problem, state)
    after = one_step(problem, state, at.step)
    assert 0.1 < at.step.length < np.sqrt(at.size)
    np.testing.assert_allclose(at.step.unknowns, step(problem, state).unknowns, rtol=1e-4, atol=1e-9)
    before, anew = fit_at(problem, after, None, at), fit_at(problem, after, None)
    stds = [np.sqrt(np.diag(one.load_covariance)) for one in (before, anew)]
    np.testing.assert_allclose(stds[0], stds[1], rtol=0.02)
    for signal, residual in anew.residuals.items():
        np.testing.assert_array_equal(before.residuals[signal], residual)
