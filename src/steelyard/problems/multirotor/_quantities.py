"""The quantities of a multirotor in what a run kept of its rows, and when each is known."""

from collections.abc import Iterator

import numpy as np

from steelyard.estimators import Estimate, Knowledge
from steelyard.problems.multirotor._method import Track
from steelyard.problems.multirotor._tuning import TUNING

UNITS = {"mass": "kg", "drag": "N s/m", "drag/quadratic": "N s²/m²", "motor_lag": "s"}
_TOO_SHORT = "The flight so far is too short to tell."
_TOO_CALM = "There is too little motion and thrust in this flight to tell."


def quantities_of(track: Track) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, value and standard deviation of each, of one row or over all rows; NaN while it is not known."""
    known = (track.log_mass_std < TUNING.known_mass_below) & (np.abs(track.log_mass) < TUNING.largest_log_mass)
    mass = np.where(known, np.exp(np.clip(track.log_mass, -TUNING.largest_log_mass, TUNING.largest_log_mass)), np.nan)
    yield "mass", mass, mass * track.log_mass_std
    for i, name in enumerate(("drag", "drag/quadratic")[: track.drag.shape[-1]]):
        std = track.drag_std[..., i]
        known = std < TUNING.known_drag_below * TUNING.drag_prior[i]
        yield name, np.where(known, track.drag[..., i], np.nan), np.where(known, std, np.nan)
    if track.log_lag.shape[-1]:
        std = track.log_lag_std[..., 0]
        known = std < TUNING.known_lag_below * TUNING.lag_prior[1]
        lag = np.where(known, np.exp(track.log_lag[..., 0]), np.nan)
        yield "motor_lag", lag, lag * std


def estimates_of(row: Track, robot: str, time: float, begin: float) -> dict[str, Estimate]:
    """What is known at one row, at `time`, of a flight that began at `begin`, s."""
    long_enough = time - begin > TUNING.identifiable_within
    unknown: Knowledge = "not-identifiable" if long_enough else "not-yet-known"
    reason = _TOO_CALM if long_enough else _TOO_SHORT
    found = {}
    for name, value, std in quantities_of(row):
        frame = robot if name.startswith("drag") else None
        if np.isfinite(value):
            found[name] = Estimate.known(value, std, UNITS[name], frame, time)
        else:
            found[name] = Estimate.unknown(unknown, UNITS[name], frame, time, reason)
    return found
