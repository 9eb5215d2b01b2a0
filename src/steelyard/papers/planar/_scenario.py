"""The planar papers' scenarios: published values, and settings that the papers leave open."""

from steelyard.team import Graph
from steelyard.worlds import PlanarScenario, contacts_on

NAMES = ("r1", "r2", "r3", "r4")
LINE = Graph.line(NAMES)
RATE = 100.0
"""Hz; not stated in the papers."""
MASS = 5.0
"""kg."""
CONTACTS = contacts_on("plate", len(NAMES))
"""From the centre of mass, body axes, m; not stated in the papers; ours are evenly spaced along the outline."""

CDC14_INERTIA = 12.3795
"""kg m² [cdc14, Sec. VI]."""
CDC14_SECONDS = 80
"""Of the run; not stated in the paper."""

INERTIA = 8.6891
"""kg m² [icra15, Sec. VI]."""
VELOCITY_NOISE = 0.2
"""m/s an axis [icra15, Sec. VI]."""
SECONDS = 130.0
"""Of a trial of the paper's method; the robots are done after about 95."""
PUSH = PlanarScenario(inertia=INERTIA, duration=20.0, rate=RATE, force=4.0, velocity_noise=VELOCITY_NOISE)
"""A trial of our method: four robots, amplitudes of 1 to 4 N; the same load and contacts as the paper's trials."""
PUBLISHED = {
    "inertia": 100.0 * (8.7183 / 8.6891 - 1.0),
    "mass": 100.0 * (1.0 - 4.8517 / 5.0),
    "z_c/x": 0.075,
    "z_c/y": 0.033,
    "inertia/stated_std": 100.0 * 0.0035 / 8.6891,
    "mass/stated_std": 100.0 * 0.0453 / 5.0,
}
"""[icra15, Sec. VI]: errors and each robot's own stated deviations in %, scatter of z_c in m."""
