"""The numbers that tune how thrusts are estimated: one set a method, and one for reading a log and answering."""

import dataclasses
from typing import Literal

FaultDetection = Literal["none", "speed", "evidence"]
"""How a failed engine is detected: not at all, by its rotor speed, or by the likelihood of the innovations."""


@dataclasses.dataclass(frozen=True)
class ThrustTuning:
    """The random walks that a method assumes, and which parts of the state it estimates."""

    unknown: tuple[str, ...]
    """Parts of the state beside thrusts and momentum: `wrench`, `log_mass`, `offset`, `foot_bias`."""
    detection: FaultDetection = "evidence"
    rate_drift: float = 3.0
    """Of a jet's rate of thrust, N/s per √s."""
    thrust_drift: float = 0.2
    """Of a thrust, N per √s."""
    offset_drift: float = 0.15
    """Of an engine's offset from its model, as a share per √s of its prior standard deviation."""
    wrench_drift: float = 20.0
    """Of a foot's force where wrenches are states, N per √s; torques a twentieth."""
    uses_engines: bool = True
    """Whether the engines' model predicts thrusts from throttles; without it they are random walks."""
    uses_momentum: bool = True
    """Whether the momentum that the log shows is a measurement."""
    uses_speed: bool = True
    """Whether rotor speeds are measurements."""


THRUST_METHODS = {
    "adaptive": ThrustTuning(("log_mass", "offset", "foot_bias")),
    "published": ThrustTuning(("wrench",), detection="speed", rate_drift=10.0, uses_speed=False),
    "centroidal": ThrustTuning(
        ("wrench",), detection="none", rate_drift=0.0, thrust_drift=30.0, uses_engines=False, uses_speed=False
    ),
    "engines": ThrustTuning((), detection="none", uses_momentum=False, uses_speed=False),
}
"""Ours; the filter of [ironcub, Sec. III]; the same without its engines; engines alone [ironcub, Sec. V-C].

The paper's methods are settings of our filter, and `identify --method` offers them, so they are here; how the paper
compares and tunes them is in papers/ironcub.
"""


@dataclasses.dataclass(frozen=True)
class JetsTuning:
    """Of reading a log of a robot on jets and of answering from its track."""

    unloaded_below: float = 20.0
    """N: a sole with less force on it may be in the air."""
    lifted_above: float = 0.03
    """m: an unloaded sole that rose by this from where it last stood is in the air."""
    outlier_gate: float = 8.0
    """Standard deviations of its innovation beyond which a reading is taken for an outlier."""
    known_below: float = 0.1
    """Share of an engine's maximum thrust: a thrust with a smaller standard deviation is known."""
    shown_below: float = 0.5
    """Share of its prior standard deviation below which a mass or a bias is known."""
    identifiable_within: float = 5.0
    """s, after which a mass or a bias that is still unknown is not identifiable from this motion."""
    alike_below: float = 0.02
    """Share of the largest singular value of A(q): engines along a smaller one act alike on this robot."""
    named_above: float = 0.2
    """Component of a singular vector above which its engine is named."""
    least_quaternion: float = 1e-3
    """Length below which four numbers are no attitude."""
    fewest_rows: int = 20
    """Of a log: its noise, where nobody states it, is estimated from them."""
    fastest: float = 1e3
    """m/s and rad/s (a metre from the axis) beyond which no robot on thrusters moves."""
    least_noise: dict[str, float] = dataclasses.field(
        default_factory=lambda: {
            "momentum/angular": 1e-3,
            "momentum/linear": 1e-2,
            "wrench/torque": 1e-3,
            "wrench/force": 1e-2,
            "rpm": 10.0,
        }
    )
    """N m s, N s, N m, N and rev/min: no signal's noise is less, however little the log shows."""
    largest_error: dict[str, float] = dataclasses.field(default_factory=lambda: {"torque": 30.0, "force": 100.0})
    """N m and N that sensors and hands add."""


TUNING = JetsTuning()
