"""The curves of the papers' figures, recorded while a team runs."""

import dataclasses
from collections import defaultdict

import numpy as np

from steelyard.papers.planar._load import Load
from steelyard.papers.planar._scenario import NAMES, RATE
from steelyard.papers.planar._tuning import TUNING
from steelyard.papers.planar.robots import Stage, trace
from steelyard.team import Turn


@dataclasses.dataclass
class Record:
    """Running numbers of every robot, and where stages began."""

    curves: dict[str, dict[str, list[tuple[float, complex]]]] = dataclasses.field(
        default_factory=lambda: {name: defaultdict(list) for name in NAMES}
    )
    """By robot and quantity: time (s) and value."""
    stages: dict[Stage, float] = dataclasses.field(default_factory=dict)

    def watch(self, step: int, robot: str, turn: Turn) -> None:
        """For `drive`; every robot changes stage at the same sample, so one is asked."""
        state = turn.state
        if robot == NAMES[0]:
            self.stages.setdefault(state.stage, step / RATE)
        if step % TUNING.curve_every:
            return
        time, shown = (step - 1) / RATE, trace(state)
        if state.stage != Stage.OBSERVE:
            shown.pop("z_c", None)
        if state.omega is not None:
            shown["omega"] = state.omega
        for name, value in shown.items():
            self.curves[robot][name].append((time, complex(value)))

    def curve(self, robot: str, quantity: str) -> tuple[np.ndarray, np.ndarray]:
        """Times and complex values; empty where there was never one."""
        points = self.curves[robot].get(quantity, [])
        return np.array([time for time, _ in points]), np.array([value for _, value in points], complex)


def true_curve(load: Load, quantity: str, times: np.ndarray) -> np.ndarray:
    """`omega` (rad/s) or `z_c` (m, x + iy) as they were."""
    return np.array([complex(getattr(load.at(max(time, 0.0)), quantity)) for time in times])
