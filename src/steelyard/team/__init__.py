"""Who exchanges what with whom? Agents that estimate together, and the parts they need.

`membership/`: who is in the team, who is linked to whom, who leads. `consensus/`: which value the team agrees on.
`transport/`: how a message gets from one process to another, and whether it may be used. `planar_load/` and
`spatial_load/`: the agents of a team that carries one load.

An agent is pure: its own sample and its own inbox in, a message to each neighbour out. A bus moves messages; nothing
else knows which bus it is.
"""

from steelyard import _jax as _jax

from ._agent import Agent as Agent
from ._agent import Message as Message
from ._agent import Turn as Turn
from ._cache import Cache as Cache
from ._run import Presence as Presence
from ._run import TeamRun as TeamRun
from ._run import run_closed_loop as run_closed_loop
from ._run import run_team as run_team
from .consensus import FlowMessage as FlowMessage
from .consensus import TreeMessage as TreeMessage
from .consensus import TreeSum as TreeSum
from .consensus import next_flow as next_flow
from .membership import Graph as Graph
from .membership import metropolis_weight as metropolis_weight
from .planar_load import PlanarLoadAgent as PlanarLoadAgent
from .planar_load import PlanarLoadEvent as PlanarLoadEvent
from .planar_load import PlanarLoadMessage as PlanarLoadMessage
from .planar_load import PlanarSample as PlanarSample
from .planar_load import planar_load_team as planar_load_team
from .planar_load import window_steps as window_steps
from .spatial_load import LinearisationPoint as LinearisationPoint
from .spatial_load import SpatialLoadAgent as SpatialLoadAgent
from .spatial_load import SpatialLoadEvent as SpatialLoadEvent
from .spatial_load import SpatialLoadMessage as SpatialLoadMessage
from .spatial_load import SpatialSample as SpatialSample
from .spatial_load import SpatialState as SpatialState
from .spatial_load import compiled_filter as compiled_filter
from .spatial_load import load_in_frame as load_in_frame
from .spatial_load import noise_free_information as noise_free_information
from .spatial_load import pose_in_frame as pose_in_frame
from .spatial_load import row_steps as row_steps
from .spatial_load import spatial_load_team as spatial_load_team
from .transport import Bus as Bus
from .transport import Disturbance as Disturbance
from .transport import Partition as Partition
