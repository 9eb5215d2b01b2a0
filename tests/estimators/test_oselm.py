"""Learning online is learning all at once: OSELM equals RELM, however the samples are cut into chunks."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_models import ElmModel
from test_elm import samples, small

from steelyard import estimators as e
from steelyard.errors import BadInput

RIDGE = 1e-2
ROWS = 150


@functools.cache
def learner(memory: float = np.inf) -> tuple[e.OnlineElm, e.ElmBelief]:
    online = e.OnlineElm(small(jax.random.key(7)), RIDGE, memory)
    return online, online.init(2)


@eqx.filter_jit
def learn(online, belief, inputs, targets, dt=1.0):
    return online.learn(belief, inputs, targets, dt)


def one_by_one(online, belief, inputs, targets, dt):
    def row(belief, sample):
        inputs, targets, dt = sample
        return online.learn(belief, inputs[None], targets[None], dt), None

    return jax.lax.scan(row, belief, (jnp.asarray(inputs), jnp.asarray(targets), jnp.asarray(dt)))[0]


def in_chunks(online, belief, inputs, targets, dt, sizes):
    ends = np.cumsum(sizes)
    assert ends[-1] == len(inputs)
    for begin, end in zip(ends - sizes, ends, strict=True):
        belief = learn(online, belief, inputs[begin:end], targets[begin:end], dt[begin:end])
    return belief


def fading_ridge(features, ridge, memory, inputs, targets, dt) -> tuple[np.ndarray, np.ndarray]:
    """Weights and inverse Gram matrix of ridge regression in which old samples count less, all at once."""
    hidden = np.asarray(features(inputs))
    age = np.sum(dt) - np.cumsum(dt)
    weighted = hidden * np.exp(-age / memory)[:, None]
    gram = weighted.T @ hidden + np.diag(ridge)
    return np.linalg.solve(gram, weighted.T @ targets), np.linalg.inv(gram)


def near(left, right, tolerance=1e-8):
    np.testing.assert_allclose(left, right, atol=tolerance * float(np.max(np.abs(right))), rtol=0)


# Unequal chunks, of which some are single rows, and one that is longer than a block.
CHUNKS = {"even": [50, 50, 50], "uneven": [1, 50, 1, 7, 1, 40, 50], "at once": [150]}


@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS)
def test_after_any_chunks_it_is_relm_of_all_the_data(sizes):
    online, belief = learner()
    inputs, targets = samples(ROWS)
    belief = in_chunks(online, belief, inputs, targets, np.ones(ROWS), sizes)
    batch = e.fit_relm(online.features, inputs, targets, RIDGE)
    near(belief.weights, batch.weights)
    near(online.predict(belief, inputs), batch.predict(inputs))
    near(belief.norm, batch.norm)
    assert (int(belief.learnt), int(belief.skipped)) == (ROWS, 0)


def test_one_by_one_it_is_relm_of_all_the_data():
    online, belief = learner()
    inputs, targets = samples(ROWS)
    belief = jax.jit(functools.partial(one_by_one, online))(belief, inputs, targets, np.ones(ROWS))
    near(belief.weights, e.fit_relm(online.features, inputs, targets, RIDGE).weights)


@pytest.mark.parametrize("seed", range(3))
def test_random_chunks_too(seed):
    online, belief = learner()
    inputs, targets = samples(ROWS, seed)
    sizes = np.random.default_rng(seed).choice([1, 7, 40], ROWS)
    sizes = sizes[np.cumsum(sizes) <= ROWS]
    sizes = np.append(sizes, np.ones(ROWS - np.sum(sizes), int))
    belief = in_chunks(online, belief, inputs, targets, np.ones(ROWS), sizes)
    near(belief.weights, e.fit_relm(online.features, inputs, targets, RIDGE).weights)


def test_the_order_of_chunks_does_not_matter():
    online, belief = learner()
    inputs, targets = samples(ROWS)
    mixed = np.arange(ROWS).reshape(3, 50)[[2, 0, 1]].ravel()
    chunks, ones = np.full(3, 50), np.ones(ROWS)
    forth = in_chunks(online, belief, inputs, targets, ones, chunks)
    back = in_chunks(online, belief, inputs[mixed], targets[mixed], ones, chunks)
    near(online.predict(back, inputs), online.predict(forth, inputs))


def test_at_the_papers_size_rounding_stays_small(key):
    """Hundreds of nodes and little regularisation: P spans twelve decades, and predictions still agree."""
    inputs, targets = samples(600)
    features = e.RandomFeatures.for_inputs(key, 200, inputs)
    online = e.OnlineElm(features, 1e-5)
    belief = learn(online, online.init(2), inputs, targets)
    near(online.predict(belief, inputs), e.fit_relm(features, inputs, targets, 1e-5).predict(inputs))
    np.testing.assert_array_equal(belief.gram_inverse, belief.gram_inverse.T)
    assert np.linalg.eigvalsh(belief.gram_inverse)[0] > 0


@pytest.mark.parametrize("memory", [8.0, 60.0])
@pytest.mark.parametrize("sizes", [[1] * ROWS, CHUNKS["uneven"], CHUNKS["at once"]], ids=["rows", "uneven", "at once"])
def test_with_forgetting_it_is_exponentially_weighted_ridge_regression(memory, sizes):
    online, belief = learner(memory)
    inputs, targets = samples(ROWS)
    dt = np.random.default_rng(2).uniform(0.0, 2.0, ROWS)
    dt[20] = 0.0  # two samples of one moment
    belief = in_chunks(online, belief, inputs, targets, dt, sizes)
    weights, gram_inverse = fading_ridge(online.features, belief.ridge, memory, inputs, targets, dt)
    near(belief.weights, weights)
    near(belief.gram_inverse, gram_inverse)
    # Each of 12 nodes had its turn within the last 12 rows that took time, and they took at most 2 each.
    assert (belief.ridge <= RIDGE).all()
    assert (belief.ridge >= RIDGE * np.exp(-24 / memory) * (1 - 1e-12)).all()


def test_memory_counts_samples_or_seconds():
    inputs, targets = samples(20)
    by_count, by_time = learner(10.0), learner(0.1)
    in_samples = learn(*by_count, inputs, targets)
    in_seconds = learn(*by_time, inputs, targets, 0.01)
    near(in_seconds.weights, in_samples.weights)


def test_it_follows_a_map_that_changed():
    """Five memories after the map turned its sign a share of exp(-5) is left of the old one; without, both cancel."""

    def error_after_change(online: e.OnlineElm, belief: e.ElmBelief) -> float:
        belief = learn(online, belief, inputs, targets)
        belief = learn(online, belief, inputs, -targets)
        return float(np.sqrt(np.mean((online.predict(belief, inputs) + targets) ** 2)))

    inputs = samples(ROWS)[0]
    targets = np.asarray(learner()[0].features(inputs)) @ np.random.default_rng(0).normal(size=(12, 2))
    assert error_after_change(*learner(ROWS / 5)) < 0.05 * error_after_change(*learner())


def test_it_survives_a_thousand_memories_of_the_same_sample():
    """Where nothing excites the nodes P would grow by e in every memory; the ridge that is renewed keeps it."""
    online, belief = learner(3.0)
    inputs, targets = (np.tile(values, (3000, 1)) for values in samples(1))
    after = learn(online, belief, inputs, targets)
    spectrum = np.linalg.eigvalsh(after.gram_inverse)
    assert spectrum[0] > 0
    assert spectrum[-1] <= np.exp(12 / 3) / RIDGE * (1 + 1e-9)  # each of the 12 had its turn within 12 rows
    np.testing.assert_array_equal(after.gram_inverse, after.gram_inverse.T)
    np.testing.assert_allclose(online.predict(after, inputs[0]), targets[0], rtol=1e-2)


@pytest.mark.parametrize("dt", [1e6, np.inf, np.nan, -1.0])
def test_a_silence_without_end_is_survived(dt):
    inputs, targets = samples(40)
    online, belief = learner(5.0)
    belief = learn(online, belief, inputs, targets)
    for _ in range(3):
        belief = learn(online, belief, inputs[:1], targets[:1], dt)
    assert np.isfinite(belief.weights).all()
    # forgetting wears the ridge down to a thousandth of itself (`least_ridge`), and no further
    assert np.linalg.eigvalsh(belief.gram_inverse)[-1] <= 1e3 / RIDGE * (1 + 1e-9)
    assert float(jnp.min(belief.ridge)) >= 1e-3 * RIDGE * (1 - 1e-12)


@pytest.mark.parametrize("memory", [np.inf, 30.0])
@pytest.mark.parametrize("sizes", [[1] * 40, [40]], ids=["rows", "chunk"])
def test_rows_that_are_not_finite_are_skipped_and_time_goes_on(memory, sizes):
    online, belief = learner(memory)
    inputs, targets = samples(40)
    holed, silent = inputs.copy(), targets.copy()
    lost = np.array([0, 7, 20, 39])
    holed[7, 1], silent[0], silent[20, 1], holed[39] = np.nan, np.nan, np.inf, np.nan
    belief = in_chunks(online, belief, holed, silent, np.ones(40), sizes)
    heard = np.setdiff1d(np.arange(40), lost)
    hidden = np.asarray(online.features(inputs))[heard]
    weighted = hidden * np.exp(-(39 - heard) / memory)[:, None]
    near(belief.weights, np.linalg.solve(weighted.T @ hidden + np.diag(belief.ridge), weighted.T @ targets[heard]))
    assert (int(belief.learnt), int(belief.skipped)) == (36, 4)
    machine = online.machine(belief)
    assert (machine.learnt, machine.dropped) == (36, 4)
    near(machine.predict(inputs), online.predict(belief, inputs))


@pytest.mark.parametrize("memory", [np.inf, 30.0])
def test_learning_is_pure_and_learns_many_machines_at_once(memory):
    online, belief = learner(memory)
    before = jax.tree.map(np.array, belief)
    inputs, targets = (jnp.asarray(values).reshape(3, 40, -1) for values in samples(120))
    apart = [learn(online, belief, x, t) for x, t in zip(inputs, targets, strict=True)]
    together = jax.jit(jax.vmap(lambda x, t: online.learn(belief, x, t)))(inputs, targets)
    for k, alone in enumerate(apart):
        near(together.weights[k], alone.weights)
    scanned, _ = jax.lax.scan(lambda b, chunk: (online.learn(b, *chunk), None), belief, (inputs, targets))
    near(scanned.weights, learn(online, belief, inputs.reshape(120, 3), targets.reshape(120, 2)).weights)
    assert eqx.tree_equal(before, jax.tree.map(np.array, belief))


@pytest.mark.parametrize("memory", [np.inf, 30.0])
def test_one_row_needs_no_library(memory):
    """No custom call, no factorisation: the step can become C."""
    online, belief = learner(memory)
    inputs, targets = samples(1)
    lowered = jax.jit(lambda b, x, t: online.learn(b, x, t)).lower(belief, inputs, targets).as_text()
    for word in ("custom_call", "lapack", "cholesky", "triangular_solve"):
        assert word not in lowered


def test_the_contract_offers_the_same_by_least_squares_on_the_weights():
    online, belief = learner()
    inputs, targets = samples(40)
    inputs[11, 0] = np.nan
    belief = learn(online, belief, inputs, targets)
    none = jnp.zeros(24)
    noise = e.Noise(measurement=jnp.ones(2), control=jnp.zeros(3), drift=none, blind=jnp.zeros(3))
    squares = e.RecursiveLeastSquares(ElmModel(online.features), noise)
    start = squares.init(e.Guess(jnp.zeros((12, 2)), none + RIDGE**-0.5))
    log = e.Sample(jnp.ones(40), jnp.asarray(inputs), jnp.asarray(targets))
    replayed = e.replay(squares, start, log, keep=lambda belief: belief.status)
    near(replayed.belief.state, belief.weights)
    assert int(replayed.recorded[11]) & e.Status.BLIND
    assert int(replayed.recorded[12]) == e.Status.OK


BAD = {
    "regularisation is 0; learning online starts from it, so give a finite number above 0, for instance 1e-5.": (
        lambda: e.OnlineElm(learner()[0].features, 0.0)
    ),
    "regularisation is -1; learning online starts from it, so give a finite number above 0, for instance 1e-5.": (
        lambda: e.OnlineElm(learner()[0].features, -1)
    ),
    "memory is 0; give a number above 0, or inf to forget nothing.": (
        lambda: e.OnlineElm(learner()[0].features, RIDGE, 0.0)
    ),
    "A machine of 0 outputs has nothing to learn; give at least 1.": lambda: learner()[0].init(0),
    "There are 5 inputs and 4 targets; give one target to each input.": (
        lambda: learn(*learner(), samples(5)[0], samples(4)[1])
    ),
    "The inputs are empty (shape (0, 3)); give at least one sample of at least one number.": (
        lambda: learn(*learner(), samples(0)[0], samples(0)[1])
    ),
    "The inputs have 2 columns, but the features were drawn for 3; give those, or draw features for these.": (
        lambda: learn(*learner(), samples(5)[0][:, :2], samples(5)[1])
    ),
    "The targets have 1 columns, but learning began with 2 outputs; give as many, or begin anew.": (
        lambda: learn(*learner(), samples(5)[0], samples(5)[1][:, :1])
    ),
    "The targets have shape (5,), not a row a sample; give targets[:, None] if each sample is one number.": (
        lambda: learn(*learner(), samples(5)[0], samples(5)[1][:, 0])
    ),
    "dt has shape (3,) for 5 samples; give one number, or one a sample.": (
        lambda: learn(*learner(), *samples(5), np.ones(3))
    ),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_is_told_in_one_sentence(sentence):
    with pytest.raises(BadInput) as told:
        BAD[sentence]()
    assert str(told.value) == sentence
