"""Wrists whose signals pause, end, begin late or say nothing: no exception, and no number that is known and wrong."""

import functools

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import BadInput
from steelyard.logs import Log

Columns = dict[str, np.ndarray]


@functools.cache
def recorded() -> Log:
    """A wrist that picks 0.4 kg up at 4 s, beside the 1 kg that it holds."""
    return sy.simulate("wrist", seed=6, duration=6.0, orientation=True, pick_mass=0.4, pick_time=4.0)


def cut(columns: Columns, signal: str, gone: np.ndarray) -> Columns:
    return {name: np.where(gone, np.nan, v) if name.startswith(f"r1/{signal}") else v for name, v in columns.items()}


def without(columns: Columns, *signals: str) -> Columns:
    return {name: v for name, v in columns.items() if not name.startswith(tuple(f"r1/{one}" for one in signals))}


def is_right(found: sy.Estimate, truth: float) -> bool:
    """Not known, or within four deviations: by chance 6e-5."""
    return found.value is None or abs(float(found.value) - truth) < 4.0 * float(found.std)


def weighed(time: np.ndarray, columns: Columns) -> sy.Estimate:
    return sy.identify(Log(time, columns, "test"), "rigid-body")["r1"].mass


def streamed(time: np.ndarray, columns: Columns) -> sy.Estimate:
    stream = sy.stream("rigid-body")
    signals = {name.rsplit("/", 1)[0] for name in columns if name.startswith("r1/")}
    axes = {signal: "wxyz" if "attitude" in signal else "xyz" for signal in signals}
    for k, t in enumerate(time):
        sample = {s: [columns[f"{s}/{axis}"][k] for axis in axes[s]] for s in signals}
        step = stream.step({"time": float(t)} | {s: v for s, v in sample.items() if np.isfinite(v).all()})
    return step.estimates["mass"]


@pytest.mark.parametrize(
    ("left_out", "signal", "end"),
    [
        ((), "attitude", 3.0),
        (("attitude",), "twist/angular", 3.0),
        (("attitude",), "twist/angular", 4.4),
        (("attitude", "twist/linear"), "specific_force", 3.0),
    ],
)
def test_a_motion_signal_that_ends_is_no_exception(left_out, signal, end):
    log = recorded()
    assert is_right(weighed(log.time, cut(without(log.columns, *left_out), signal, log.time > end)), 1.4)


def test_an_attitude_of_zeros_is_none():
    log = recorded()
    columns = {name: 0.0 * v if "/attitude/" in name else v for name, v in log.columns.items()}
    mass = weighed(log.time, columns)
    assert mass.status == "known"
    assert is_right(mass, 1.4)


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_a_pause_of_all_signals_makes_no_false_change(seed):
    log = sy.simulate("wrist", seed=seed, duration=6.0)
    kept = np.r_[0:200, 350 : len(log)]
    found = sy.identify(Log(log.time[kept], {k: v[kept] for k, v in log.columns.items()}, "test"), "rigid-body")
    assert not found.events
    assert is_right(found["r1"].mass, 1.0)


def test_a_stream_goes_on_after_a_pause():
    """It failed for ever: the motion so far does not reach into the new samples."""
    log = sy.simulate("wrist", seed=7, duration=6.0)
    kept = np.r_[0:200, 400 : len(log)]
    mass = streamed(log.time[kept], {k: v[kept] for k, v in log.columns.items()})
    assert mass.status == "known"
    assert is_right(mass, 1.0)


def test_a_stream_takes_a_pause_longer_than_its_window():
    log = recorded()
    time = log.time.copy()
    time[300:] += 30.0
    assert is_right(streamed(time, without(log.columns, "attitude")), 1.4)


def test_a_stream_whose_accelerometer_dies_says_so_and_goes_on():
    log = recorded()
    columns = cut(without(log.columns, "attitude", "twist/linear"), "specific_force", log.time > 3.0)
    assert streamed(log.time, columns).status != "known"


def test_a_wrist_at_rest_tells_no_delay():
    """Noise alone has a best lag: it was known to 3 ms, and 50 ms off."""
    log = sy.simulate("wrist", seed=1, duration=8.0, motion="still", orientation=True)
    found = sy.identify(log, "rigid-body")["r1"]
    assert all(found[name].status != "known" for name in found if name.startswith("delay/"))


def test_a_log_without_a_motion_is_bad_input():
    log = recorded()
    with pytest.raises(BadInput):
        weighed(log.time, without(log.columns, "twist", "specific_force", "attitude"))
