"""The first belief and the rows of a `WindowStep`, from a window of an agent."""

import jax.numpy as jnp
import numpy as np

from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._shared_fit import DAMPING
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Window
from steelyard.team.planar_load._window_step import SumsBelief, WindowStep


def window_steps(
    window: Window, unknowns: np.ndarray, size: int, first: int = TUNING.rows_before_steps
) -> tuple[WindowStep, SumsBelief, np.ndarray]:
    """The step, the belief with the first rows and a guess, and the rows after them."""
    step = WindowStep(window.row_seconds, window.means, window.sigma, window.friction)
    sums = np.zeros((size, window.rows.shape[1]))
    there = min(first, len(window.rows), size)
    sums[:there] = window.rows[:there]
    nothing = jnp.zeros((N_UNKNOWNS, N_UNKNOWNS))
    belief = SumsBelief(
        jnp.asarray(sums), jnp.asarray(float(there)), jnp.asarray(unknowns), jnp.asarray(DAMPING.first), jnp.zeros(()),
        nothing, jnp.zeros(N_UNKNOWNS), jnp.asarray(window.prior.mean), jnp.asarray(window.prior.information),
    )  # fmt: skip
    return step, belief, window.rows[there:size]
