"""Streams whose signals come rarely, end or pause: right numbers, or doubt, and bounded memory."""

import functools

import numpy as np
import pytest

import steelyard as sy
from steelyard.logs import Log

SIGNALS = {"thrust": ("",), "attitude": "wxyz", "position": "xyz", "linear_velocity": "xyz", "rates": "xyz"}
CONFIG = {"noise": {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}}


@functools.cache
def flight() -> Log:
    """Masses of 1, 1.3, 0.9, 1.2 and 0.75 kg, from 0, 3, 6, 9 and 12 s on."""
    return sy.simulate("multirotor", profile="steps", duration=15.0, seed=3)


def samples(log: Log) -> list[dict]:
    names = {signal: [f"r1/{signal}/{axis}".rstrip("/") for axis in axes] for signal, axes in SIGNALS.items()}
    return [
        {"time": float(log.time[k])}
        | {signal: np.array([log.columns[name][k] for name in columns]) for signal, columns in names.items()}
        for k in range(len(log))
    ]


def without(sample: dict, *signals: str) -> dict:
    return {name: value for name, value in sample.items() if name not in signals}


def off(estimate: sy.Estimate, mass: float) -> float:
    """Deviations of a known mass from the truth; 0 where it is not known."""
    return 0.0 if estimate.value is None else abs(float(estimate.value) - mass) / float(estimate.std)


@pytest.mark.parametrize("every", [2, 10])
def test_a_thrust_that_comes_in_some_samples_only_is_held(every):
    """Each topic may be a sample of its own. Missing thrust counted as none: 0.34 kg instead of 0.75 kg, known."""
    stream = sy.stream("multirotor", CONFIG)
    for k, sample in enumerate(samples(flight())):
        step = stream.step(sample if k % every == 0 else without(sample, "thrust"))
    assert step.estimates.mass.status == "known"
    assert off(step.estimates.mass, 0.75) < 4.0  # by chance 6e-5


@pytest.mark.parametrize(
    "silent",
    [("position", "linear_velocity"), ("thrust",), ("attitude", "rates")],
    ids=["motion", "thrust", "attitude"],
)
def test_signals_that_end_leave_no_known_mass(silent):
    stream = sy.stream("multirotor", CONFIG)
    for sample in samples(flight()):
        step = stream.step(without(sample, *silent) if sample["time"] > 5.0 else sample)
        if sample["time"] > 6.0:
            assert step.estimates.mass.status != "known"


def test_a_filter_over_a_log_whose_signals_end_is_doubtful():
    log = flight()
    columns = {
        name: np.where(log.time > 4.0, np.nan, v) if "position" in name or "velocity" in name else v
        for name, v in log.columns.items()
    }
    found = sy.identify(Log(log.time, columns, "test"), "multirotor", CONFIG, method="ekf")
    assert found["r1"].mass.status == "doubtful"


def test_a_mass_after_a_pause_is_not_known_before_it_is_learnt_again():
    stream = sy.stream("multirotor", CONFIG)
    truth = flight().truth("mass")
    assert truth is not None
    for sample, mass in zip(samples(flight()), truth[:, 0], strict=True):
        if not 4.0 < sample["time"] < 10.0:
            step = stream.step(sample)
            if sample["time"] > 10.0 and not 12.0 < sample["time"] < 13.5:  # the mass changes at 12 s
                assert off(step.estimates.mass, mass) < 6.0


def test_a_stream_that_cannot_start_forgets_old_samples():
    stream = sy.stream("multirotor", CONFIG)
    for sample in samples(flight()):
        stream.step(without(sample, "attitude"))
    assert len(stream._entries) < 500  # three seconds; all 1501 were kept, and run through at every sample
