"""How a robot on jets is flown: an LQR about hover, on top of engines that are made linear by their throttle."""

import dataclasses

import numpy as np
from jaxtyping import Float

from steelyard._rotations import skew
from steelyard.models import EngineType, jet_drift, jet_gain


@dataclasses.dataclass(frozen=True)
class HoverTuning:
    """Of the linear-quadratic regulator about hover."""

    period: float = 0.01
    """Between commands, s: that of the robot [ironcub, Sec. IV]."""
    state_weights: tuple[float, ...] = (8.0, 4.0, 60.0, 6.0, 2e-4, 2e-4)
    """Of squared errors of position, velocity, tilt, rates, thrust and its rate, SI units."""
    effort: float = 2e-5
    """Weight of the squared input; thrusts change by hundreds of N/s²."""
    engine_bandwidth: float = 3.0
    """Of an engine that is led to a thrust, rad/s."""


TUNING = HoverTuning()


@dataclasses.dataclass(frozen=True)
class Reference:
    """Where the robot is to be."""

    position: Float[np.ndarray, "3"]
    """Of the centre of mass, world, m."""
    velocity: Float[np.ndarray, "3"]
    heading: float
    """About the vertical, rad."""


class HoverControl:
    """A linear-quadratic regulator of a robot whose engines are fixed to it: thrusts turn it, its tilt moves it."""

    hover_thrust: Float[np.ndarray, " engine"]
    """N."""
    R_upright: Float[np.ndarray, "3 3"]
    """Attitude of the base in which hover thrust points up."""

    def __init__(
        self,
        thrust_matrix: Float[np.ndarray, "6 engine"],
        mass: float,
        inertia: Float[np.ndarray, "3 3"],
        jets: bool = True,
    ):
        A, weight = thrust_matrix, 9.81 * mass
        null = np.linalg.svd(A[:3])[2][3:]
        T = null.T @ np.linalg.lstsq((A[3:] @ null.T), np.array([0.0, 0.0, weight]), rcond=None)[0]
        force = A[3:] @ T
        self.hover_thrust = T * weight / np.linalg.norm(force)
        self.R_upright = turn_to_vertical(force / np.linalg.norm(force))
        n = A.shape[1]
        R_0 = self.R_upright
        rates = n if jets else 0  # the rate of a propeller's thrust is the input itself
        F = np.zeros((12 + n + rates, 12 + n + rates))
        F[0:3, 3:6] = F[6:9, 9:12] = np.eye(3)
        F[12 : 12 + rates, 12 + n :] = np.eye(rates)
        F[3:6, 6:9] = 9.81 * np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])  # tilting the weight's worth of thrust
        F[3:6, 12 : 12 + n] = R_0 @ A[3:] / mass
        F[9:12, 12 : 12 + n] = np.linalg.solve(R_0 @ inertia @ R_0.T, R_0 @ A[:3])
        B = np.concatenate([np.zeros((12 + rates, n)), np.eye(n)])
        self._gain = _lqr(F, B, np.repeat(TUNING.state_weights, [3, 3, 3, 3, n, rates]), np.full(n, TUNING.effort))

    def command(
        self, com, velocity, R_wb, omega, thrust, thrust_rate, aim: Reference, share: float = 1.0
    ) -> np.ndarray:
        """T̈ of every jet, N/s², or Ṫ of every propeller, N/s; world axes; `share` of the hover thrust is wanted."""
        c, s = np.cos(aim.heading), np.sin(aim.heading)
        R_h = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])  # world from heading axes
        error = R_wb @ (R_h @ self.R_upright).T
        tilt = 0.5 * np.array([error[2, 1] - error[1, 2], error[0, 2] - error[2, 0], error[1, 0] - error[0, 1]])
        off = np.clip(R_h.T @ (com - aim.position), -0.5, 0.5)
        state = [off, R_h.T @ (velocity - aim.velocity), R_h.T @ tilt, R_h.T @ omega]
        return -self._gain @ np.concatenate([*state, thrust - share * self.hover_thrust, thrust_rate])


def lead_to(thrust, thrust_rate, target) -> np.ndarray:
    """T̈ that leads engines to a thrust, critically damped."""
    return TUNING.engine_bandwidth**2 * (target - thrust) - 2 * TUNING.engine_bandwidth * thrust_rate


def jet_throttle(kind: EngineType, thrust: float, thrust_rate: float, acceleration: float) -> float:
    """The throttle, in percent, that gives a jet this T̈, or comes nearest to it: its equation solved for u."""
    gain = max(jet_gain(kind.jet_parameters, thrust, thrust_rate), 0.05)
    effect = (acceleration - jet_drift(kind.jet_parameters, thrust, thrust_rate)) / gain
    B_UU = kind.jet_parameters[8]
    u = effect if abs(B_UU) < 1e-9 else (np.sqrt(max(1.0 + 4.0 * B_UU * effect, 0.0)) - 1.0) / (2.0 * B_UU)
    return float(np.clip(u, 1.0, 100.0))  # none at all would shut it off


def turn_to_vertical(direction: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 3"]:
    """The shortest rotation that takes a unit vector to the vertical."""
    K = skew(np.cross(direction, [0.0, 0.0, 1.0]))
    return np.eye(3) + K + K @ K / (1.0 + direction[2])


def _lqr(F, B, state_weight, input_weight) -> np.ndarray:
    """Gain of the discrete regulator, by iterating Riccati's equation until it stands still."""
    n = len(F)
    step = np.eye(n) + TUNING.period * F + 0.5 * TUNING.period**2 * F @ F
    G = TUNING.period * B + 0.5 * TUNING.period**2 * F @ B
    Q, R = np.diag(state_weight) * TUNING.period, np.diag(input_weight) * TUNING.period
    P, gain = Q, np.zeros((B.shape[1], n))
    for _ in range(4000):
        new = np.linalg.solve(R + G.T @ P @ G, G.T @ P @ step)
        P = Q + step.T @ P @ (step - G @ new)
        still, gain = np.abs(new - gain).max() < 1e-9 * np.abs(new).max(), new
        if still:
            break
    return gain
