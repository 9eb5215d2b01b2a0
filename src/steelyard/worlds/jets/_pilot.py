"""The set-points of the robot over time, and the throttles that follow them."""

import dataclasses

import numpy as np
from jaxtyping import Float

from steelyard._rotations import matrix
from steelyard.models import Multibody, RobotMotion
from steelyard.worlds.jets._body import FlyingBody
from steelyard.worlds.jets._control import HoverControl, Reference, jet_throttle, lead_to
from steelyard.worlds.jets._engines import TrueEngines
from steelyard.worlds.jets._robot import JetsRobot
from steelyard.worlds.jets._scenario import TAKE_OFF, JetsScenario
from steelyard.worlds.jets._tuning import WORLD

COMMAND_PERIOD = 0.01
"""Between two commands, s [ironcub, Sec. IV]."""


class Pilot:
    """Knows the robot, not its errors."""

    def __init__(self, robot: JetsRobot, multibody: Multibody, scenario: JetsScenario):
        self.robot, self.scenario = robot, scenario
        joints = np.array([robot.posture.get(name, 0.0) for name in multibody.joints])
        rest = RobotMotion(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3), joints, np.zeros(len(joints)))
        inertia = multibody.momentum_matrix(rest)[:3, :3]
        A = multibody.at(rest).thrust_matrix
        self.control = HoverControl(A, multibody.mass, inertia, jets=robot.propeller is None)
        self.start: Float[np.ndarray, "3"] = np.zeros(3)
        """Where the centre of mass was at first."""
        # Standing, throttles are a program made beforehand [ironcub, Sec. V-C]: for engines as their kind has them.
        plain = dataclasses.replace(scenario, engine_error=0.0, failure="none")
        self._rehearsal = (
            TrueEngines(robot, plain, np.random.default_rng(0)) if scenario.trajectory == "standing" else None
        )

    def posture(self, time: float) -> dict[str, float]:
        """Joint angles; in flight some move to and fro."""
        posture = dict(self.robot.posture)
        if self.robot.feet:  # stands such that its hover thrust points up
            pitch = float(-np.arcsin(self.control.R_upright[0, 2]))
            posture |= {"l_ankle_pitch": -pitch, "r_ankle_pitch": -pitch}
        if self.scenario.trajectory == "flight":
            away = time - TAKE_OFF - 1.5 if self.robot.feet else time - 1.0
            for k, (joint, size) in enumerate(self.robot.swings.items()):
                swing = _eased(away / 3.0) * np.sin((1.2 + 0.17 * k) * max(away, 0.0))
                posture[joint] = posture.get(joint, 0.0) + size * (
                    swing - (1.0 if "knee" in joint else 0.0) * _eased(away)
                )
        return posture

    def throttles(self, body: FlyingBody, engines: TrueEngines, time: float) -> Float[np.ndarray, " engine"]:
        """Percent."""
        played = self._rehearsal or engines
        T, T_dot = played.thrust, played.thrust_rate
        if self.robot.propeller is not None:
            wanted = T + self.robot.propeller.lag * self._feedback(body, T, T_dot[:0], time)
            return 100.0 * np.sqrt(np.clip(wanted / self.robot.propeller.maximum, 0.0, 1.0))
        if time < WORLD.ignition or (self.scenario.trajectory == "standing" and time > self.scenario.duration - 8.0):
            return np.zeros(len(T))
        share = self._share(time)
        idle = np.array([kind.idle for kind in self.robot.jets])
        T_ddot = lead_to(T, T_dot, np.maximum(share * self.control.hover_thrust, idle))
        if share > 0.5:  # from here on the ground does not hold it by itself
            weight = _eased((share - 0.5) / 0.3)
            T_ddot = (1 - weight) * T_ddot + weight * self._feedback(body, T, T_dot, time, share)
        throttle = np.array(
            [jet_throttle(kind, *args) for kind, *args in zip(self.robot.jets, T, T_dot, T_ddot, strict=True)]
        )
        if self._rehearsal is not None:
            for _ in range(5):
                self._rehearsal.move(throttle, time, 0.2 * COMMAND_PERIOD)
        return throttle

    def _share(self, time: float) -> float:
        """Of the hover thrust that is wanted."""
        if self.scenario.trajectory == "flight":
            return WORLD.almost * _eased((time - WORLD.ignition) / 8.0) if time < TAKE_OFF else 1.0
        rising = (time - 4.0) / (0.3 * self.scenario.duration)
        wave = np.clip(4.0 * np.sin(0.6 * time), -1.0, 1.0)  # steps, rounded off
        level = _eased(rising) * (1.0 + 0.2 * wave) / 1.2
        return WORLD.standing * level * _eased((self.scenario.duration - 14.0 - time) / 8.0 + 1.0)

    def _feedback(self, body: FlyingBody, thrust, thrust_rate, time: float, share: float = 1.0) -> np.ndarray:
        R_wb = matrix(body.attitude)
        L = body.momentum
        aim = self.aim(time)
        return self.control.command(
            body.com, L[3:] / body.mass, R_wb, R_wb @ body.rates, thrust, thrust_rate, aim, share
        )

    def aim(self, time: float) -> Reference:
        """Up, forward, a turn to the left, forward again [ironcub, Sec. IV]."""
        position, heading = self._where(time)
        before, after = self._where(time - 0.01)[0], self._where(time + 0.01)[0]
        return Reference(position, (after - before) / 0.02, heading)

    def _where(self, time: float) -> tuple[np.ndarray, float]:
        t = time - (TAKE_OFF if self.robot.feet else 1.0)
        if self.scenario.trajectory == "standing":
            return self.start, 0.0
        forward, turn = (-1.0 if self.robot.feet else 1.0), 0.8 * _eased((t - 6.5) / 3.0)
        first = np.array([forward * _eased((t - 3.0) / 3.5), 0.0, 0.6 * _eased(t / 3.0)])
        second = forward * _eased((t - 9.5) / 3.5) * np.array([np.cos(0.8), np.sin(0.8), 0.0])
        return self.start + first + second, turn


def _eased(x: float) -> float:
    """From 0 to 1 without a jerk."""
    x = min(max(x, 0.0), 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
