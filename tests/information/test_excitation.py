"""Inputs that tell more, within their limits, and the same ones every time."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
import registry
from pushes import LOAD, noise_of, open_guess, pushed, samples_of

from steelyard import estimators as e
from steelyard.errors import BadInput
from steelyard.information import cramer_rao, excite
from steelyard.worlds import PlanarScenario, planar_truth

SHORT = PlanarScenario(duration=6.0, rate=50.0, forces="constant")
PARTS = ("log_mass", "log_inertia", "contacts")
LIMIT = 4.0


@functools.cache
def planned(seed: int = 0):
    truth = pushed(SHORT, 0)
    start = jnp.asarray(truth.forces[1:])
    return excite(
        LOAD, noise_of(4), open_guess(truth), start, LIMIT, SHORT.duration, SHORT.rate, parts=PARTS, steps=30, seed=seed
    )


def test_a_plan_tells_several_times_more_than_constant_forces():
    """Mass, inertia and contacts, in the geometric mean, from the same limits and the same time."""
    assert planned().gain(*PARTS) > 3.0
    assert planned().gain("log_inertia") > 3.0


def test_a_plan_keeps_its_limits():
    controls = np.asarray(planned().controls)
    assert controls.shape == (300, 4, 2)
    assert np.abs(controls).max() <= LIMIT
    assert np.abs(controls).max() > 0.5 * LIMIT  # a plan that leaves half of its limits unused is none


def test_what_a_plan_promises_is_what_it_gives():
    """MuJoCo moves the load along the plan; a bound from its motion is the bound that was promised."""
    plan = planned()
    middles = np.asarray(plan.controls)
    rows = np.concatenate([middles[:1], 0.5 * (middles[1:] + middles[:-1]), middles[-1:]])
    truth = planar_truth(SHORT, 0, rows)
    given = cramer_rao(LOAD, noise_of(4), open_guess(truth), samples_of(truth))
    for part in PARTS:
        np.testing.assert_allclose(given.std_of(part), plan.bound_after.std_of(part), rtol=0.05)


def test_a_seed_is_a_plan():
    again = planned.__wrapped__(0)
    np.testing.assert_array_equal(planned().controls, again.controls)


def test_what_leaves_its_limits_is_told():
    guess, noise = open_guess(pushed(SHORT, 0)), noise_of(4)
    with pytest.raises(BadInput, match="limits"):
        excite(LOAD, noise, guess, jnp.full((300, 4, 2), 5.0), LIMIT, 6.0, 50.0)
    with pytest.raises(BadInput, match="300"):
        excite(LOAD, noise, guess, jnp.zeros((10, 4, 2)), LIMIT, 6.0, 50.0)
    with pytest.raises(BadInput, match="contacts"):
        excite(LOAD, noise, guess, jnp.zeros((300, 4, 2)), LIMIT, 6.0, 50.0, parts=("mass",))


def test_any_model_can_be_excited():
    """The best regressors of a line are as long as allowed and at right angles, and no plan can do better."""
    guess = e.Guess(jnp.zeros(2), jnp.full(2, jnp.inf))
    start = jnp.full((50, 2), 0.1)
    plan = excite(registry.Line(), registry.LINE_NOISE, guess, start, 1.0, 5.0, 10.0, steps=100)
    # 50 samples of square 1 at most along each, seen with a noise of 0.3; and 50 direct ones of noise 1 of the first.
    least = np.array([50 / 0.3**2 + 50 / 1.0**2, 50 / 0.3**2]) ** -0.5
    assert np.all(plan.bound_after.std >= least)
    assert np.all(plan.bound_after.std < 1.1 * least)
