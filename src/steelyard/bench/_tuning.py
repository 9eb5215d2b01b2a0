"""How often and over what the races go."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RaceTuning:
    """Of races against peers and of measurements beside them."""

    rounds: int = 9
    """Ours and the peer's alternate this often; the median of each counts."""
    sprints: int = 180
    """Rounds of what takes microseconds."""
    clones: int = 10
    """Of the multi-state filter; with nine coordinates each its covariance has a hundred rows."""
    window: int = 15
    """Moments of a sliding window."""
    iterations: int = 3
    """Of both windows: enough for answers that agree to a millionth, also while the mass is still far off."""
    drift: tuple[float, ...] = (1e-3,) * 6 + (1e-2,) * 3 + (0.02,)
    """Of every state, so that Ceres can have states for unknowns: rad, m, m/s and logarithm, per root of a second."""
    flights: int = 256
    """Of a campaign."""
    jets_steps: int = 200
    """Of the thrust filter in one round."""
    jets_rate: float = 100.0
    """Hz."""
    steps: int = 200
    """Of a machine-code step in one round."""
    single_calls: int = 20_000
    """Calls whose times are looked at one by one."""
    hour: int = 3600 * 1000
    """Rows of an hour at 1 kHz."""
    hour_chunk: int = 4096
    """Rows of it that are replayed at a time."""
    memory_rows: int = 20 * 3600
    """An hour at 20 Hz."""
    memory_chunk: int = 512
    """Rows of it that are replayed at a time."""
    memory_warm: int = 20
    """Chunks before counting begins: compilation and the allocator have settled by then."""
    spatial_robots: int = 5
    """Of the team that carries a load in space, as in [fan17]."""
    spatial_seconds: float = 3.0
    """Of its log."""
    team_sizes: tuple[int, ...] = (4, 20, 100, 500)
    """Robots of the planar teams whose costs are compared."""
    team_rate: float = 100.0
    """Hz."""
    team_warm: int = 24
    """Samples before counting begins."""
    team_timed: int = 48
    """Samples that count; few enough that ours has no fit yet, which costs the same in every team."""


@dataclasses.dataclass(frozen=True)
class CoverTuning:
    """Of coverage by simulated logs, and of the limits beyond which a known number is wrong."""

    aim: tuple[float, float] = (0.93, 0.97)
    """Of coverage, where the logs are many."""
    wrong_disguise: float = 4.0
    """Standard deviations beyond which a known number of a disguised log is wrong: 1 in 16,000."""
    wrong_fault: float = 4.0
    """The same of a log with a fault in it."""
    wrong_wrist: float = 5.0
    """Standard deviations beyond which a known number of a wrist is wrong: its intervals are 95 % over logs, and a
    thousand numbers are looked at."""
    same_change: float = 1.0
    """s between a change and its event at the most."""


RACE = RaceTuning()
COVER = CoverTuning()
