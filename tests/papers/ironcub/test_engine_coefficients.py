"""Coefficients of an engine from a record: three ways to them, and what a record must be like."""

import dataclasses
import functools

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.errors import BadInput
from steelyard.models import ENGINE_TYPES, jet_acceleration, steady_thrust
from steelyard.papers.ironcub._engine_coefficients import (
    BenchRecord,
    filter_engine,
    fit_engine,
    predicted_thrust,
    sparse_terms,
)

KIND = "P100"
RATE = 50.0
NOISE = 1.0


def bench(kind: str, seed: int, noise: float) -> BenchRecord:
    """A minute of steps; the truth by small steps of Euler's, not by the fit's own rule."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(60 * RATE)) / RATE
    throttle = rng.uniform(35.0, 95.0, 25)[(time / 2.5).astype(int)]
    engine = ENGINE_TYPES[kind]
    T, T_dot, fine = steady_thrust(engine, float(throttle[0])) or engine.idle, 0.0, 1 / (RATE * 40)
    thrust = []
    for u in throttle:
        thrust.append(T)
        for _ in range(40):
            T, T_dot = T + fine * T_dot, T_dot + fine * jet_acceleration(engine.jet_parameters, T, T_dot, float(u))
    return BenchRecord(time, throttle, np.array(thrust) + noise * rng.standard_normal(len(time)))


def answers() -> dict[str, float | list[str]]:
    """RMS errors on a throttle that no fit has seen, as shares of the thrust; and the terms of a sparse choice."""
    noisy, unseen = bench(KIND, 1, NOISE), bench(KIND, 2, 0.0)
    engine = ENGINE_TYPES[KIND]
    off = np.array(engine.jet_parameters) * (1.0 + 0.1 * np.random.default_rng(3).uniform(-1.0, 1.0, 10))
    began = dataclasses.replace(engine, jet_parameters=tuple(off))

    def error(coefficients) -> float:
        difference = predicted_thrust(coefficients, unseen) - unseen.thrust
        return float(np.sqrt(np.mean(difference**2) / np.mean(unseen.thrust**2)))

    return {
        "fit": error(fit_engine(noisy)),
        "filter": error(filter_engine(noisy, began, 0.1, NOISE)),
        "thrust": float(np.sqrt(np.mean(unseen.thrust**2))),
        "start": error(began.jet_parameters),
        "terms": list(sparse_terms(noisy)),
    }


@functools.cache
def answered():
    return in_earnest(answers)


def test_a_minute_on_a_bench_predicts_another_within_5_percent():
    assert answered()["fit"] < 0.05  # asked; the next test has the bound by noise


def test_noise_decides_how_far_off_a_fit_is_and_not_where_it_began():
    expected = NOISE * np.sqrt(12 / (60 * RATE))  # RMS of what 12 unknowns fit to the noise, N
    assert answered()["fit"] * answered()["thrust"] < 3 * expected


def test_the_filter_learns_most_of_what_it_began_without():
    assert answered()["filter"] < 0.05  # as well as a fit must predict, above
    assert answered()["filter"] < 0.5 * answered()["start"]  # most of it


def test_a_sparse_choice_takes_few_terms_and_the_throttle_is_among_them():
    terms = answered()["terms"]
    assert len(terms) < 10
    assert any("u" in term for term in terms)


def test_a_record_that_is_too_short_or_hardly_moves_is_told():
    time = np.arange(600) / RATE
    moving = 60.0 + 20.0 * np.sin(time)
    with pytest.raises(BadInput, match="10 s or more"):
        BenchRecord(time[:400], moving[:400], moving[:400])
    with pytest.raises(BadInput, match="even rate"):
        BenchRecord(time**1.1, moving, moving)
    with pytest.raises(BadInput, match="moves by 10 % only"):
        BenchRecord(time, 60.0 + 0.25 * (moving - 60.0), moving)
