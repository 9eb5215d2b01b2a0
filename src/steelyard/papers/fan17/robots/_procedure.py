"""Settings, samples, state and messages of a robot of the spatial paper."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from steelyard.estimators import Estimate
from steelyard.papers.fan17.robots._acceleration import AlphaWeights
from steelyard.papers.fan17.robots._frames import Neighbour
from steelyard.papers.fan17.robots._mixing import Rows, SentRows
from steelyard.papers.fan17.robots._pose import PoseSums
from steelyard.team._agent import Message

ROW = 9
"""Numbers of a row under consensus: a wrench and an angular acceleration."""


class Fan17Procedure(msgspec.Struct, frozen=True):
    """Everything that [fan17, Sec. VII] sets, and what it leaves open."""

    n_robots: int
    """How many hold the load: the total wrench is their number times its mean."""
    rounds: int
    """Of consensus for a row; not stated in the paper."""
    rate: float = 100.0
    """Samples a second; not stated in the paper."""
    settle: float = 8.0
    """s, from when on the poses that are then known are used for the load."""
    forgetting: float = 1.005
    """λ, by which P grows a sample."""
    first_variance: float = 100.0
    """P_0 is this times 1."""
    noise: tuple[float, float, float, float, float] = (0.4, 0.4, 0.4, 0.4, 0.4)
    """One standard deviation an axis of angular velocity, velocity, specific force, torque and force, SI units."""
    report_every: int = 20
    """Samples between two sets of estimates."""


class Fan17Message(Message, frozen=True, array_like=True):
    """To every neighbour, at every sample."""

    key: int
    """Number of the sample."""
    reading: tuple[float, ...]
    """ω, v and s of that sample; empty where a sensor was silent."""
    rows: SentRows
    load: tuple[float, ...]
    """(p_c, I_c, 1/m) in the sender's frame, m, kg m², 1/kg; empty while it has none."""


class Fan17State(msgspec.Struct, frozen=True):
    """What a robot knows between two samples."""

    rows: Rows
    heard: Mapping[str, int]
    """By neighbour, the newest message."""
    sums: Mapping[str, PoseSums]
    key: int = -1
    time: float = 0.0
    sequence: int = 0
    samples: Mapping[int, np.ndarray] = msgspec.field(default_factory=dict)
    """By number, the own ω, v, s, τ, f: those that may still be needed."""
    readings: Mapping[int, Mapping[str, np.ndarray]] = msgspec.field(default_factory=dict)
    """By number and neighbour, what it read."""
    neighbours: Mapping[str, Neighbour] | None = None
    """Where they are, once that is settled."""
    weights: AlphaWeights | None = None
    Sigma: Any = None
    """Covariance (15, 15) of (ω, s, α, τ_Σ, f_Σ) as they go into the least squares; left where JAX has it, as P is."""
    load: np.ndarray | None = None
    """(p_c, I_c, 1/m)."""
    P: Any = None
    last_row: int = -1
    """Number of the sample to which the load refers."""
    received_loads: Mapping[str, tuple[int, np.ndarray]] = msgspec.field(default_factory=dict)
    """By neighbour, its number of neighbours and its load, until they have been taken in."""
    estimates: Mapping[str, Estimate] = msgspec.field(default_factory=dict)
