"""The method `smoothed`: a whole flight is read twice, first for what is random and what changes, then for the answer.

docs/DRONE.md has the equations, and why it is the default for a log.
"""

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np

from steelyard.config import Config
from steelyard.problems.multirotor._blocks import (
    FORCES,
    GROUND,
    LOSSES,
    WIND,
    integrals,
    usual_size,
)
from steelyard.problems.multirotor._changes import persistent_error, slow_error, smallest_seen, with_changes
from steelyard.problems.multirotor._coloured import ErrorModel, Likelihood, whitened
from steelyard.problems.multirotor._drift import with_slow_errors
from steelyard.problems.multirotor._moments import with_moments
from steelyard.problems.multirotor._motion import Motion, motion_of
from steelyard.problems.multirotor._outliers import beside_steps, perhaps_changes, without_outliers
from steelyard.problems.multirotor._piecewise import (
    Fit,
    Unknowns,
    blocks_and_first_mass,
    columns_of,
    fit,
    fit_all,
    noise_inflation,
)
from steelyard.problems.multirotor._push import push_error
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._tuning import TUNING
from steelyard.problems.multirotor._wind import with_wind


@dataclasses.dataclass(frozen=True)
class Smoothed:
    """What a whole flight says."""

    fit: Fit
    lag: tuple[float, float] | None
    """Value and standard deviation of the motors' time constant, s, where it was estimated."""
    outliers: float
    """Share of blocks that were not used."""
    refusal: str | None
    """Why there is no answer, one sentence."""
    mass: np.ndarray
    """(rows,), kg."""
    mass_std: np.ndarray
    """What this flight tells, what lasts for all of it, and the thrust's own scale."""
    smallest_seen: tuple[float, float] | None = None
    """Smallest step, as a share of the mass, that this flight would show, and its scatter over the flight."""


def smoothed(record: FlightRecord, config: Config, progress: Callable[[int], None] = lambda rows: None) -> Smoothed:
    """Reads a flight as a whole."""
    lag = None
    if record.commanded:
        lag = _motor_lag(record, config)
    motion = motion_of(record, config.gravity, lag[0] if lag else 0.0)
    found, outliers = _explained(motion, config)
    if not found.coloured and found.plain is not None:
        found = fit(found.motion, found.blocks, found.unknowns, found.plain, found.linearised)
    moments = with_moments(found)
    found = moments.fit
    progress(len(record.time))
    mass, fitted_std = moments.mass(record.time)
    if not found.coloured:
        fitted_std = fitted_std * np.sqrt(noise_inflation(found))
    lasting = np.hypot(persistent_error(found), record.thrust_uncertainty)
    std = np.sqrt(fitted_std**2 + mass**2 * (lasting**2 + push_error(found, record.time) ** 2))
    estimated = lag if lag and config.multirotor.motor_lag is None else None
    refusal = _refusal(found, outliers) or _unmoved(found)
    return Smoothed(found, estimated, outliers, refusal, mass, std, smallest_seen(found))


def flows(found: Smoothed) -> bool:
    """Whether the mass seems to flow: its rate changes, or it jumps the same way more than once."""
    pieces = [p for p in found.fit.unknowns.pieces if p not in dict(found.fit.unknowns.widths)]
    sizes = [found.fit.of(piece)[0] for piece in pieces if piece[0] == "step"]
    ramps = any(kind == "slope" and begin > found.fit.motion.time[0] for kind, begin in pieces)
    return ramps or any(a * b > 0 for a, b in itertools.pairwise(sizes))


def first_error() -> ErrorModel:
    """Where the search for what is random begins."""
    return ErrorModel(*(usual for usual, _ in TUNING.error_prior))


def unknowns_of(motion: Motion, config: Config) -> Unknowns:
    """A constant mass, and what acts beside the thrust."""
    own = config.multirotor
    given = tuple(
        (name, value) for name, value in (("drag", own.drag), ("drag/quadratic", own.quadratic_drag)) if value
    )
    stated = own.drag is not None or own.quadratic_drag is not None or not own.estimate_drag
    forces = tuple(name for name in FORCES if not (stated and name.startswith("drag")))
    forces += () if motion.height is None else (GROUND,)
    noise = config.noise.linear_velocity
    velocity = None if noise is None else max(noise, TUNING.least_noise) / np.sqrt(motion.size)
    return Unknowns((("level", float(motion.time[0])),), forces, given, velocity)


def _explained(motion: Motion, config: Config) -> tuple[Fit, float]:
    """The fit with all changes; outliers are looked for again once these are known."""
    blocks, first = blocks_and_first_mass(motion)
    found = fit_all(motion, blocks, unknowns_of(motion, config), first_error(), first)
    spared = perhaps_changes(found)
    quiet, share = without_outliers(found, spared)
    if share > 0:
        found = fit_all(motion, quiet, found.unknowns, found.error, found.mass(motion.time), near=True)
    constant = found
    found = with_changes(_with_losses(with_wind(found)))
    if spared.any() or (share > 0 and len(found.unknowns.pieces) > 1):
        whole = fit(found.motion, blocks, found.unknowns, found.error, found.mass(motion.time))
        quiet, share = without_outliers(whole, beside_steps(whole))
        mass = found.mass(motion.time)
        found = with_changes(fit_all(found.motion, quiet, found.unknowns, found.error, mass, near=True))
    if len(found.unknowns.pieces) > 1:
        constant = _without_losses(found)
        found = _with_losses(with_wind(constant))
    return with_slow_errors(dataclasses.replace(found, coloured=found.coloured or constant.coloured)), share


