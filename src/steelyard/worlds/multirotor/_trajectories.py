"""The five trajectories of a campaign, as a controller follows them: poses, velocities and inputs on a grid of time."""

import dataclasses
from typing import Literal, get_args

import numpy as np

from steelyard._rotations import quaternion_from_matrix
from steelyard.worlds.multirotor._tuning import WORLD

TrajectoryName = Literal["random", "loop", "lemniscate", "zigzag", "square"]
TRAJECTORIES: tuple[TrajectoryName, ...] = get_args(TrajectoryName)

FLIGHT_TIME = 12.0
"""s."""
_HEIGHT = 1.0


@dataclasses.dataclass(frozen=True)
class Reference:
    """What to be, and what to ask for, at each instant of a grid: a flat quadrotor without drag, yaw zero."""

    attitude: np.ndarray
    """(n, 4), quaternions w, x, y, z, body to world."""
    position: np.ndarray
    """(n, 3), m."""
    velocity: np.ndarray
    """(n, 3), m/s."""
    inputs: np.ndarray
    """(n, 4): thrust by mass, m/s², and body rates, rad/s."""


def lay_trajectory(name: str, variation: np.random.Generator, step: float, beyond: float) -> Reference:
    """A trajectory of twelve seconds on a grid of `step` seconds, standing still for `beyond` seconds at its end."""
    t = np.arange(round(FLIGHT_TIME * WORLD.curve_points) + 1) / WORLD.curve_points
    path = {
        "random": _random,
        "loop": _loop,
        "lemniscate": _lemniscate,
        "zigzag": _zigzag,
        "square": _square,
    }[name](t, variation)
    rest = np.repeat(path[-1:], round(beyond * WORLD.curve_points), axis=0)
    return _flat(np.concatenate([path, rest]), round(step * WORLD.curve_points))


def _loop(t: np.ndarray, variation: np.random.Generator) -> np.ndarray:
    angle = _turned(t, variation.uniform(4.0, 7.0)) * variation.choice([-1.0, 1.0])
    return np.stack([5.0 * np.sin(angle), 5.0 * np.cos(angle), np.full_like(t, _HEIGHT)], axis=1)


def _lemniscate(t: np.ndarray, variation: np.random.Generator) -> np.ndarray:
    angle = _turned(t, variation.uniform(5.5, 8.0)) * variation.choice([-1.0, 1.0])
    return np.stack([5.0 * np.cos(angle), 5.0 * np.sin(angle) * np.cos(angle), np.full_like(t, _HEIGHT)], axis=1)


def _turned(t: np.ndarray, top_speed: float, radius: float = 5.0) -> np.ndarray:
    """Angle gone round at each time: faster for six seconds, slower for six; changes of acceleration take two."""
    ramp, coast = 2.0, 2.0
    most = 0.25 * top_speed / radius  # rad/s²
    half = FLIGHT_TIME / 2

    def rising(s: np.ndarray) -> np.ndarray:
        """Angular acceleration in the first half: up over two seconds, on for two, and down to zero in two."""
        up = np.sin(0.5 * np.pi * np.clip(s / ramp, 0.0, 1.0)) ** 2
        down = np.cos(0.5 * np.pi * np.clip((s - ramp - coast) / ramp, 0.0, 1.0)) ** 2
        return most * up * down

    acceleration = np.where(t < half, rising(t), -rising(2 * half - t))
    rate = np.concatenate([[0.0], np.cumsum(0.5 * (acceleration[1:] + acceleration[:-1]))]) / WORLD.curve_points
    return np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / WORLD.curve_points


def _random(t: np.ndarray, variation: np.random.Generator) -> np.ndarray:
    """Through ten points in a box of about 6 m, at 2 to 3.5 m/s on average, with the least possible snap."""
    points = variation.uniform(-0.5, 0.5, (10, 3)) * [1.0, 1.0, 0.5]
    legs = np.linalg.norm(np.diff(points, axis=0), axis=1)
    points *= variation.uniform(2.0, 3.5) * FLIGHT_TIME / legs.sum()
    points[:, 2] += _HEIGHT - points[0, 2]
    knots = np.concatenate([[0.0], np.cumsum(legs / legs.sum())]) * FLIGHT_TIME
    return _least_snap(knots, points, t)


