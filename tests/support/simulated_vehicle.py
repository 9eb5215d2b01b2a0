"""A small quadrotor that turns and thrusts: rigid body, first-order motors, a rate controller, gusts, noise."""

import dataclasses

import numpy as np

from steelyard.logs import Log

SIGNS = np.array([[-1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, 1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])


@dataclasses.dataclass(frozen=True)
class SimulatedVehicle:
    """What is true; thrust of a motor is effectiveness (a u² + b u + c), N."""

    mass: float = 0.03
    arm: float = 0.03
    inertia: tuple[float, float, float] = (1.4e-5, 1.6e-5, 2.6e-5)
    curve: tuple[float, float, float] = (0.12, 0.01, 0.01)
    effectiveness: tuple[float, float, float, float] = (1.05, 0.9, 1.02, 1.03)
    lag: float = 0.05
    offset: tuple[float, float] = (0.0, 0.0)
    """m, of the centre of mass along x and y."""


def fly(vehicle: SimulatedVehicle, seed: int, seconds: float = 40.0, rate: float = 250.0) -> Log:
    """A log of commands, gyroscope and accelerometer, in our columns."""
    rng = np.random.default_rng(seed)
    rows, h = int(seconds * rate), 1.0 / rate
    a, b, c = vehicle.curve
    inertia, arm = np.array(vehicle.inertia), vehicle.arm
    hover = (-b + np.sqrt(b * b - 4 * a * (c - vehicle.mass * 9.81 / 4))) / (2 * a)
    u = np.full(4, hover)
    omega, gust, lift, wanted, climb, held = np.zeros(3), np.zeros(2), 0.0, np.zeros(3), 0.0, np.zeros(3)
    command, rates, force = np.zeros((rows, 4)), np.zeros((rows, 3)), np.zeros(rows)
    noise = rng.standard_normal((rows, 12))
    for k in range(rows):
        thrust = np.array(vehicle.effectiveness) * (a * u**2 + b * u + c)
        force[k] = thrust.sum() / vehicle.mass + lift + 0.1 * noise[k, 0]
        rates[k] = omega + 0.003 * noise[k, 1:4]
        wanted += h / 0.2 * (-wanted) + np.sqrt(2 * h / 0.2) * np.array([0.8, 0.8, 0.1]) * noise[k, 4:7]
        climb += h / 0.5 * (-climb) + np.sqrt(2 * h / 0.5) * 0.12 * noise[k, 7]
        held += h * 2.0 * (wanted - rates[k])
        effort = np.array([0.012, 0.012, 0.03]) * (wanted - rates[k] + held)
        now = np.clip(hover + climb + effort @ SIGNS, 0.05, 1.0)
        command[k] = now
        u = now + (u - now) * np.exp(-h / vehicle.lag)
        gust += h / 0.3 * (-gust) + np.sqrt(2 * h / 0.3) * 2.0 * noise[k, 8:10]
        lift += h / 0.5 * (-lift) + np.sqrt(2 * h / 0.5) * 0.3 * noise[k, 10]
        torque = SIGNS @ thrust * np.array([arm, arm, 0.006])
        torque[:2] += thrust.sum() * np.array([-vehicle.offset[1], vehicle.offset[0]])
        torque[:2] += inertia[:2] * gust
        omega = omega + h * (torque - np.cross(omega, inertia * omega)) / inertia
    columns = {f"r1/throttle/{k + 1}": 100.0 * command[:, k] for k in range(4)}
    columns |= {f"r1/rates/{axis}": rates[:, k] for k, axis in enumerate("xyz")}
    columns |= {
        "r1/specific_force/x": 0.1 * noise[:, 11],
        "r1/specific_force/y": 0.0 * force,
        "r1/specific_force/z": force,
    }
    return Log(np.arange(rows) * h, columns, f"simulated vehicle {seed}")
