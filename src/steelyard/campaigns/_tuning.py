"""Numbers that tune campaigns."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ClusterTuning:
    """Of campaigns on a scheduler."""

    answer_within: float = 10.0
    """s. A scheduler that runs answers in milliseconds, one behind a slow link in a second or two."""
    deaths: int = 3
    """Workers that may die at one trial before it counts as the trial's own fault."""


@dataclasses.dataclass(frozen=True)
class SimulatedFilterTuning:
    """Of the campaign that draws its own flights."""

    rate: float = 100.0
    """Rows a second."""
    noise: tuple[float, ...] = (0.01,) * 6 + (0.03,) * 3
    """Standard deviations of position and attitude (m, rad), and of velocity (m/s)."""
    start: tuple[float, ...] = (0.01,) * 6 + (0.03,) * 3 + (0.3,)
    """Standard deviations of the filter's start: the same, and the logarithm of the mass."""
    control_noise: tuple[float, ...] = (0.3, 0.01, 0.01, 0.01)
    """Of thrust (N) and rates (rad/s)."""
    drift: float = 0.02
    """Of the logarithm of the mass, per root of a second."""


@dataclasses.dataclass(frozen=True)
class GpuTuning:
    """Of the measurement of a campaign's speed on a GPU."""

    flights: int = 262_144
    """Enough that every multiprocessor is full several times over; their samples fill several gigabytes."""
    rows: int = 200
    """Of each flight: 2 s."""
    checked: int = 512
    """Flights that the processor flies, too."""
    drawn_flights: int = 1_000_000
    """Flights of the campaign whose inputs are drawn on the GPU."""
    repeats: int = 5
    """Of each timed run; the fastest counts."""


CLUSTER = ClusterTuning()
SIMULATED = SimulatedFilterTuning()
GPU = GpuTuning()
