"""The online runner: the same numbers on both engines, no copies, estimates out, and XLA where there is no compiler."""

import dataclasses
import threading

import jax
import numpy as np
import pytest
import registry

from steelyard.errors import BadInput
from steelyard.estimators import replay
from steelyard.native import NoCompilerWarning, Online, PackedStep
from steelyard.native.runtime import _packed_step


@pytest.fixture
def cart():
    case = registry.build("kalman-cart")
    return case, case.estimator.init(case.guess)


def rows_of(case, online: PackedStep) -> np.ndarray:
    return np.stack([online.pack_sample(case.sample(row)) for row in range(registry.ROWS)])


def test_both_engines_say_the_same(cart):
    case, start = cart
    native, xla = (PackedStep(case.estimator, start, case.sample(0), engine) for engine in ("auto", "xla"))
    assert (native.engine, xla.engine) == ("native", "xla")
    rows, kept = rows_of(case, native), np.empty((2, registry.ROWS, native.pack(start).size))
    for each, into in zip((native, xla), kept, strict=True):
        packed = each.pack(start)
        each.run(packed, rows, into)
        np.testing.assert_array_equal(packed, into[-1])
    np.testing.assert_allclose(kept[0], kept[1], rtol=1e-12, atol=1e-12)


def test_a_run_is_its_steps(cart):
    case, start = cart
    online = PackedStep(case.estimator, start, case.sample(0))
    rows, one, many = rows_of(case, online), online.pack(start), online.pack(start)
    for row in rows:
        one = online.step(one, row)
    online.run(many, rows)
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("engine", ["native", "xla"])
def test_the_result_goes_where_it_is_told(cart, engine):
    case, start = cart
    online = PackedStep(case.estimator, start, case.sample(0), engine)
    packed, row = online.pack(start), online.pack_sample(case.sample(1))
    fresh = online.step(packed, row)
    assert fresh is not packed
    assert online.step(packed, row, packed) is packed  # in place
    np.testing.assert_array_equal(packed, fresh)


@pytest.mark.parametrize(
    "spoil", [lambda v: v[:-1], lambda v: v.astype(np.float32), lambda v: np.zeros(v.size, np.int64)]
)
def test_another_vector_is_refused(cart, spoil):
    case, start = cart
    online = PackedStep(case.estimator, start, case.sample(0), "native")
    packed, row = online.pack(start), online.pack_sample(case.sample(1))
    with pytest.raises(ValueError, match="another length or type"):
        online.step(spoil(packed), row)
    with pytest.raises(ValueError, match="another length or type"):
        online.step(packed, row, spoil(packed))


def test_steps_are_reentrant(cart):
    """Runs release Python's lock: four at a time, over different data, as if each were alone."""
    case, start = cart
    online = PackedStep(case.estimator, start, case.sample(0), "native")
    rows = np.tile(rows_of(case, online), (500, 1))
    scales = (0.5, 1.0, 1.5, 2.0)
    alone, together = ([online.pack(start) for _ in scales] for _ in range(2))
    for packed, scale in zip(alone, scales, strict=True):
        online.run(packed, scale * rows)
    threads = [threading.Thread(target=online.run, args=(packed, scale * rows))
               for packed, scale in zip(together, scales, strict=True)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(alone, together)


def test_without_a_compiler_xla_steps_and_one_warning_is_given(cart, monkeypatch, tmp_path, capfd):
    case, start = cart
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    _packed_step.warn_once.cache_clear()
    with pytest.warns(NoCompilerWarning, match="no C compiler") as given:
        first, second = (PackedStep(case.estimator, start, case.sample(0)) for _ in range(2))
    assert len(given) == 1
    assert first.engine == second.engine == "xla"
    assert capfd.readouterr() == ("", "")
    with pytest.raises(BadInput, match="no C compiler"):
        PackedStep(case.estimator, start, case.sample(0), "native")


@pytest.mark.parametrize("engine", ["native", "xla"])
def test_what_is_kept_of_a_step_is_what_a_replay_keeps(cart, engine):
    case, start = cart

    def keep(belief):
        return {"std": belief.std, "status": belief.status}

    step = PackedStep(case.estimator, start, case.sample(0), engine, keep)
    kept = replay(case.estimator, start, case.samples, keep).recorded
    packed = step.pack(start)
    for row in range(registry.ROWS):
        packed = step.step(packed, step.pack_sample(case.sample(row)))
        np.testing.assert_allclose(step.recorded(packed)["std"], kept["std"][row], rtol=1e-12)
        assert step.recorded(packed)["status"] == kept["status"][row]


def test_online_estimates_are_those_of_the_belief(cart):
    case, start = cart
    online = Online(case.estimator, start, case.sample(0), time=5.0)
    belief = start
    for row in range(1, 20):
        belief = case.estimator.step(belief, case.sample(row))
        estimates = online.step(case.sample(row))
    assert online.time == pytest.approx(5.0 + sum(float(case.sample(row).dt) for row in range(1, 20)))
    values = np.concatenate([np.ravel(one.value) for one in estimates.values()])
    std = np.concatenate([np.ravel(one.std) for one in estimates.values()])
    np.testing.assert_allclose(values, np.concatenate([np.ravel(x) for x in jax.tree.leaves(belief.state)]), rtol=1e-9)
    np.testing.assert_allclose(std, belief.std, rtol=1e-9)
    np.testing.assert_allclose(online.belief.covariance, belief.covariance, rtol=1e-9, atol=1e-12)


def test_an_unknown_engine_is_refused(cart):
    case, start = cart
    with pytest.raises(BadInput, match='did you mean "native"'):
        PackedStep(case.estimator, start, case.sample(0), "natve")


def test_a_sample_that_does_not_fit_is_one_sentence_and_changes_nothing(cart):
    case, start = cart
    online = Online(case.estimator, start, case.sample(0))
    online.step(case.sample(0))
    before = online.belief
    for wrong in (None, "x", {"position": 3.0}, dataclasses.replace(case.sample(0), measurement=np.zeros(99))):
        with pytest.raises(BadInput, match="does not fit"):
            online.step(wrong)  # pyright: ignore[reportArgumentType]
    jax.tree.map(np.testing.assert_array_equal, online.belief, before)
    online.step(dataclasses.replace(case.sample(0), dt=np.array(np.nan)))
    assert np.isfinite(online.time)