def _zigzag(t: np.ndarray, variation: np.random.Generator) -> np.ndarray:
    """Six legs of about 4 m, each from rest to rest."""
    length = variation.uniform(3.0, 4.5)
    corners = length * np.array([[0.45 * k, 0.45 * (-1) ** k] for k in range(7)])
    return _from_rest_to_rest(t, _turn(corners, variation))


def _square(t: np.ndarray, variation: np.random.Generator) -> np.ndarray:
    """Four sides of about 5 m, each from rest to rest."""
    corners = variation.uniform(4.0, 6.0) * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    return _from_rest_to_rest(t, _turn(corners, variation))


def _turn(corners: np.ndarray, variation: np.random.Generator) -> np.ndarray:
    heading = variation.uniform(0.0, 2 * np.pi)
    c, s = np.cos(heading), np.sin(heading)
    return corners @ np.array([[c, s], [-s, c]])


def _from_rest_to_rest(t: np.ndarray, corners: np.ndarray) -> np.ndarray:
    legs = len(corners) - 1
    progress = np.clip(t / FLIGHT_TIME * legs, 0.0, legs)
    leg = np.minimum(progress.astype(int), legs - 1)
    s = (progress - leg)[:, None]
    share = s**4 * (35.0 - 84.0 * s + 70.0 * s**2 - 20.0 * s**3)  # least snap from rest to rest
    plane = corners[leg] + share * (corners[leg + 1] - corners[leg])
    return np.concatenate([plane, np.full((len(t), 1), _HEIGHT)], axis=1)


def _least_snap(knots: np.ndarray, points: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Polynomials of degree seven from knot to knot, six derivatives continuous, at rest at both ends.

    Among all curves through the points it has the least integral of the squared fourth derivative.
    """
    pieces, degree = len(knots) - 1, 8
    spans = np.diff(knots)

    def derivative(order: int, s: float) -> np.ndarray:
        """How each coefficient of a piece enters its derivative at the share `s` of the piece."""
        row = np.zeros(degree)
        for power in range(order, degree):
            row[power] = np.prod(np.arange(power - order + 1, power + 1)) * s ** (power - order)
        return row

    A, b = np.zeros((pieces * degree, pieces * degree)), np.zeros((pieces * degree, points.shape[1]))
    conditions = iter(range(pieces * degree))

    def demand(terms: dict[int, np.ndarray], value: np.ndarray | float) -> None:
        row = next(conditions)
        for piece, coefficients in terms.items():
            A[row, piece * degree : (piece + 1) * degree] = coefficients
        b[row] = value

    for k in range(pieces):
        demand({k: derivative(0, 0.0)}, points[k])
        demand({k: derivative(0, 1.0)}, points[k + 1])
    for order in (1, 2, 3):
        demand({0: derivative(order, 0.0)}, 0.0)
        demand({pieces - 1: derivative(order, 1.0)}, 0.0)
    for k in range(pieces - 1):
        for order in range(1, 7):
            here, there = (derivative(order, s) / spans[j] ** order for j, s in ((k, 1.0), (k + 1, 0.0)))
            scale = spans[k] ** order
            demand({k: here * scale, k + 1: -there * scale}, 0.0)
    coefficients = np.linalg.solve(A, b).reshape(pieces, degree, points.shape[1])
    piece = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, pieces - 1)
    s = (t - knots[piece]) / spans[piece]
    return np.einsum("np,npd->nd", s[:, None] ** np.arange(degree), coefficients[piece])


def _flat(path: np.ndarray, every: int) -> Reference:
    """The states and inputs that fly a path: the thrust points where the acceleration and the weight ask it to."""
    velocity = np.gradient(path, axis=0) * WORLD.curve_points
    thrust = np.gradient(velocity, axis=0) * WORLD.curve_points + [0.0, 0.0, 9.81]
    size = np.linalg.norm(thrust, axis=1)
    z = thrust / size[:, None]
    y = np.cross(z, [1.0, 0.0, 0.0])
    y /= np.linalg.norm(y, axis=1)[:, None]
    R = np.stack([np.cross(y, z), y, z], axis=2)
    turns = np.einsum("nji,njk->nik", R, np.gradient(R, axis=0) * WORLD.curve_points)
    rates = np.stack([turns[:, 2, 1], turns[:, 0, 2], turns[:, 1, 0]], axis=1)
    inputs = np.concatenate([size[:, None], rates], axis=1)
    return Reference(quaternion_from_matrix(R[::every]), path[::every], velocity[::every], inputs[::every])
