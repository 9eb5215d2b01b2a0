"""True engines, each a little different from its kind, and how one of them may fail."""

import copy
import dataclasses

import numpy as np
from jaxtyping import Float

from steelyard.models import JetEngines, jet_acceleration, jet_decay
from steelyard.worlds.jets._robot import JetsRobot
from steelyard.worlds.jets._scenario import JetsScenario
from steelyard.worlds.jets._tuning import WORLD


class TrueEngines:
    """Thrusts as they are; limits as measured on the bench."""

    def __init__(self, robot: JetsRobot, scenario: JetsScenario, rng: np.random.Generator):
        self._flight, self._propeller = scenario, robot.propeller
        n = len(robot.engines)
        self.thrust, self.thrust_rate = np.zeros(n), np.zeros(n)
        self._held: float | None = None
        self._healthy: TrueEngines | None = None
        if robot.propeller is None:
            jets = JetEngines.of(robot.jets)
            self._jets = jets
            shares = 1.0 + scenario.engine_error * rng.uniform(-1.0, 1.0, (10, n))
            self._parameters = np.asarray(jets.jet_parameters) * shares
        else:
            shares = 1.0 + scenario.engine_error * rng.uniform(-1.0, 1.0, (2, n))
            self._maximum, self._lag = robot.propeller.maximum * shares[0], robot.propeller.lag * shares[1]

    def failed(self, time: float) -> bool:
        """Whether something is wrong with the engine that fails."""
        scenario = self._flight
        over = scenario.failure == "starvation" and time >= scenario.failure_time + WORLD.starvation
        return scenario.failure != "none" and time >= scenario.failure_time and not over

    @property
    def deficit(self) -> float:
        """By how much the engine that failed falls short of what it would give under the same throttle, N."""
        e = self._flight.failed_engine - 1
        return 0.0 if self._healthy is None else float(self._healthy.thrust[e] - self.thrust[e])

    def move(self, throttle: Float[np.ndarray, " engine"], time: float, dt: float) -> None:
        """A short step under throttles in percent."""
        arrives, scenario = throttle.copy(), self._flight
        if self.failed(time):
            e = scenario.failed_engine - 1
            if self._held is None or self._healthy is None:
                self._held, self._healthy = float(throttle[e]), copy.copy(self)
                self._healthy._flight = dataclasses.replace(scenario, failure="none")
            arrives[e] = {"starvation": WORLD.starved * throttle[e], "flame-out": 0.0, "stuck": self._held}[
                scenario.failure
            ]
        if self._healthy is not None:
            self._healthy.move(throttle, time, dt)
        if self._propeller is not None:
            steady = self._maximum * (0.01 * arrives) ** 2
            self.thrust = self.thrust + (steady - self.thrust) * -np.expm1(-dt / self._lag)
            return
        jets, T, T_dot = self._jets, self.thrust, self.thrust_rate
        runs = arrives > 0
        T_ddot = np.where(runs, jet_acceleration(self._parameters, T, T_dot, arrives), jet_decay(T, T_dot))
        T_dot = np.clip(T_dot + dt * T_ddot, -jets.thrust_rate, jets.thrust_rate)
        T = T + dt * T_dot
        least = np.where(runs, jets.idle, 0.0)
        self.thrust_rate = np.where(least >= T, np.maximum(T_dot, 0.0), T_dot)
        self.thrust = np.clip(T, least, jets.maximum)
