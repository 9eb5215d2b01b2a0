"""An arm picks something up while its force sensor has an offset: one change, at its moment, and both loads."""

import numpy as np

from steelyard.bench.wrist import config_of, log_of
from steelyard.problems import identify
from steelyard.worlds.wrist import WristScenario, wrist_truth


def test_a_pick_up_is_one_change_and_the_new_load_is_known():
    """A fit of one load to both must not run away: its delays once did, and nothing was known."""
    scenario = WristScenario(pick_mass=0.4, force_offset=10.0)
    truth = wrist_truth(scenario, 3)
    found = identify(log_of(scenario, truth, 3), "rigid-body", config_of(scenario, known=False))
    assert [event.kind for event in found.events] == ["change"]
    assert abs(found.events[0].time - scenario.pick_time) < 0.02
    mass, load = found.robots["r1"]["mass"], truth.loads[-1]
    assert abs(mass.value - load.mass) < 4.0 * mass.std < 0.02
    com = found.robots["r1"]["com"]
    assert np.all(np.abs(com.value - load.com) < 4.0 * com.std)
