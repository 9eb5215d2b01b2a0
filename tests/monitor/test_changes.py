"""Sudden changes: found by a likelihood ratio, and taken in as if they had been known."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import CART_GUESS, CART_NOISE, LOG_MASS, PUSH, Cart, assert_close, cart_log

from steelyard import estimators as e
from steelyard.monitor import ChangeWatch

PLAIN = e.ExtendedKalman(Cart(), CART_NOISE)
JUMP_STD = 3.0
ROWS = 80


def watch(**settings) -> ChangeWatch:
    return ChangeWatch(PLAIN, (PUSH,), (JUMP_STD,), **({"spacing": 0.2, "candidates": 10} | settings))


@eqx.filter_jit
def told_beforehand(samples: e.Sample, onset):
    """A plain filter that at row `onset` is told to expect a jump; and how likely each row was to it."""

    def row(belief, given):
        k, sample = given
        belief = PLAIN.step(belief, sample)
        likelihood = belief.innovation.log_likelihood
        P = belief.covariance.at[PUSH, PUSH].add(jnp.where(k == onset, JUMP_STD**2, 0.0))
        belief = eqx.tree_at(lambda b: b.covariance, belief, P)
        return belief, (belief, likelihood)

    return jax.lax.scan(row, PLAIN.init(CART_GUESS), (jnp.arange(ROWS), samples))[1]


def detection(run, samples) -> tuple[int, list[int]]:
    """The row at which a jump was found, and the rows of the onsets that were considered there."""
    times, found = np.cumsum(np.asarray(samples.dt)), np.nonzero(np.asarray(run.change.found))[0]
    assert len(found) == 1
    detected = int(found[0])
    onsets = times[detected - 1] - np.asarray(run.age)[detected - 1]
    rows = [int(np.argmin(np.abs(times - onset))) for onset in onsets]
    np.testing.assert_allclose(times[rows], onsets, atol=1e-9)
    return detected, rows


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_detected_jump_is_a_mixture_of_filters_that_were_told(seed):
    """One filter for each onset, each as likely as its innovations: their joint mean and covariance, to 1e-9."""
    samples = cart_log(seed, ROWS, jump=5.0)
    run = e.replay(watch(), watch().init(CART_GUESS), samples).recorded
    detected, rows = detection(run, samples)
    assert abs(float(run.change.size[detected]) - 5.0) < 2.0
    told = [told_beforehand(samples, row) for row in rows]
    evidence = np.array([np.sum(np.asarray(likelihood)[: detected + 1]) for _, likelihood in told])
    weight = np.exp(evidence - evidence.max())
    weight /= weight.sum()
    best = int(np.argmax(weight))
    np.testing.assert_allclose(times_of(samples)[detected] - times_of(samples)[rows[best]], run.change.age[detected])
    means = np.stack([vector(jax.tree.map(lambda leaf: leaf[detected], belief.state)) for belief, _ in told])
    covariances = np.stack([np.asarray(belief.covariance[detected]) for belief, _ in told])
    mean = weight @ means
    spread = np.einsum("k,ki,kj->ij", weight, means - mean, means - mean)
    now = jax.tree.map(lambda leaf: leaf[detected], run.kalman)
    np.testing.assert_allclose(vector(now.state), mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(now.covariance, np.einsum("k,kij->ij", weight, covariances) + spread, rtol=1e-9)
    assert int(now.status) == e.Status.CHANGED


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_jump_with_one_possible_onset_is_as_if_told_beforehand(seed):
    """And so is everything after it."""
    samples = cart_log(seed, ROWS, jump=5.0)
    due = float(np.cumsum(np.asarray(samples.dt))[ROWS // 2 - 1])  # opens in the row before the jump, and not again
    single = watch(spacing=due, candidates=1)
    run = e.replay(single, single.init(CART_GUESS), samples).recorded
    detected, (row,) = detection(run, samples)
    assert row == ROWS // 2 - 1
    told, _ = told_beforehand(samples, row)
    after = jax.tree.map(lambda leaf: leaf[detected:], (run.kalman.state, run.kalman.covariance))
    assert_close(
        after, jax.tree.map(lambda leaf: leaf[detected:], (told.state, told.covariance)), rtol=1e-9, atol=1e-11
    )


def times_of(samples: e.Sample) -> np.ndarray:
    return np.cumsum(np.asarray(samples.dt))


def vector(state) -> np.ndarray:
    return np.array([float(leaf) for leaf in jax.tree.leaves(state)])


def test_a_bend_widens_the_belief_along_the_jump_and_nothing_else():
    samples = cart_log(0, ROWS, jump=5.0)
    due = float(np.cumsum(np.asarray(samples.dt))[ROWS // 2 - 1])
    watches = (watch(spacing=due, candidates=1, bend=bend) for bend in (0.0, 0.1))
    straight, bent = (e.replay(w, w.init(CART_GUESS), samples).recorded for w in watches)
    detected = int(np.argmax(straight.change.found))
    first = jax.tree.map(lambda leaf: leaf[detected], (straight, bent))
    assert_close(first[0].kalman.state, first[1].kalman.state)
    added = np.linalg.eigvalsh(first[1].kalman.covariance - first[0].kalman.covariance)
    unknown = (0.1 * float(first[0].change.size) ** 2) ** 2
    assert 0.8 * unknown < added[-1] < 1.2 * unknown  # the column's push is still nearly one
    np.testing.assert_allclose(added[:-1], 0.0, atol=1e-10)


def test_without_a_jump_it_is_the_plain_filter():
    samples = cart_log(3, ROWS)
    watched = e.replay(watch(), watch().init(CART_GUESS), samples).recorded
    plain = e.replay(PLAIN, PLAIN.init(CART_GUESS), samples).recorded
    assert not np.any(watched.change.found)
    assert_close(watched.kalman, plain)


def test_two_watched_coordinates_are_told_apart():
    """A jump of the velocity is not taken for one of the push, nor the other way round."""
    both = ChangeWatch(PLAIN, (PUSH, 2), (3.0, 3.0), spacing=0.01, candidates=20)  # an onset in every row
    samples = cart_log(4, ROWS, jump=5.0)
    step = jnp.where(jnp.arange(ROWS) >= ROWS // 2, 2.0, 0.0)
    times = jnp.cumsum(samples.dt)
    moved = {
        "position": cart_log(4, ROWS).measurement["position"] + step * (times - times[ROWS // 2]),
        "velocity": cart_log(4, ROWS).measurement["velocity"] + step,
    }
    for measurement, coordinate in ((samples.measurement, 0), (moved, 1)):
        log = e.Sample(samples.dt, samples.control, measurement)
        change = e.replay(both, both.init(CART_GUESS), log).recorded.change
        found = np.nonzero(np.asarray(change.found))[0]
        assert list(np.asarray(change.watched)[found[:1]]) == [coordinate]


RUNS, OPENED, PRIOR = 4000, 9, 0.5**-2


@pytest.fixture(scope="module")
def lives() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Score, information and ratio of one candidate over many lives without any change; it opens at row 9."""
    silent = ChangeWatch(PLAIN, (PUSH,), (PRIOR**-0.5,), spacing=100.0, candidates=1, threshold=jnp.inf)
    dt, rows = jnp.asarray(0.1, float), 90

    def life(key):
        start_key, row_key = jax.random.split(key)
        leaves, structure = jax.tree.flatten(CART_GUESS.state)
        x = structure.unflatten(list(jnp.stack(leaves) + CART_GUESS.std * jax.random.normal(start_key, (3,))))

        def row(carry, draws):
            x, belief = carry
            x = Cart().dynamics(x, 0.5 * draws[0], dt)
            x = x | {"push": x["push"] + 0.02 * jnp.sqrt(dt) * draws[1]}
            reading = {"position": x["position"] + 0.1 * draws[2], "velocity": x["velocity"] + 0.2 * draws[3]}
            belief = silent.step(belief, e.Sample(dt, jnp.zeros(()), reading))
            told = (belief.shadows.score[0], belief.shadows.information[0], jnp.exp(belief.change.log_ratio))
            return (x, belief), told

        nearly_due = eqx.tree_at(lambda b: b.since_opened, silent.init(CART_GUESS), jnp.asarray(99.0, float))
        return jax.lax.scan(row, (x, nearly_due), jax.random.normal(row_key, (rows, 4)))[1]

    score, information, ratio = jax.jit(jax.vmap(life))(jax.random.split(jax.random.key(6), RUNS))
    return np.asarray(score), np.asarray(information[0]), np.asarray(ratio)


