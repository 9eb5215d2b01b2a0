"""Machines that weigh a drone: what they may look at, how well they do on flights they have never met."""

import equinox as eqx
import jax
import numpy as np
import pytest
from earnest import in_earnest

from steelyard import estimators as e
from steelyard.papers.sesame._learning_machines import (
    choose_training_rows,
    draw_features,
    gather_campaign,
    learn_online,
    relative_error,
    table_of_nodes,
    table_of_share,
    train_machine,
)
from steelyard.papers.sesame._machine_inputs import INPUTS, inputs_of_flights, machine_inputs
from steelyard.worlds import TRAJECTORIES, SesameScenario, fly_sesame

SEED = 3


@pytest.fixture(scope="module")
def flown():
    """Two repetitions of every trajectory: with four steps, and with one of each other kind of change."""
    pairs = list(zip(TRAJECTORIES, ("constant", "ramp", "step-down", "step-up", "ramp"), strict=True))
    flights = [SesameScenario(name, p, k) for k in range(2) for name, other in pairs for p in ("steps", other)]
    return [(flight, in_earnest(fly_sesame, flight, SEED)) for flight in flights]


@pytest.fixture(scope="module")
def campaign(flown):
    return gather_campaign(flown)


@pytest.fixture(scope="module")
def training(campaign):
    return campaign.only(lambda flight: flight.repetition == 0)


@pytest.fixture(scope="module")
def held_out(campaign):
    return campaign.only(lambda flight: flight.repetition == 1)


@pytest.fixture
def bumpy(flown):
    return dict(next(columns for flight, columns in flown if flight.name == "random/steps/00"))


def test_inputs_know_nothing_of_the_future(bumpy):
    now = 500
    other = {
        name: np.where(np.arange(len(column)) > now, column[::-1], column) if name != "time" else column
        for name, column in bumpy.items()
    }
    before, after = machine_inputs(bumpy), machine_inputs(other)
    np.testing.assert_array_equal(before[: now + 1], after[: now + 1])
    assert not np.allclose(before[now + 1 :], after[now + 1 :])


def test_inputs_do_not_read_the_truth(bumpy):
    predicted = machine_inputs(bumpy)
    np.testing.assert_array_equal(
        predicted, machine_inputs({k: v for k, v in bumpy.items() if not k.startswith("truth/")})
    )


def test_inputs_are_finite_and_flights_do_not_mix(flown, campaign):
    assert np.isfinite(campaign.inputs).all()
    assert campaign.inputs.shape == (len(flown), 1200, len(INPUTS))
    np.testing.assert_array_equal(campaign.inputs[7], machine_inputs(flown[7][1]))
    np.testing.assert_array_equal(campaign.inputs[3:9], inputs_of_flights([columns for _, columns in flown[3:9]]))


def test_inputs_do_not_depend_on_where_the_drone_flies(bumpy):
    """Turned about the vertical, and moved: the same mass."""
    c, s = np.cos(0.5 * 0.7), np.sin(0.5 * 0.7)
    w, x, y, z = (bumpy[f"r1/attitude/{axis}"] for axis in "wxyz")
    turned = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w
    v_x, v_y = bumpy["r1/linear_velocity/x"], bumpy["r1/linear_velocity/y"]
    C, S = np.cos(0.7), np.sin(0.7)
    other = bumpy | {f"r1/attitude/{axis}": q for axis, q in zip("wxyz", turned, strict=True)}
    other |= {"r1/linear_velocity/x": C * v_x - S * v_y, "r1/linear_velocity/y": S * v_x + C * v_y}
    other["r1/position/x"] = other["r1/position/x"] + 100.0
    np.testing.assert_allclose(machine_inputs(other), machine_inputs(bumpy), atol=1e-7)


def test_training_rows_stand_for_all_rows(training):
    chosen = choose_training_rows(training)
    rows = training.masses.size
    # The counts are an unbiased tally of rows: each calm row contributes 15 with chance 1/15; five sigma.
    assert abs(chosen.counts.sum() - rows) < 5 * np.sqrt(14 * rows)
    assert len(chosen.counts) < rows / 4


