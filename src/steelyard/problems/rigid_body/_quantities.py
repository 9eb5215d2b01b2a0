"""Mass, centre of mass, inertia and sensor errors of a fit, with their uncertainties."""

import dataclasses

import numpy as np

from steelyard.estimators import Estimate
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.problems.rigid_body._excitation import excitation_of
from steelyard.problems.rigid_body._method import Fit
from steelyard.problems.rigid_body._possible import nearest_possible
from steelyard.problems.rigid_body._residuals import symmetric
from steelyard.problems.rigid_body._tuning import NUMERICS, SENSOR_ERRORS, TUNING

UNITS = {"mass": "kg", "com": "m", "inertia": "kg m²"}
_WAITING = "A load is weighed after a second with a wrench and a motion."


@dataclasses.dataclass(frozen=True, eq=False)
class Load:
    """A load that can exist, and how well it is known."""

    mass: float
    mass_std: float
    com: np.ndarray
    """(3,), from the sensor's origin, sensor axes."""
    com_std: np.ndarray
    inertia: np.ndarray
    """(3, 3), about the centre of mass, sensor axes."""
    inertia_std: np.ndarray
    away: float = 0.0
    """Deviations: how far what fits best is from this load, which can exist."""

    @property
    def known(self) -> dict[str, bool]:
        """By quantity: whether it is known well enough to be a number."""
        return {
            "mass": self.mass_std < TUNING.known_mass * self.mass,
            "com": float(self.com_std.max()) < TUNING.known_com,
            "inertia": float(np.linalg.norm(self.inertia_std)) < TUNING.known_inertia * float(np.trace(self.inertia)),
        }

    def of(self, quantity: str) -> tuple[np.ndarray, np.ndarray]:
        """Value and standard deviations of a quantity."""
        return np.asarray(getattr(self, quantity)), np.asarray(getattr(self, f"{quantity}_std"))


def not_yet_known(robot: str, time: float) -> dict[str, Estimate]:
    """What a stream knows before its first answer."""
    frames = {quantity: None if quantity == "mass" else robot for quantity in UNITS}
    return {q: Estimate.unknown("not-yet-known", unit, frames[q], time, _WAITING) for q, unit in UNITS.items()}


def load_of_fit(fit: Fit) -> Load:
    """The load of a fit; what noise alone seems to tell is not known."""
    excitation, infinite = excitation_of(fit.record, fit.spacing), float("inf")
    load = load_from(fit.unknowns.load, fit.load_covariance)
    if not fit.record.tared and excitation.specific_force < TUNING.least_excitation:
        load = dataclasses.replace(load, mass_std=infinite, com_std=np.full(3, infinite))
    if excitation.angular_acceleration < TUNING.least_excitation:
        load = dataclasses.replace(load, inertia_std=np.full((3, 3), infinite))
    return load


def load_from(parameters: np.ndarray, covariance: np.ndarray) -> Load:
    """From ten parameters and their covariance, to first order; the value is the nearest possible one.

    The covariance is that of the unconstrained answer: at the edge of the possible a constrained one is too small.
    Where rounding has left none, as in a fit that explains nothing, no number is known.
    """
    information, determined = _inverse(covariance)
    possible = nearest_possible(parameters, information)
    away = float(np.sqrt((parameters - possible) @ information @ (parameters - possible)))
    values, J = load_numbers(possible), load_jacobian(possible)
    variance = np.einsum("ia,ab,ib->i", J, covariance, J) if determined else np.full(len(values), np.inf)
    std = np.sqrt(np.maximum(variance, 0.0))
    return Load(float(values[0]), float(std[0]), values[1:4], std[1:4], symmetric(values[4:]), symmetric(std[4:]), away)


def _inverse(covariance: np.ndarray) -> tuple[np.ndarray, bool]:
    """Of a covariance of parameters in different units; and whether rounding has left a covariance at all.

    `LinAlgError` where a number is not finite.
    """
    if not np.isfinite(covariance).all() or np.diag(covariance).min() <= 0.0:
        raise np.linalg.LinAlgError("the load has no finite covariance")
    scale = 1.0 / np.sqrt(np.diag(covariance))
    sizes, axes = np.linalg.eigh(scale[:, None] * covariance * scale)
    root = axes / np.sqrt(np.maximum(sizes, NUMERICS.least_correlation)) * scale[:, None]
    return root @ root.T, bool(sizes[0] >= -NUMERICS.least_correlation)


def load_numbers(parameters: np.ndarray) -> np.ndarray:
    """(10,): mass, centre of mass, and inertia about it, from m, m c and moments about the origin."""
    m, c = parameters[0], parameters[1:4] / parameters[0]
    shift = m * np.array([c @ c, c @ c, c @ c, 0.0, 0.0, 0.0])
    products = m * np.array([c[0] ** 2, c[1] ** 2, c[2] ** 2, c[0] * c[1], c[0] * c[2], c[1] * c[2]])
    return np.concatenate([[m], c, parameters[4:] - shift + products])


def load_jacobian(parameters: np.ndarray) -> np.ndarray:
    """(10, 10): derivatives of `load_numbers`."""
    m, first = parameters[0], parameters[1:4]
    c = first / m
    J = np.zeros((10, 10))
    J[0, 0] = 1.0
    J[1:4, 0], J[1:4, 1:4] = -c / m, np.eye(3) / m
    J[4:, 4:] = np.eye(6)
    for k, (a, b) in enumerate(MOMENT_ENTRIES):
        # moment about the centre = moment - (first . first / m) delta_ab + first_a first_b / m
        same = 1.0 if a == b else 0.0
        J[4 + k, 0] = same * (c @ c) - c[a] * c[b]
        J[4 + k, 1:4] = -2.0 * same * c
        J[4 + k, 1 + a] += c[b]
        J[4 + k, 1 + b] += c[a]
    return J


def sensor_errors_of(fit: Fit) -> dict[str, tuple[np.ndarray, np.ndarray, str, bool]]:
    """By quantity: value, standard deviation, unit, and whether it is known twice as well as beforehand."""
    found = {}
    parts = {
        "offset/wrench/torque": ("torque_offset", fit.unknowns.torque_offset, "N m"),
        "offset/wrench/force": ("force_offset", fit.unknowns.force_offset, "N"),
        "bias/twist/angular": ("gyro_bias", fit.unknowns.gyro_bias, "rad/s"),
        "bias/twist/linear": ("velocity_bias", fit.unknowns.velocity_bias, "m/s"),
        "bias/specific_force": ("accelerometer_bias", fit.unknowns.accelerometer_bias, "m/s²"),
    }
    differ = {}  # s: between the whole bandwidth, which tells time best, and the fit's own band
    for signal, delay in fit.unknowns.delays.items():
        best = fit.lag.value if signal == "specific_force" and fit.lag is not None else delay
        differ[f"delay/{signal}"] = best - delay
        whole = best + fit.record.removed_delays.get(signal, 0.0)
        parts[f"delay/{signal}"] = (f"delay/{signal}", np.array(whole), "s")
    for quantity, (name, value, unit) in parts.items():
        if name not in fit.at:
            continue
        std = fit.std(name)
        determined = bool(np.all(std < 0.5 * fit.at.prior[fit.at[name]]))
        if name.startswith("delay/"):
            determined = bool(std[0] < 0.5 * SENSOR_ERRORS.delay)
            # What is found depends on band and axis by as much (recorded wrists).
            std = np.sqrt(std[0] ** 2 + TUNING.delay_std**2 + (0.5 * differ[name]) ** 2)
        found[quantity] = (value, np.asarray(std), unit, determined)
    return found
