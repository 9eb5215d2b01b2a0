"""Our choices where [ironcub] states nothing."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class IroncubTrialTuning:
    """Of the flights, the standings and the fit of engines."""

    mass_error: float = 0.03
    """Share by which the mass of the model is off."""
    foot_bias: float = 2.0
    """N at each axis of a foot's force."""
    engine_error: float = 0.05
    """Share by which each coefficient of an engine is off."""
    standing_seconds: float = 60.0
    """Of a run on scales."""
    jets_off: float = 1.0
    """s at either end in which the jets are off, and the scales are compared."""
    settled: float = 0.5
    """s after which the robot, put down, has come to rest."""
    standings: int = 4
    """Runs on scales."""
    failure_window: float = 3.0
    """s after the failure in which errors count."""
    failure_shows: float = 0.02
    """Share of an engine's maximum by which it must differ from a healthy one before there is anything to find."""
    coefficient_seconds: float = 60.0
    """Of a record of one engine."""
    coefficient_rate: float = 100.0
    """Hz of that record."""
    coefficient_noise: float = 1.0
    """Standard deviation of its thrust, N."""
    coefficient_start: float = 0.1
    """Share by which the filter's first coefficients are off."""
    derivative_window: float = 1.2
    """Width of the smooth window that stands in for derivatives, s: the time in which an engine moves."""
    fewest_seconds: float = 10.0
    """Of a record from which coefficients can be told."""
    pulls: tuple[float, ...] = (4.0, 1.5, 0.5, 0.0)
    """Bandwidths with which a simulation is pulled towards the record, one after the other, rad/s."""
    fit_settled: float = 1e-9
    """Share of the sum of squares by which a step must lower it to be followed by another."""
    fit_trials: int = 80
    """Steps of a fit at the most, accepted or not."""


TRIAL = IroncubTrialTuning()
