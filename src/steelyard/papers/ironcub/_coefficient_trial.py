"""An engine's coefficients from a minute on a bench, with noise and without [ironcub, Sec. III-B]."""

import dataclasses

import numpy as np

from steelyard.models import ENGINE_TYPES, steady_thrust
from steelyard.papers.ironcub._engine_coefficients import (
    BenchRecord,
    filter_engine,
    fit_engine,
    predicted_thrust,
    sparse_terms,
)
from steelyard.papers.ironcub._tuning import TRIAL


@dataclasses.dataclass(frozen=True)
class CoefficientScore:
    """Of one kind of engine: RMS difference of predictions on a throttle not seen before, relative to the thrust."""

    kind: str
    least_squares: float
    """Of the noisy record's fit from the noise-free one's."""
    filtered: float
    """Of the extended Kalman filter's."""
    start: float
    """Of the coefficients that the filter began with."""
    terms: tuple[str, ...]
    """That a sparse choice takes."""


def coefficient_trial(kind: str, seed: int) -> CoefficientScore:
    """One minute of random steps, fitted, and another one predicted."""
    clean, noisy, unseen = (
        _bench(kind, seed, 0.0),
        _bench(kind, seed, TRIAL.coefficient_noise),
        _bench(kind, seed + 1, 0.0),
    )
    rng = np.random.default_rng(seed)
    engine = ENGINE_TYPES[kind]
    off = np.array(engine.jet_parameters) * (1.0 + TRIAL.coefficient_start * rng.uniform(-1.0, 1.0, 10))
    began = dataclasses.replace(engine, jet_parameters=tuple(off))
    reference = predicted_thrust(fit_engine(clean), unseen)

    def apart(coefficients) -> float:
        difference = predicted_thrust(coefficients, unseen) - reference
        return float(np.sqrt(np.mean(difference**2) / np.mean(reference**2)))

    filtered = filter_engine(noisy, began, TRIAL.coefficient_start, TRIAL.coefficient_noise)
    terms = tuple(sparse_terms(noisy))
    return CoefficientScore(kind, apart(fit_engine(noisy)), apart(filtered), apart(began.jet_parameters), terms)


def _bench(kind: str, seed: int, noise: float) -> BenchRecord:
    """A new throttle every two and a half seconds."""
    rng = np.random.default_rng([seed, 7])
    time = np.arange(round(TRIAL.coefficient_seconds * TRIAL.coefficient_rate)) / TRIAL.coefficient_rate
    throttle = rng.uniform(35.0, 95.0, round(TRIAL.coefficient_seconds / 2.5) + 1)[(time / 2.5).astype(int)]
    engine = ENGINE_TYPES[kind]
    first = steady_thrust(engine, float(throttle[0])) or engine.idle
    blank = BenchRecord(time, throttle, np.full(len(time), first))
    thrust = predicted_thrust(engine.jet_parameters, blank, first)
    return BenchRecord(time, throttle, thrust + noise * rng.standard_normal(len(time)))