def _with_losses(found: Fit) -> Fit:
    """Thrust that changes with the speed, and with the speed along its axis.

    What the flight shows joins as it is. What it does not show is as small as what the model lacks elsewhere: its prior
    is the coloured error's size at the flight's usual speed. Without a wind no flight shows what a wind takes.
    """
    shown, hidden = LOSSES if found.motion.windy else tuple(name for name in LOSSES if name != WIND), ()
    while shown:
        tried = fit(found.motion, found.blocks, _added(found, shown, ()), found.error, found.linearised)
        evidence = {name: abs(value / std) for name in shown for value, std in [tried.of(name)]}
        weakest = min(shown, key=evidence.__getitem__)
        if evidence[weakest] ** 2 > TUNING.believed_loss[slow_error(found) > 0]:
            found = _with_forces(found, shown, ())
            break
        shown, hidden = tuple(name for name in shown if name != weakest), (*hidden, weakest)
    size = slow_error(found)
    if not hidden or size == 0.0:
        return found
    return _with_forces(found, hidden, tuple((name, size / usual_size(found.motion, name)) for name in hidden))


def _without_losses(found: Fit) -> Fit:
    """The fit with its changes and no loss of thrust, which is chosen again: beside unknown changes it was another.

    Whether a flight shows a coloured error is told here. What joins later is chosen to explain it, and what is left
    then looks white: of 45 disturbed flights of 9 and 15 s, one in five was beyond its 95 % interval that way.
    """
    unknowns, mass = found.unknowns.without(LOSSES), found.mass(found.motion.time)
    return fit_all(found.motion, found.blocks, unknowns, first_error(), mass)


def _added(found: Fit, names: tuple[str, ...], widths: tuple[tuple[str, float], ...]) -> Unknowns:
    return dataclasses.replace(found.unknowns, forces=(*found.unknowns.forces, *names), widths=widths)


def _with_forces(found: Fit, names: tuple[str, ...], widths: tuple[tuple[str, float], ...]) -> Fit:
    unknowns = _added(found, names, widths)
    return fit_all(found.motion, found.blocks, unknowns, found.error, found.linearised, near=True)


def _motor_lag(record: FlightRecord, config: Config) -> tuple[float, float]:
    """The stated time constant; else the likeliest one and its standard deviation, s."""
    stated = config.multirotor.motor_lag
    if stated is not None:
        return stated, 0.0
    lags = np.array(TUNING.lag_grid)
    motion = motion_of(record, config.gravity, TUNING.lag_prior[0])
    blocks, first = blocks_and_first_mass(motion)
    unknowns = unknowns_of(motion, config)
    begun = fit_all(motion, blocks, unknowns, first_error(), first)
    scores = []
    for lag in lags:
        motion = motion_of(record, config.gravity, float(lag))
        columns = columns_of(motion, begun.unknowns, np.full_like(first, begun.values[0]))
        scores.append(Likelihood(blocks, columns, begun.unknowns.prior)(begun.error.logarithms()))
    weights = np.exp(np.array(scores) - max(scores)) * np.gradient(lags)
    weights /= weights.sum()
    mean = float(weights @ lags)
    return mean, float(np.sqrt(weights @ (lags - mean) ** 2 + np.diff(lags).min() ** 2 / 12))


def _unmoved(found: Fit) -> str | None:
    """Whether the motion ignores what the thrust does within a second: then something else carries the vehicle."""
    motion = found.motion
    rows = max(3, round(1.0 / float(np.median(np.diff(motion.time)))))
    smooth = np.convolve(np.pad(motion.thrust, rows // 2, "edge"), np.ones(rows) / rows, "same")
    quick = motion.thrust - smooth[rows // 2 : rows // 2 + len(motion.thrust)]
    column = integrals(motion, motion.R[:, :, 2] * (quick / found.linearised)[:, None])
    g = whitened(found.blocks, column[:, :, None], found.error).reshape(-1, 1)
    W = np.concatenate([found.white.reshape(len(g), -1), g], axis=1)
    covariance = np.linalg.inv(W.T @ W + np.diag([*found.unknowns.prior, 1e-6]))
    response = 1.0 + float((covariance @ (W.T @ found.left.ravel()))[-1])  # the fit itself has 1
    if response + 3.0 * np.sqrt(covariance[-1, -1]) > TUNING.least_response:
        return None
    return (
        f"The motion shows {max(100 * response, 0):.0f} % of what changes of the thrust would make: it stood on the "
        "ground, was held, or the logged thrust is not what acted."
    )


def _refusal(found: Fit, outliers: float) -> str | None:
    weight = float(np.linalg.norm(found.motion.gravity)) or 1.0
    share = found.error.coloured_along / weight
    if outliers > TUNING.most_outliers:
        return (
            f"{100 * outliers:.0f} % of the flight are outliers: velocity, attitude and thrust do not belong together."
        )
    if share > TUNING.most_error:
        return (
            f"What acts beside thrust, drag and gravity is {100 * share:.0f} % of the weight: it stood on the ground, "
            "hit something, or the logged thrust is not what acted."
        )
    return None