def test_scores_are_as_large_as_their_information_says(lives):
    """Normal of variance `information` while nothing happens: mean and mean square within 4 standard errors."""
    score, information, _ = lives
    assert np.all(information[: OPENED + 1] == 0)
    unit = score[:, OPENED + 1 :] / np.sqrt(information[OPENED + 1 :])
    assert np.abs(np.mean(unit**2, axis=0) - 1.0).max() < 4 * np.sqrt(2 / RUNS)
    assert np.abs(np.mean(unit, axis=0)).max() < 4 / np.sqrt(RUNS)


def test_evidence_is_a_likelihood_ratio(lives):
    """Its mean is one while nothing happens: within 4 standard errors, while its variance is finite."""
    _, information, ratio = lives
    rows = [row for row in range(OPENED + 1, 90) if information[row] < 0.7 * PRIOR]
    assert len(rows) >= 3
    for now in ratio[:, rows].T:
        error = now.std() / np.sqrt(RUNS)
        assert error < 0.02
        assert abs(now.mean() - 1.0) < 4 * error


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_evidence_seldom_exceeds_what_it_may(lives, alpha):
    """Ville: a ratio ever exceeds 1/alpha in a share alpha of lives at the most; 3 standard errors for luck."""
    share = np.mean(lives[2].max(axis=1) > 1.0 / alpha)
    assert share < alpha + 3 * np.sqrt(alpha * (1 - alpha) / RUNS)
    assert share > 0.1 * alpha  # or the numbers were chosen so that nothing could fail


def test_a_jump_of_a_fifth_of_the_mass_is_found_within_a_third_of_a_second():
    """A thrust map that breaks by a fifth looks exactly like a mass that jumps by a fifth."""
    rotor = registry.build("changes-multirotor").estimator
    watching = ChangeWatch(rotor.filter, (LOG_MASS,), (0.3,), spacing=0.05, candidates=20)
    logs = []
    for seed in range(9):
        log = registry.rotor_log(seed, rows=400)
        thrust = jnp.where(jnp.arange(400) >= 200, log.control.thrust / 1.2, log.control.thrust)
        logs.append(eqx.tree_at(lambda s: s.control.thrust, log, thrust))
    logs = jax.tree.map(lambda *leaves: jnp.stack(leaves), *logs)
    start = watching.init(e.Guess(registry.rotor_state(mass=1.0), registry.ROTOR_STD))
    starts = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (9, *leaf.shape)), start)
    change = e.campaign(watching, starts, logs, lambda b: b.change).recorded
    found = np.asarray(change.found)
    assert not found[:, :200].any()
    delays = [np.sum(np.asarray(logs.dt)[k, 200 : np.nonzero(found[k])[0][0]]) for k in range(9)]
    assert np.median(delays) < 0.3
