"""What does a team that pushes one load on a plane know of it?

Sums over the team, one fit to them that all robots share, and each robot's own contact position. The equations are in
docs/PLANAR_FIT.md.
"""

from ._agent import PlanarLoadAgent as PlanarLoadAgent
from ._message import PlanarLoadEvent as PlanarLoadEvent
from ._message import PlanarLoadMessage as PlanarLoadMessage
from ._sample import PlanarSample as PlanarSample
from ._team import planar_load_team as planar_load_team
from ._window_step_start import window_steps as window_steps
