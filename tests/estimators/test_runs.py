"""One step, many ways to run it: the same numbers everywhere, for every estimator."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import Case, assert_close

from steelyard.estimators import Packing, campaign, replay
from steelyard.native import PackedStep

HOST_OR_LAPACK = ("custom_call", "custom-call", "callback", "lapack")


# The window over a multirotor takes XLA as long as all others together, and the cart has its window, too.
SHORT = [name for name in registry.CASES if name != "window-multirotor"]


@pytest.fixture(params=SHORT)
def flights(request) -> list[Case]:
    return [registry.build(request.param, seed) for seed in (0, 1, 2)]


def stacked(trees):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def test_online_and_replay_and_campaign_agree_to_rounding(flights: list[Case]):
    first = flights[0]
    estimator, start = first.estimator, first.estimator.init(first.guess)
    online = PackedStep(estimator, start, first.sample(0), engine="xla")  # tests/native has the other
    packed, seen = online.pack(start), []
    for row in range(registry.ROWS):
        packed = online.step(packed, online.pack_sample(first.sample(row)))
        seen.append(online.unpack(packed))
    alone = [replay(estimator, start, flight.samples) for flight in flights]
    together = campaign(estimator, stacked([start] * 3), stacked([flight.samples for flight in flights]))

    assert_close(jax.tree.map(lambda *rows: np.stack(rows), *seen), alone[0].recorded)
    # A batch of products of matrices sums in an order of its own.
    assert_close(stacked([run.recorded for run in alone]), together.recorded, rtol=1e-10)
    assert_close(stacked([run.belief for run in alone]), together.belief, rtol=1e-10)
    assert_close(jax.tree.map(lambda leaf: leaf[-1], alone[0].recorded), alone[0].belief)
    statuses = np.array([belief.status for belief in seen])
    np.testing.assert_array_equal(statuses, jax.vmap(lambda belief: belief.status)(alone[0].recorded))


def test_packing_loses_nothing(case: Case):
    belief, _ = case.middle()
    packing = Packing(belief)
    again = packing.unpack(packing.pack_numpy(belief))
    assert_close(again, belief, rtol=0, atol=0)
    assert [jnp.result_type(leaf) for leaf in jax.tree.leaves(again)] == [
        jnp.result_type(leaf) for leaf in jax.tree.leaves(belief)
    ]


def test_step_is_pure(case: Case):
    belief, sample = case.middle()
    before = jax.tree.map(np.array, (belief, sample))
    first, second = case.step(belief, sample), case.step(belief, sample)
    assert_close(first, second, rtol=0, atol=0)
    assert_close(before, (belief, sample), rtol=0, atol=0)


def test_step_keeps_structure_shapes_and_types(case: Case):
    before, after = (jax.tree.map(jax.typeof, case.beliefs[k]) for k in (0, 1))
    assert jax.tree.structure(after) == jax.tree.structure(before)
    for a, b in zip(jax.tree.leaves(after), jax.tree.leaves(before), strict=True):
        assert (a.shape, a.dtype, a.weak_type) == (b.shape, b.dtype, b.weak_type)


def test_step_calls_neither_the_host_nor_lapack(case: Case):
    text = registry.one_step.lower(case.estimator, *case.middle()).as_text()
    assert not [word for word in HOST_OR_LAPACK if word in text.lower()]
