"""Which rotor carries more than the others, from the thrusts that a controller held on average."""

import dataclasses

import numpy as np

from steelyard.logs import Log
from steelyard.problems.multirotor._vehicle_tuning import TUNING

_CRAZYFLIE = np.array([[-1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, 1.0, -1.0]])
"""Roll and pitch by its motors, counted from front right clockwise."""


@dataclasses.dataclass(frozen=True)
class RotorLoads:
    """Mean thrust of each rotor over that of all."""

    share: np.ndarray
    std: np.ndarray
    balance: np.ndarray
    """The part that holds a constant roll and pitch torque; what holds a yaw torque is no weight."""
    apart: tuple[float, float]
    """How far the first rotor of `order` is above the second in `balance`, and its standard deviation."""

    @property
    def order(self) -> np.ndarray:
        """The rotor that carries most first."""
        return np.argsort(-self.balance)

    @property
    def heavy(self) -> int | None:
        """The rotor beside which the weight sits, from 1; None where two carry alike."""
        gap, std = self.apart
        return int(self.order[0]) + 1 if gap > TUNING.alike and gap > 1.96 * std else None

    def sentence(self, cause: str) -> str:
        """For the verdict."""
        first, second = (int(k) for k in self.order[:2])
        over = f"{100 * self.balance[first]:.1f} % above the mean for roll and pitch"
        if self.heavy is not None:
            return f"Motor {self.heavy} carries most, {over}: {cause}."
        if self.balance[first] > TUNING.alike:
            return (
                f"No single motor carries most; motors {first + 1} and {second + 1} do alike, motor {first + 1} {over}."
            )
        return "No motor carries more than the others."


def rotor_loads(thrusts: np.ndarray, signs: np.ndarray | None) -> RotorLoads:
    """From the thrusts (n, 4) in flight; deviations from blocks of it."""
    patterns = _CRAZYFLIE if signs is None else signs
    patterns = patterns / np.linalg.norm(patterns, axis=1, keepdims=True)
    blocks = np.array([block.mean(axis=0) for block in np.array_split(thrusts, TUNING.blocks)])
    blocks /= blocks.mean(axis=1, keepdims=True)
    balances = blocks @ patterns.T @ patterns
    balance = balances.mean(axis=0)
    first, second = np.argsort(-balance)[:2]
    gap = balances[:, first] - balances[:, second]
    root = np.sqrt(TUNING.blocks)
    std = blocks.std(axis=0, ddof=1) / root
    return RotorLoads(blocks.mean(axis=0), std, balance, (float(gap.mean()), float(gap.std(ddof=1) / root)))


def published_thrusts(log: Log, robot: str, command: np.ndarray, volts: np.ndarray | None) -> np.ndarray | None:
    """Of each motor by the map of the Crazyflie, where the log's thrust is that map of its commands; else None."""
    from steelyard.logs.mapping import CONVERSIONS
    from steelyard.problems.multirotor._reading import by_published_map

    if not log.has(robot, "thrust") or by_published_map(log, robot, log.signal(robot, "thrust")[:, 0], []) is None:
        return None
    battery = np.zeros((len(command), 0)) if volts is None else volts[:, None]
    one_each = [np.concatenate([65535.0 * command[:, [k] * 4], battery], axis=1) for k in range(4)]
    return np.column_stack([CONVERSIONS["crazyflie-2-thrust"](one)[:, 0] / 4.0 for one in one_each])
