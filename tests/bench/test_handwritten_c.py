"""The filter written in C by hand gives the numbers of ours, so that the two do the same work in a race."""

import jax
import numpy as np
import pytest

from steelyard.bench._handwritten_c import STATE, load_handwritten
from steelyard.bench._scenario import lay_out
from steelyard.native import NoCompiler, PackedStep, find_compiler


def test_the_handwritten_filter_is_our_filter():
    try:
        find_compiler()
    except NoCompiler:
        pytest.skip("there is no C compiler")
    scenario = lay_out(2.0)
    noise, rows = scenario.estimator.noise, scenario.samples.dt.shape[0]
    by_hand = load_handwritten(
        np.asarray(noise.measurement) ** 2, np.asarray(noise.control) ** 2, float(noise.drift[9]) ** 2
    )
    online = PackedStep(
        scenario.estimator, scenario.belief, jax.tree.map(lambda leaf: leaf[0], scenario.samples), "xla"
    )
    samples = np.stack(
        [online.pack_sample(jax.tree.map(lambda leaf, k=k: leaf[k], scenario.samples)) for k in range(rows)]
    )
    start = online.pack(scenario.belief)
    ours, theirs = np.empty((rows, start.size)), np.empty((rows, STATE))
    online.run(start.copy(), samples, ours)
    by_hand.run(start[:STATE].copy(), samples, theirs)
    np.testing.assert_allclose(theirs, ours[:, :STATE], rtol=1e-9, atol=1e-12)
