"""What the agreement of a flight's signals leaves open: jumps of time or position, a sagging thrust, tilt and wind."""

import numpy as np

from steelyard.logs import Log
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._flight_fit import Fit
from steelyard.problems.preflight._tuning import TUNING

_XYZ = ("x", "y", "z")


def model_findings(log: Log, robot: str, own: Fit, mapped: bool) -> list[PreflightFinding]:
    """Each with its remedy; `mapped`: whether the thrust is a published map's, whose uncertainty is in the interval."""
    found = clock_jumps(log, robot)
    value, std = own.inverse_mass, own.inverse_mass_std
    if len(value) >= 6 and np.all(value > 0) and np.all(np.isfinite(std)):
        found += _sag(robot, value, std, mapped)
    return found + _tilt_or_wind(robot, own)


def clock_jumps(log: Log, robot: str) -> list[PreflightFinding]:
    """Places where the position is not where the velocity leads within a step."""
    if not (log.has(robot, "position", _XYZ) and log.has(robot, "linear_velocity", _XYZ)):
        return []
    p, v, time = log.signal(robot, "position", _XYZ), log.signal(robot, "linear_velocity", _XYZ), np.asarray(log.time)
    heard = np.isfinite(p).all(axis=1) & np.isfinite(v).all(axis=1) & _flies(log, robot)
    p, v, time = p[heard], v[heard], time[heard]
    width, n = 5, len(time)
    if n < 4 * width:
        return []
    kernel = np.ones(width) / width
    smooth = [np.stack([np.convolve(column, kernel, "valid") for column in x.T], axis=1) for x in (p, v, time[:, None])]
    before, after = slice(0, n - 2 * width + 1), slice(width, n - width + 1)
    P, V, t = smooth
    # Over a gap only a clock that jumped is told from a motion that was not recorded: nothing moved meanwhile.
    between = np.minimum(t[after] - t[before], 2.0 * width * float(np.median(np.diff(time))))
    off = P[after] - P[before] - 0.5 * (V[after] + V[before]) * (t[after] - t[before])
    still = P[after] - P[before] - 0.5 * (V[after] + V[before]) * between
    gap = (t[after] - t[before])[:, 0] > between[:, 0]
    off = np.where((gap & (np.linalg.norm(still, axis=1) > 0.1 * np.linalg.norm(off, axis=1)))[:, None], 0.0, off)
    size = np.linalg.norm(off, axis=1)
    if not np.isfinite(size).any():
        return []
    typical, k = float(np.nanmedian(size)) + 1e-9, int(np.nanargmax(size))
    limit = max(TUNING.jump * typical, TUNING.jump_distance)
    if not size[k] > limit or np.nanmean(size > TUNING.jump * typical) > 0.03:
        return []
    when = float(time[k + width])
    sentence = (
        f"At {when:.2f} s the position is {size[k]:.2g} m from where its velocity leads: the clock or the rows jump."
    )
    return [PreflightFinding("clock-jump", sentence, "Give the parts before and after apart (--start, --end).", robot)]


def _flies(log: Log, robot: str) -> np.ndarray:
    """Rows with thrust: where a vehicle falls or touches down, a filtered velocity does not follow it."""
    time = np.asarray(log.time)
    thrust = log.columns.get(f"{robot}/thrust")
    if "rpm" in log.signals(robot):
        thrust = np.sum(np.square(log.require(robot, "rpm")), axis=1)
    if thrust is None or not np.max(thrust, where=np.isfinite(thrust), initial=0.0) > 0.0:
        return np.ones(len(time), bool)
    usual = float(np.nanmedian(thrust[thrust > 0.5 * np.nanmax(thrust)]))
    weak = np.concatenate([[-np.inf], time[thrust < TUNING.flying_thrust * usual], [np.inf]])
    after = np.searchsorted(weak, time)
    return np.minimum(time - weak[after - 1], weak[after] - time) > TUNING.touchdown


def _sag(robot: str, value: np.ndarray, std: np.ndarray, mapped: bool) -> list[PreflightFinding]:
    """A mass that would rise evenly, beside one step that it may have."""
    mass, w, x = 1.0 / value, value**4 / std**2, np.linspace(0.0, 1.0, len(value))
    best, rise, certain = np.inf, 0.0, 0.0
    for k in range(len(mass)):
        columns = [np.ones_like(x), x, (np.arange(len(x)) >= k).astype(float)][: 2 + (k > 0)]
        A = np.stack(columns, axis=1)
        cov = np.linalg.inv((A * w[:, None]).T @ A)
        theta = cov @ ((A * w[:, None]).T @ mass)
        cost = float(np.sum(w * (mass - A @ theta) ** 2)) + 2.0 * len(columns)
        if cost < best:
            best, rise, certain = cost, float(theta[1] / np.mean(mass)), float(theta[1] / np.sqrt(cov[1, 1]))
    if rise < TUNING.rise or certain < TUNING.rise_certain or best > 2.0 * len(mass) + 6.0:
        return []
    sentence = (
        f"The mass would rise evenly, by {100 * rise:.0f} % in this flight: the rotors give less and less of the "
        "logged thrust, as a battery sags."
    )
    remedy = "Log battery/voltage and scale the thrust by it, or use the thrust that was measured."
    if mapped:
        remedy = "The uncertainty of the published map, which is in the interval, covers it."
    return [PreflightFinding("thrust-sag", sentence, remedy, robot, kind="hint" if mapped else "certain")]


def _tilt_or_wind(robot: str, own: Fit) -> list[PreflightFinding]:
    """Hints: which of a constant force in the world and a tilted thrust explains the acceleration better."""
    good = np.isfinite(own.residual).all(1) & np.isfinite(own.velocity).all(1)
    n = int(good.sum())
    if n < 60:
        return []
    ones, pull = np.repeat(np.eye(3)[None], n, 0), own.pull[good]
    r = own.residual[good].ravel()
    shared = np.stack([pull[:, 2].ravel(), own.velocity[good].ravel()], axis=1)  # mass and drag may change with it
    causes = {"wind": (ones[:, :, 0], ones[:, :, 1]), "tilt": (pull[:, 0], pull[:, 1])}
    best, gain, size = "", TUNING.decisive, 0.0
    for name, columns in causes.items():
        A = np.concatenate([shared, np.stack([column.ravel() for column in columns], axis=1)], axis=1)
        theta = np.linalg.lstsq(A.T @ A, A.T @ r, rcond=None)[0]
        better = 0.5 * 3 * n * float(np.log(np.sum(r**2) / max(np.sum((r - A @ theta) ** 2), 1e-12)))
        if better > gain:
            best, gain, size = name, better, float(np.linalg.norm(theta[2:]))
    inverse = float(np.median(own.inverse_mass))
    if not best or not inverse > 0.0:
        return []
    mass = 1.0 / inverse
    if best == "wind":
        sentence = f"A constant force of {size * mass:.2g} N pushes it throughout: wind, or an attitude that is tilted."
        remedy = "Fly in still air, or at several headings."
    else:
        sentence = f"The attitude is tilted by about {np.degrees(size * mass):.1f}° against the rotors' axis."
        remedy = "Align the attitude sensor with the rotors, or calibrate its level."
    return [PreflightFinding(best, sentence, remedy, robot, kind="hint")]
