"""Our robots in the plane: sums over the team, one fit that all share, and each robot's own place."""

from ._agent import LoadAgent as LoadAgent
from ._state import LoadEvent as LoadEvent
from ._state import LoadMessage as LoadMessage
from ._team import load_team as load_team
from ._window_step_start import window_steps as window_steps
