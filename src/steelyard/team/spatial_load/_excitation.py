"""What rows show of a load and what they do not: excitation by the motion, and information that is only noise."""

import dataclasses

import numpy as np

from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class Excitation:
    """How much rows show of where a centre of mass is: forces of several directions, or turning."""

    forces: np.ndarray
    """(3, 3): outer products of the smoothed force of all with itself, summed over the rows, N²."""
    force_noise: float
    """What noise alone would add to each entry of its diagonal."""
    turning: float
    """Squares of angular accelerations, summed, (rad/s²)²."""
    turning_noise: float
    """What noise alone would make of it."""

    @staticmethod
    def nothing() -> "Excitation":
        """Of no rows."""
        return Excitation(np.zeros((3, 3)), 0.0, 0.0, 0.0)

    def __add__(self, other: "Excitation") -> "Excitation":
        return Excitation(*(getattr(self, part.name) + getattr(other, part.name) for part in dataclasses.fields(self)))

    @property
    def shows_mass(self) -> bool:
        """Whether there was more force than noise makes; a load that falls freely shows no mass."""
        return float(np.trace(self.forces)) > TUNING.seen_above * 3.0 * self.force_noise

    @property
    def shows_inertia(self) -> bool:
        """Whether there was more turning than noise makes; else nothing tells an inertia."""
        return self.turning > TUNING.seen_above * self.turning_noise

    @property
    def shows_com(self) -> bool:
        """Whether the centre of mass was to be seen: along a force that never turns, any centre is as good."""
        return self.shows_inertia or float(np.linalg.eigvalsh(self.forces)[1]) > TUNING.seen_above * self.force_noise


def spurious_information(
    equations: EquationsOfMotion, weight: np.ndarray, H: np.ndarray, gain: np.ndarray, rows: MeasuredRows
) -> np.ndarray:
    """What the noise of the gyros' angular accelerations adds to the information, by the last row for all.

    `weight` (meas,), `H` (meas, 15) and `gain`, the covariance after it, are the last row's.
    """
    D = equations.reading_jacobian_by_alpha().reshape(3, len(weight), -1)
    M = (H * weight[:, None]).T @ D
    power = float(np.sum(rows.alpha_noise**2))
    return power * np.sum(np.swapaxes(D, 1, 2) @ (D * weight[:, None]) - np.swapaxes(M, 1, 2) @ gain @ M, axis=0)


def excitation(equations: EquationsOfMotion, rows: MeasuredRows) -> Excitation:
    """How much rows show of where the centre of mass is; next to nothing where nobody knows the wrench."""
    share = 1.0 / rows.noise_inflation
    F, alpha = (
        equations.total(rows.smoothed_wrench)[:, 3:] * share[:, None],
        equations.alpha(rows.alpha) * share[:, None],
    )
    noise = [float(np.sum((share * part) ** 2)) for part in (rows.force_noise, rows.alpha_noise)]
    return Excitation(F.T @ F, noise[0], float(np.sum(alpha**2)), 3.0 * noise[1])
