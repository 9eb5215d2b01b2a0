"""Campaigns in machine code: XLA's numbers, whatever the threads; on a GPU the same text; drawn flights are normal."""

import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import assert_close

from steelyard.errors import BadInput
from steelyard.estimators import campaign, replay
from steelyard.estimators._tuning import RunTuning
from steelyard.native import NoCompilerWarning, kernel_source, native_campaign, native_drawn_campaign
from steelyard.native.runtime import _campaign, _packed_step

CASES = ("kalman-cart", "changes-cart")


def stacked(trees):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def flights(name: str, count: int = 5):
    cases = [registry.build(name, seed) for seed in range(count)]
    estimator = cases[0].estimator
    start = estimator.init(cases[0].guess)
    return estimator, stacked([start] * count), stacked([case.samples for case in cases])


@pytest.mark.parametrize("name", CASES)
def test_machine_code_gives_the_numbers_of_xla(name):
    estimator, beliefs, samples = flights(name)
    ours = campaign(estimator, beliefs, samples, engine="native")
    assert_close(ours, campaign(estimator, beliefs, samples, engine="xla"), rtol=1e-12, atol=1e-12)
    one = replay(estimator, *jax.tree.map(lambda leaf: leaf[2], (beliefs, samples)), engine="native")
    assert_close(one, jax.tree.map(lambda leaf: leaf[2], ours), rtol=0, atol=0)
    for a, b in zip(jax.tree.leaves(ours.belief), jax.tree.leaves(beliefs), strict=True):
        assert a.dtype == b.dtype


def test_what_is_kept_is_all_that_is_kept():
    estimator, beliefs, samples = flights("kalman-cart")

    def keep(belief):
        return {"std": belief.std, "status": belief.status}

    ours = campaign(estimator, beliefs, samples, keep, engine="native").recorded
    whole = campaign(estimator, beliefs, samples, engine="native").recorded
    np.testing.assert_array_equal(ours["std"], jax.vmap(jax.vmap(lambda b: b.std))(whole))
    np.testing.assert_array_equal(ours["status"], jax.vmap(jax.vmap(lambda b: b.status))(whole))


def test_threads_change_no_bit(monkeypatch):
    estimator, beliefs, samples = flights("kalman-cart", 7)
    alone = native_campaign(estimator, beliefs, samples)
    monkeypatch.setattr(_campaign, "_shares", lambda flights, rows: [(k, k + 1) for k in range(flights)])
    assert_close(native_campaign(estimator, beliefs, samples), alone, rtol=0, atol=0)


def test_single_precision_stays_near():
    estimator, beliefs, samples = flights("kalman-cart")
    double, single = (campaign(estimator, beliefs, samples, engine="native", single=s).belief for s in (False, True))
    assert single.covariance.dtype == np.float64
    assert_close(single.state, double.state, rtol=1e-4, atol=1e-4)
    assert np.any(single.covariance != double.covariance)


def test_float32_arrays_are_taken():
    estimator, beliefs, samples = flights("kalman-cart")
    few = jax.tree.map(lambda leaf: np.asarray(leaf, np.float32 if leaf.dtype == float else leaf.dtype), samples)
    wide = jax.tree.map(lambda leaf: np.asarray(leaf, float if leaf.dtype == np.float32 else leaf.dtype), few)
    for single in (False, True):
        ours = campaign(estimator, beliefs, few, engine="native", single=single)
        assert_close(ours, campaign(estimator, beliefs, wide, engine="native", single=single), rtol=0, atol=0)
    rough = jax.tree.map(lambda leaf: np.asarray(leaf, np.float32 if leaf.dtype == float else leaf.dtype), beliefs)
    assert campaign(estimator, rough, few, engine="native", single=True).belief.covariance.dtype == np.float64


def test_auto_takes_machine_code_from_many_steps_on_and_xla_inside_a_trace(monkeypatch):
    estimator, beliefs, samples = flights("kalman-cart")
    _campaign._COMPILED.clear()
    assert isinstance(campaign(estimator, beliefs, samples).belief.covariance, jax.Array)
    monkeypatch.setattr("steelyard.estimators._run.RUN", RunTuning(native_from=100))
    assert isinstance(campaign(estimator, beliefs, samples).belief.covariance, np.ndarray)
    traced = jax.jit(lambda b, s: replay(estimator, b, s).belief.covariance)
    one = jax.tree.map(lambda leaf: leaf[0], (beliefs, samples))
    assert isinstance(traced(*one), jax.Array)


def test_auto_without_a_compiler_is_xla_with_a_warning(monkeypatch, tmp_path):
    estimator, beliefs, samples = flights("kalman-cart")
    _campaign._COMPILED.clear()
    _packed_step.warn_once.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("steelyard.estimators._run.RUN", RunTuning(native_from=100))
    with pytest.warns(NoCompilerWarning, match="no C compiler"):
        campaign(estimator, beliefs, samples)
    with pytest.raises(BadInput, match=r'no C compiler.*engine="xla"'):
        campaign(estimator, beliefs, samples, engine="native")


