"""The online runner: the same numbers on both engines, no copies, and XLA where there is no compiler."""

import threading

import numpy as np
import pytest
import registry

from steelyard.errors import BadInput
from steelyard.native import Online
from steelyard.native.runtime import _online


@pytest.fixture
def cart():
    case = registry.build("kalman-cart")
    return case, case.estimator.init(case.guess)


def rows_of(case, online: Online) -> np.ndarray:
    return np.stack([online.pack_sample(case.sample(row)) for row in range(registry.ROWS)])


def test_both_engines_say_the_same(cart):
    case, start = cart
    native, xla = (Online(case.estimator, start, case.sample(0), engine) for engine in ("auto", "xla"))
    assert (native.engine, xla.engine) == ("native", "xla")
    rows, kept = rows_of(case, native), np.empty((2, registry.ROWS, native.pack(start).size))
    for each, into in zip((native, xla), kept, strict=True):
        packed = each.pack(start)
        each.run(packed, rows, into)
        np.testing.assert_array_equal(packed, into[-1])
    np.testing.assert_allclose(kept[0], kept[1], rtol=1e-12, atol=1e-12)


def test_a_run_is_its_steps(cart):
    case, start = cart
    online = Online(case.estimator, start, case.sample(0))
    rows, one, many = rows_of(case, online), online.pack(start), online.pack(start)
    for row in rows:
        one = online.step(one, row)
    online.run(many, rows)
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("engine", ["native", "xla"])
def test_the_result_goes_where_it_is_told(cart, engine):
    case, start = cart
    online = Online(case.estimator, start, case.sample(0), engine)
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
    online = Online(case.estimator, start, case.sample(0), "native")
    packed, row = online.pack(start), online.pack_sample(case.sample(1))
    with pytest.raises(ValueError, match="another length or type"):
        online.step(spoil(packed), row)
    with pytest.raises(ValueError, match="another length or type"):
        online.step(packed, row, spoil(packed))


def test_steps_are_reentrant(cart):
    """Runs release Python's lock: four at a time, over different data, as if each were alone."""
    case, start = cart
    online = Online(case.estimator, start, case.sample(0), "native")
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


def test_without_a_compiler_xla_steps_and_says_so_once(cart, monkeypatch, tmp_path, capfd):
    case, start = cart
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    _online._say_once.cache_clear()
    first, second = (Online(case.estimator, start, case.sample(0)) for _ in range(2))
    assert first.engine == second.engine == "xla"
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "no C compiler" in told.err
    with pytest.raises(BadInput, match="no C compiler"):
        Online(case.estimator, start, case.sample(0), "native")


def test_an_unknown_engine_is_refused(cart):
    case, start = cart
    with pytest.raises(BadInput, match='did you mean "native"'):
        Online(case.estimator, start, case.sample(0), "natve")
