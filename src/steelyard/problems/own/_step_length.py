"""Whether a discrete map depends on the length of its steps: then its parameters do, too."""

import jax
import numpy as np

from steelyard.estimators import Sample
from steelyard.models import ContinuousModel
from steelyard.problems.own._robot import OwnRobot
from steelyard.problems.own._tuning import TUNING


def step_warning(robot: OwnRobot, samples: Sample) -> str | None:
    """A sentence where halving the step changes what the sensors would read by more than their noise."""
    if isinstance(robot.model, ContinuousModel):
        return None
    dt = np.asarray(samples.dt)
    rows = min(len(dt), int(np.searchsorted(np.cumsum(dt), TUNING.steps_compared)) + 1)
    first = jax.tree.map(lambda leaf: np.asarray(leaf)[:rows], samples)
    model = robot.model

    @jax.jit
    def readings(state, controls, steps):
        def row(states, given):
            control, step = given
            whole, halves = states
            whole = model.dynamics(whole, control, step)
            halves = model.dynamics(model.dynamics(halves, control, 0.5 * step), control, 0.5 * step)
            return (whole, halves), (model.observe(whole, control), model.observe(halves, control))

        return jax.lax.scan(row, (state, state), (controls, steps))[1]

    whole, halves = readings(robot.guess.state, first.control, first.dt)
    off = np.concatenate(
        [
            np.abs(np.asarray(a) - np.asarray(b)).reshape(rows, -1)
            for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(halves), strict=True)
        ],
        axis=1,
    )
    noise = np.asarray(robot.noise.measurement)
    if off.shape[1] != noise.size:
        return None
    ratio = float(np.max(off / np.maximum(noise, 1e-12)))
    if not ratio > TUNING.step_matters:
        return None
    return (
        f"{robot.name}'s dynamics depends on the length of its steps: with half the step its readings differ by "
        f"{ratio:.2g} times their noise within {TUNING.steps_compared:g} s, and what is estimated takes that up; give "
        "the derivative of a ContinuousModel instead, unless the log comes from this very map."
    )
