"""What a learning machine is shown of a flight: how heavy the drone seems, over several spans of its recent past."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard._rotations import matrices
from steelyard.models import STANDARD_GRAVITY, common_rotor_bench
from steelyard.papers.sesame._tuning import LEARNING, TUNING
from steelyard.worlds import SESAME_AIRFRAME

Columns = Mapping[str, np.ndarray]
"""Of one flight, by their log names."""

INPUTS = ("log mass", "log unsureness", *(f"log mass over {rows} rows" for rows in LEARNING.windows))
"""What the columns of `machine_inputs` are."""

_GRAVITY = float(-STANDARD_GRAVITY[2])


def machine_inputs(columns: Columns) -> np.ndarray:
    """Inputs of a flight, (row, input) in the order of `INPUTS`; a row depends on itself and on rows before it.

    Read are time, throttles, attitude and velocity. From them come two running sums: the impulse of the rotors, and the
    velocity gained along body z but for gravity. The gradient of the second over the first is 1/m, whatever the
    trajectory is. It is fitted to the last few rows (`WINDOWS`): short spans follow a jump and are noisy, long ones the
    reverse. Which one to use is a question of probability, and the first two inputs answer it so: `_mass_by_impulse`.

    What is known beforehand is on the drone's bench sheet: thrust map, motor lag, drag along the rotors' axis, noise of
    rotors and velocity, and the nominal mass, at which it hovers before the first row. Seen are 0.6 to 1.5 kg.
    """
    return inputs_of_flights([columns])[0]


def inputs_of_flights(flights: Sequence[Columns]) -> np.ndarray:
    """`machine_inputs` of flights of the same length, (flight, row, input), in a fraction of the time."""
    dt = np.stack([np.diff(columns["time"]) for columns in flights])
    impulse, gained, gust = (np.stack(each) for each in zip(*map(_impulses, flights), strict=True))
    mass, unsure = _mass_by_impulse(impulse, gained, gust, dt)
    fitted = 1.0 / np.maximum(_fit_windows(impulse, gained, float(np.median(dt))), 1e-3)
    log_mass = np.log(np.clip(np.concatenate([mass[..., None], fitted], axis=2), TUNING.lightest, TUNING.heaviest))
    log_unsure = np.log(np.clip(unsure, TUNING.surest, TUNING.unsurest))
    return np.insert(log_mass, 1, log_unsure, axis=2)


def _impulses(columns: Columns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From each row to the next: impulse along body z (N s), velocity gained there (m/s), variance of the impulse."""
    dt = np.diff(columns["time"])
    velocity = _stack(columns, "r1/linear_velocity", "xyz")
    axis = matrices(_stack(columns, "r1/attitude", "wxyz"))[:, :, 2]
    bench = np.asarray(common_rotor_bench().thrusts)
    throttles = [values for name, values in columns.items() if name.startswith("r1/throttle/")]
    asked = sum(np.interp(0.01 * u, np.linspace(0.0, 1.0, len(bench)), bench) for u in throttles)
    thrust = _lagged(np.asarray(asked)[:-1], dt)
    along = np.sum(axis * velocity, axis=1)[:-1]
    drag = SESAME_AIRFRAME.quadratic_drag * along * np.abs(along)
    middle = axis[1:] + axis[:-1]
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    gained = np.sum(middle * (np.diff(velocity, axis=0) - dt[:, None] * np.array(STANDARD_GRAVITY)), axis=1)
    gust = SESAME_AIRFRAME.motor_noise**2 * bench[-1] * np.maximum(thrust, 0.0)  # rotors add in squares
    return (thrust - drag) * dt, gained, gust * dt**2


def _stack(columns: Columns, name: str, axes: str) -> np.ndarray:
    return np.stack([columns[f"{name}/{axis}"] for axis in axes], axis=1)


def _lagged(asked: np.ndarray, dt: np.ndarray) -> np.ndarray:
    """Mean thrust from each row to the next, of motors that hovered before and follow with their lag."""
    lag, thrust = SESAME_AIRFRAME.motor_lag, _GRAVITY * SESAME_AIRFRAME.mass
    means = np.empty_like(asked)
    for k, (wanted, h) in enumerate(zip(asked, dt, strict=True)):
        after = wanted + (thrust - wanted) * np.exp(-h / lag)
        means[k] = wanted + (thrust - after) * lag / h
        thrust = after
    return means


