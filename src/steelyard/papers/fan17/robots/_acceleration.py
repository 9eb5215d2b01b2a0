"""Angular acceleration from the gyro's difference and from pairs of accelerometers."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from steelyard.papers.fan17.robots._frames import Neighbour


class AlphaWeights(msgspec.Struct, frozen=True):
    """The weights of a robot's sources of α; constant, as the poses are."""

    from_gyro: np.ndarray
    from_pairs: Mapping[str, np.ndarray]
    covariance: np.ndarray
    """Of the robot's own α, (rad/s²)²."""


def central_difference(before: np.ndarray, after: np.ndarray, half_span: float) -> np.ndarray:
    """α from ω (rad/s) half a span (s) before and after [fan17, Eq. (16)]."""
    return (after - before) / (2.0 * half_span)


def pair_observation(neighbour: Neighbour, omega: np.ndarray, s_own: np.ndarray, s_neighbour: np.ndarray) -> np.ndarray:
    """The y = H_α α of a pair, in the own axes, from accelerometers at both ends (m/s²) [fan17, Eq. (17)].

    In print it is the difference of v̇ − Rᵀg; real accelerometers differ by a centripetal term as well, which is taken
    out with the own ω, so that no velocity is needed.
    """
    t = neighbour.t_ij
    centripetal = omega * (omega @ t) - t * (omega @ omega)
    return s_own - neighbour.R_ij @ s_neighbour + centripetal


def alpha_weights(
    neighbours: Mapping[str, Neighbour], angular_noise: float, specific_force_noise: float, half_span: float
) -> AlphaWeights:
    """Weighted least squares of both kinds of observation; each is a matrix that its observation is multiplied by."""
    gyro = 2.0 * half_span**2 / max(angular_noise, 1e-9) ** 2
    pair = 0.5 / max(specific_force_noise, 1e-9) ** 2
    jacobians = {name: one.H_alpha @ one.R_ij.T for name, one in neighbours.items()}  # α in the own axes
    covariance = np.linalg.inv(gyro * np.eye(3) + sum(pair * H.T @ H for H in jacobians.values()))
    from_pairs = {name: pair * covariance @ H.T for name, H in jacobians.items()}
    return AlphaWeights(gyro * covariance, from_pairs, covariance)


def angular_acceleration(
    weights: AlphaWeights,
    neighbours: Mapping[str, Neighbour],
    omegas: Sequence[np.ndarray],
    s_own: np.ndarray,
    s_neighbours: Mapping[str, np.ndarray],
    half_span: float,
) -> np.ndarray:
    """Own α (rad/s²), which the team then averages [fan17, Eq. (18)]; `omegas` are before, at and after that time."""
    alpha = weights.from_gyro @ central_difference(omegas[0], omegas[2], half_span)
    for name, one in neighbours.items():
        alpha = alpha + weights.from_pairs[name] @ pair_observation(one, omegas[1], s_own, s_neighbours[name])
    return alpha