def test_counts_are_repetitions(training, key):
    chosen = choose_training_rows(training)
    some = slice(None, None, 12)
    x, y, n = chosen.inputs[some], chosen.log_masses[some], chosen.counts[some]
    features = e.RandomFeatures.for_inputs(key, 30, x)
    times = np.rint(n).astype(int)
    repeated = e.fit_relm(features, np.repeat(x, times, axis=0), np.repeat(y, times, axis=0), 1e-3)
    counted = e.fit_relm(features, x, y, 1e-3, counts=n)
    np.testing.assert_allclose(counted.predict(x), repeated.predict(x), rtol=0, atol=1e-9)


def test_five_hundred_nodes_weigh_flights_they_have_never_met(training, held_out):
    """One repetition learnt, another told.

    Over twelve such draws of flights and nodes the machine erred by 2.51 % with a standard deviation of 0.17 %; the
    upper bound is five of those away. The lower one is for cheats: no sensor hears of a jump in its first row, and who
    is right everywhere but there errs by this much.
    """
    score = train_machine(training, held_out, nodes=500, regularisation=0.1)
    assert score.machine.learnt < 10_000
    late = np.roll(held_out.masses, 1, axis=1)
    late[:, 0] = held_out.masses[:, 0]
    one_row_late = 100 * np.sqrt(np.mean((late / held_out.masses - 1) ** 2))
    assert one_row_late < score.held_out_error < 2.51 + 5 * 0.17


def test_more_is_learnt_from_more(campaign, training, held_out):
    (small, large) = table_of_nodes(training, held_out, nodes=(5, 100), regularisation=1e-3)
    assert large.relm.training_error < small.relm.training_error
    # The fit itself, over its own rows, can only get better without the ridge.
    assert large.elm.norm >= large.relm.norm
    heard = []
    rows = table_of_share(campaign, held_out, repetitions=(1, 2), nodes=60, advance=heard.append)
    assert [row.relm.machine.learnt for row in rows] == sorted({row.relm.machine.learnt for row in rows})
    assert heard == [1, 1]


def test_one_by_one_chunks_and_batch_tell_the_same_mass(training, held_out):
    """Without forgetting OSELM is RELM, on real inputs and with 1e-5."""
    chosen = choose_training_rows(training)
    features = draw_features(chosen, 200)
    what = chosen.inputs, chosen.log_masses
    batch = e.fit_relm(features, *what, 1e-5, counts=chosen.counts)
    online = e.OnlineElm(features, 1e-5)
    chunked = eqx.filter_jit(online.learn)(online.init(1), *what, counts=chosen.counts)

    def row_by_row(belief, rows):
        def one(belief, row):
            x, y, n = (a[None] for a in row)
            return online.learn(belief, x, y, counts=n), None

        return jax.lax.scan(one, belief, rows)[0]

    single = jax.jit(row_by_row)(online.init(1), (*what, chosen.counts))
    assert int(single.learnt) == int(chunked.learnt) == batch.learnt > features.nodes
    expected = batch.predict(held_out.inputs[0])
    np.testing.assert_allclose(online.predict(chunked, held_out.inputs[0]), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(online.predict(single, held_out.inputs[0]), expected, rtol=0, atol=1e-6)


def test_what_is_learnt_on_regular_courses_holds_on_random_ones(training, held_out):
    """The paper leaves its online machine's random trajectories out, for it fails there; ours has never seen one."""
    regular = training.only(lambda flight: flight.trajectory != "random")
    done = learn_online(regular, held_out, nodes=100, regularisation=1e-1, memory=10_000.0)
    by_name = {score.trajectory: score for score in done.trajectories}
    assert by_name["random"].online < 4.0
    for name in set(TRAJECTORIES) - {"random"}:
        assert by_name[name].online < 1.1 * by_name[name].batch
    assert relative_error(done.machine, held_out) == done.held_out_error
    # Predicted from the rows before only: the first is blind, and says a mass of exp(0).
    assert done.predicted[0] == 1.0
    assert len(done.predicted) == done.machine.learnt