def test_an_engine_that_is_not_there_is_one_sentence():
    estimator, beliefs, samples = flights("kalman-cart")
    with pytest.raises(BadInput, match='Unknown engine "gpu"'):
        campaign(estimator, beliefs, samples, engine="gpu")
    with pytest.raises(BadInput, match="no float32"):
        campaign(estimator, beliefs, samples, engine="xla", single=True)
    if not _has_gpu():
        with pytest.raises(BadInput, match=r'engine="cuda" needs .*install.*engine="native"'):
            campaign(estimator, beliefs, samples, engine="cuda")


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("single", [False, True])
def test_the_kernel_is_valid_cuda(single, drawn, tmp_path):
    if not (nvcc := shutil.which("nvcc")):
        pytest.skip("there is no nvcc; the kernel's text is compiled by NVRTC where it runs")
    estimator, beliefs, samples = flights("kalman-cart", 1)
    belief, sample = _campaign.one_of(beliefs, 1), _campaign.one_of(samples, 2)
    if drawn:
        code = _campaign.flight_code(Walk(), jnp.zeros(()), jnp.zeros(6), lambda b: (), single, False, True)
    else:
        code = _campaign.flight_code(estimator, belief, sample, single=single, lanes=False)
    (tmp_path / "fly.cu").write_text(kernel_source(code))
    made = subprocess.run([nvcc, "-arch=sm_90", "--ptx", "fly.cu"], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert ".local" not in (tmp_path / "fly.ptx").read_text() or drawn  # all of a small belief is in registers


class Walk:
    """Adds up what is drawn."""

    def step(self, belief, sample):
        return belief + jnp.sum(sample)


class Last:
    """Keeps what was drawn last."""

    def step(self, belief, sample):
        return sample


def test_draws_are_philox_and_box_muller():
    """The generator's published answer to a counter and a key of zeros, [philox]."""
    words = np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], float)
    u = (words + 0.5) * 2.0**-32
    radius, angle = np.sqrt(-2.0 * np.log(u[::2])), 2.0 * np.pi * u[1::2]
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
    drawn = native_drawn_campaign(Last(), jnp.zeros(4), 4, 1, 1, 0, lambda b: (), False).belief
    np.testing.assert_allclose(drawn[0], expected, rtol=1e-12)


def test_draws_are_independent_standard_normals():
    flown = native_drawn_campaign(Last(), jnp.zeros(6), 6, 2000, 5, 42, lambda b: b, False)
    drawn = np.asarray(flown.recorded).reshape(-1)
    n = drawn.size  # each bound holds with a probability beyond 0.9999
    assert abs(drawn.mean()) < 4 / np.sqrt(n)
    assert abs(drawn.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs((drawn**4).mean() - 3) < 4 * np.sqrt(96 / n)
    assert np.abs(np.corrcoef(np.asarray(flown.recorded).reshape(2000, -1).T) - np.eye(30)).max() < 5 / np.sqrt(2000)
    again = native_drawn_campaign(Last(), jnp.zeros(6), 6, 2000, 5, 42, lambda b: b, False)
    np.testing.assert_array_equal(flown.recorded, again.recorded)
    other = native_drawn_campaign(Last(), jnp.zeros(6), 6, 2000, 5, 43, lambda b: b, False)
    assert not np.any(other.recorded == flown.recorded)


def test_arrays_go_to_the_gpu_and_back_as_they_are():
    if not _has_gpu():
        pytest.skip("there is no GPU")
    from steelyard.native.cuda import the_cupy
    from steelyard.native.cuda._lanes import Lane, in_lanes
    from steelyard.native.runtime._tuning import TUNING

    several = TUNING.transfer_bytes // 8 * 3 + 17  # numbers: three buffers and a part of one
    arrays = [np.random.default_rng(0).normal(size=several), np.arange(6.0).reshape(2, 3), np.array([True, False])]
    for real in (np.dtype(float), np.dtype(np.float32)):
        back = [np.empty(array.shape, real) for array in arrays]

        def there_and_back(lane: Lane, begin: int, end: int, real: np.dtype = real, back: list = back) -> None:
            for k in range(begin, end):
                lane.fetch(lane.send(arrays[k], real), back[k])

        in_lanes(the_cupy(), there_and_back, [(0, 1), (1, 2), (2, 3)])
        for given, found in zip(arrays, back, strict=True):
            np.testing.assert_array_equal(found, given.astype(real))


def _has_gpu() -> bool:
    from steelyard.native.cuda._device import _reason_against

    return _reason_against() is None
