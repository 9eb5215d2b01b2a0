"""Rounds of Gauss-Newton on a problem: steps that lower the misfit, outliers left out, delays taken into the times."""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._normal_equations import Solution, solve
from steelyard.problems.rigid_body._problem import Problem, State


def roughly_converged(problem: Problem, state: State) -> State:
    """One round, as near as the choice of the knots asks for."""
    tuning = problem.tuning
    return _round(problem, with_priors(problem, state), tuning.rough_gain, tuning.rough_steps)


def converged(problem: Problem, state: State, rounds: int) -> State:
    """Rounds of steps until one hardly lowers the misfit; between two, delays go into the times."""
    tuning = problem.tuning
    for k in range(rounds):
        state = _round(problem, with_priors(problem, state), tuning.least_gain, tuning.steps)
        late = max(abs(state.unknowns.delays[s] - state.taken[s]) for s in state.taken)
        if late < tuning.same_time * problem.spacing:
            break
        if k == rounds - 1 or max(map(abs, state.unknowns.delays.values())) > tuning.longest_lag:
            break  # at other times the motion is to be fitted again; and delays that move about do not go into them
        state = problem.resampled(state)
    return state


def one_step(problem: Problem, state: State, solution: Solution | None = None) -> State:
    """One step, `solution` where it is known, and outliers looked for after it."""
    solution = step(problem, state) if solution is None else solution
    state, _ = _stepped(problem, state, solution, problem.cost(state))
    return dataclasses.replace(state, weights=_gated(problem, state), converged=True)


def with_priors(problem: Problem, state: State) -> State:
    """With the priors that a problem has for the load of a state."""
    return dataclasses.replace(state, prior=problem.prior(state.unknowns))


def step(problem: Problem, state: State) -> Solution:
    """The Gauss-Newton step from a state; its information is that of the unknowns there."""
    blocks, weights = problem.blocks(state)
    return solve(blocks, weights, state.spline, state.prior, state.unknowns.vector(problem.at))


def _round(problem: Problem, state: State, least_gain: float, steps: int) -> State:
    """Steps at fixed times until they are small."""
    tuning, cost = problem.tuning, problem.cost(state)
    for k in range(steps):
        state, after = _stepped(problem, state, step(problem, state), cost)
        gained, cost = cost - after, after
        state = dataclasses.replace(state, converged=gained < tuning.settled_gain)
        small = gained < least_gain * problem.misfit_a_reading(after)
        if k == 1 or (k > 1 and small):
            gated = _gated(problem, state)
            same = all(np.array_equal(gated[s], state.weights[s]) for s in gated)
            if small and (same or k > 3):
                return dataclasses.replace(state, weights=gated)
            if not same:
                state = dataclasses.replace(state, weights=gated)
                cost = problem.cost(state)
    return state


def _stepped(problem: Problem, state: State, solution: Solution, cost: float) -> tuple[State, float]:
    """After a step, halved while it makes the misfit larger and may still gain something; and the misfit there."""
    share, halvings = 1.0, np.log2(max(solution.gain / problem.tuning.settled_gain, 1.0))
    for _ in range(1 + min(int(halvings), 11)):
        with np.errstate(over="ignore", invalid="ignore"):  # of a step that is far too long; it is not taken
            candidate = dataclasses.replace(
                state,
                motion=state.motion.corrected(state.spline, share * solution.motion),
                unknowns=state.unknowns.moved(problem.at, share * solution.unknowns),
            )
            after = problem.cost(candidate)
        if after <= cost * (1.0 + 1e-6) + 1e-3:
            return candidate, after
        share *= 0.5
    return state, cost


def _gated(problem: Problem, state: State) -> dict[str, np.ndarray]:
    """By signal: 0 for outliers, else 1."""
    tuning, found = problem.tuning, {}
    for signal, residual in problem.residuals(state).items():
        distance = np.max(np.abs(residual), axis=1)
        outlier = distance > tuning.gate * max(1.0, float(np.median(distance)))
        if outlier.mean() > tuning.most_gated:  # the model is wrong there, not the samples: a change, perhaps
            outlier[:] = False
        found[signal] = np.where(outlier, 0.0, 1.0)
    return found
