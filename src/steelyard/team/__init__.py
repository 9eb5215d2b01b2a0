"""Who talks to whom? Graphs, messages, buses; in folders: consensus, the papers' robots, ours, and the wire.

An agent is pure: its own sample and its own inbox in, a message to each neighbour out. A bus moves messages; nothing
else knows which bus it is.
"""

from steelyard import _jax as _jax

from ._agent import Agent as Agent
from ._agent import Message as Message
from ._agent import Turn as Turn
from ._cache import Cache as Cache
from ._run import PlanarSample as PlanarSample
from ._run import Stay as Stay
from ._run import TeamRun as TeamRun
from ._run import drive as drive
from ._run import run_team as run_team
from .consensus import Average as Average
from .consensus import Centroid as Centroid
from .consensus import Consensus as Consensus
from .consensus import ConsensusAgent as ConsensusAgent
from .consensus import DynamicAverage as DynamicAverage
from .consensus import FlowState as FlowState
from .consensus import Maximum as Maximum
from .consensus import NetworkSize as NetworkSize
from .consensus import Parcel as Parcel
from .consensus import PushSum as PushSum
from .consensus import Tree as Tree
from .consensus import without as without
from .membership import Graph as Graph
from .membership import metropolis_weight as metropolis_weight
from .planar_load import LoadAgent as LoadAgent
from .planar_load import LoadEvent as LoadEvent
from .planar_load import LoadMessage as LoadMessage
from .planar_load import load_team as load_team
from .planar_load import window_steps as window_steps
from .spatial_load import SpatialAgent as SpatialAgent
from .spatial_load import SpatialEvent as SpatialEvent
from .spatial_load import SpatialMessage as SpatialMessage
from .spatial_load import SpatialPoint as SpatialPoint
from .spatial_load import SpatialSample as SpatialSample
from .spatial_load import SpatialState as SpatialState
from .spatial_load import load_in_frame as load_in_frame
from .spatial_load import machine_of as machine_of
from .spatial_load import pose_in_frame as pose_in_frame
from .spatial_load import row_steps as row_steps
from .spatial_load import spatial_team as spatial_team
from .spatial_load import sweep_exactly as sweep_exactly
from .spatial_load import weigh_alone as weigh_alone
from .transport import Bus as Bus
from .transport import Disturbance as Disturbance
from .transport import Partition as Partition
