"""A team's clock that runs fast: what it does to a planar load, and the deviations that count it."""

import numpy as np

import steelyard as sy
from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.planar_load import read_planar_record
from steelyard.team import Bus, planar_load_team, run_team
from steelyard.team.planar_load._report import report

FAST = 0.01
"""Share by which the clock is fast: far beyond the noise of this log."""


def reported(log: Log, drifts: tuple[float, ...] = (0.0,)):
    """A robot's estimates, as they are with deviations for clocks that drift by so much."""
    record = read_planar_record(log.without_truth(), Config())
    agents = planar_load_team(record.graph, record.rate, record.velocity_noise)
    agent, state = agents[0], run_team(agents, record.samples(), Bus(record.graph)).states[agents[0].name]
    found = []
    for agent.clock_drift in drifts:
        found.append(report(agent, state))
    return found


def test_deviations_count_what_a_fast_clock_does():
    """Of m a = F and J α = r F with v = ω r: the mass grows by the share, lengths too, and the inertia by three."""
    log = sy.simulate("planar", 3, duration=12.0, velocity_noise=0.002)
    right, wide = reported(log, (0.0, FAST))
    (fast,) = reported(Log((1.0 + FAST) * np.asarray(log.time), dict(log.columns)))
    for name, power in (("mass", 1.0), ("inertia", 3.0), ("com", 1.0), ("contact/r2", 1.0)):
        assert right[name].status == wide[name].status == fast[name].status == "known", name
        size, later = np.linalg.norm(right[name].value), np.linalg.norm(fast[name].value)
        assert abs(later / size - (1.0 + FAST) ** power) < 1e-4, name
        trace = np.trace(np.atleast_2d(wide[name].covariance) - np.atleast_2d(right[name].covariance))
        assert abs(np.sqrt(trace) / size - power * FAST) < 0.01 * FAST, name