def _fit_windows(impulse: np.ndarray, gained: np.ndarray, dt: float) -> np.ndarray:
    """Least-squares 1/m over the last rows, (flight, row, window); before the first row there was hovering."""
    longest, (flights, intervals) = max(LEARNING.windows), impulse.shape
    hover = np.full((flights, longest), _GRAVITY * dt)
    x = _running(np.concatenate([SESAME_AIRFRAME.mass * hover, impulse], axis=1))
    # small numbers: digits are not lost
    y = _running(np.concatenate([hover, gained], axis=1)) - x / SESAME_AIRFRAME.mass
    sums = [_running(values) for values in (x, y, x * x, x * y)]
    end = longest + 1 + np.arange(intervals + 1)
    gradients = []
    for rows in LEARNING.windows:
        n = rows + 1
        s_x, s_y, s_xx, s_xy = (s[:, end] - s[:, end - n] for s in sums)
        gradients.append((s_xy - s_x * s_y / n) / (s_xx - s_x**2 / n) + 1.0 / SESAME_AIRFRAME.mass)
    return np.stack(gradients, axis=2)


def _running(values: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)


def _mass_by_impulse(
    impulse: np.ndarray, gained: np.ndarray, gust: np.ndarray, dt: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mass with the least expected squared relative error, and standard deviation of 1/m, (flight, row).

    Hypotheses about the past compete: at each row the likeliest has three children, in which the mass has just jumped,
    begun to drift or ceased to, and the three least likely make room. Each is a Kalman filter over (velocity gained,
    1/m, its rate), weighted by how well it predicted the velocity.
    """
    noise = SESAME_AIRFRAME.velocity_noise**2
    flights, intervals = impulse.shape
    seen = _running(gained)
    x = np.zeros((3, flights, TUNING.hypotheses))
    x[1] = 1.0 / SESAME_AIRFRAME.mass
    P = np.zeros((6, flights, TUNING.hypotheses))  # upper triangle: 00 01 02 11 12 22
    P[0], P[3] = noise, TUNING.first_std**2
    weight = np.zeros((flights, TUNING.hypotheses))
    weight[:, 0] = 1.0
    mass = np.full((flights, intervals + 1), SESAME_AIRFRAME.mass)
    unsure = np.full((flights, intervals + 1), TUNING.first_std)
    for k in range(intervals):
        _branch(x, P, weight)
        _foresee(x, P, impulse[:, k, None], gust[:, k, None], 0.5 * dt[:, k, None])
        y, S = seen[:, k + 1, None] - x[0], P[0] + noise
        log_weight = np.log(weight + 1e-300) - 0.5 * (y * y / S + np.log(S))
        weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        K = P[:3] / S
        x += K * y
        P -= np.stack([K[0] * P[0], K[0] * P[1], K[0] * P[2], K[1] * P[1], K[1] * P[2], K[2] * P[2]])
        mean, square = np.sum(weight * x[1], axis=1), np.sum(weight * (P[3] + x[1] ** 2), axis=1)
        # E[1/m] / E[1/m²] minimises the expected square of (estimate - m) / m.
        mass[:, k + 1], unsure[:, k + 1] = mean / square, np.sqrt(square - mean**2)
    return mass, unsure


def _branch(x: np.ndarray, P: np.ndarray, weight: np.ndarray) -> None:
    flight = np.arange(len(weight))
    likeliest = weight.argmax(axis=1)
    jumped, drifting, steady = np.argpartition(weight, 3, axis=1)[:, :3].T
    weight *= 1.0 - TUNING.jump_chance - 2 * TUNING.bend_chance
    state, covariance = x[:, flight, likeliest], P[:, flight, likeliest]
    for child, chance in ((jumped, TUNING.jump_chance), (drifting, TUNING.bend_chance), (steady, TUNING.bend_chance)):
        weight[flight, child] = chance
        x[:, flight, child], P[:, flight, child] = state, covariance
        x[2, flight, child] = 0.0
        for entry in (2, 4, 5):
            P[entry, flight, child] = 0.0
    P[5, flight, drifting] = TUNING.drift_std**2
    x[1, flight, jumped] = 1.0 / SESAME_AIRFRAME.mass
    P[1, flight, jumped], P[3, flight, jumped] = 0.0, TUNING.jump_std**2


def _foresee(x: np.ndarray, P: np.ndarray, impulse: np.ndarray, gust: np.ndarray, half: np.ndarray) -> None:
    """Half a row of drift, the impulse, the other half."""
    for push in (True, False):
        x[1] += half * x[2]
        P[1] += half * P[2]
        P[3] += half * (2 * P[4] + half * P[5])
        P[4] += half * P[5]
        if push:
            x[0] += impulse * x[1]
            P[0] += impulse * (2 * P[1] + impulse * P[3]) + gust * x[1] ** 2
            P[1] += impulse * P[3]
            P[2] += impulse * P[4]
    P[3] += TUNING.creep**2
