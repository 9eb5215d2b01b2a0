"""Who talks to whom? Graphs, messages, buses; in folders: consensus, the papers' robots, ours, and the wire.

An agent is pure: its own sample and its own inbox in, a message to each neighbour out. A bus moves messages; nothing
else knows which bus it is.
"""

from steelyard import _jax as _jax

from ._agent import Agent as Agent
from ._agent import Message as Message
from ._agent import Turn as Turn
from ._bus import Bus as Bus
from ._bus import Disturbance as Disturbance
from ._bus import Partition as Partition
from ._graph import Graph as Graph
from ._graph import metropolis_weight as metropolis_weight
from ._run import PlanarSample as PlanarSample
from ._run import Stay as Stay
from ._run import TeamRun as TeamRun
from ._run import drive as drive
from ._run import run_team as run_team
from ._tree import Parcel as Parcel
from ._tree import Tree as Tree
from .consensus import Average as Average
from .consensus import Centroid as Centroid
from .consensus import Consensus as Consensus
from .consensus import ConsensusAgent as ConsensusAgent
from .consensus import DynamicAverage as DynamicAverage
from .consensus import FlowState as FlowState
from .consensus import Maximum as Maximum
from .consensus import NetworkSize as NetworkSize
from .consensus import PushSum as PushSum
from .consensus import without as without
from .load import LoadAgent as LoadAgent
from .load import LoadEvent as LoadEvent
from .load import LoadMessage as LoadMessage
from .load import load_team as load_team
from .planar import CenterObserver as CenterObserver
from .planar import Link as Link
from .planar import LinkGains as LinkGains
from .planar import PaperAgent as PaperAgent
from .planar import PaperMessage as PaperMessage
from .planar import PaperState as PaperState
from .planar import Procedure as Procedure
from .planar import RateFilter as RateFilter
from .planar import SlopeFit as SlopeFit
from .planar import Stage as Stage
from .planar import carry_along as carry_along
from .planar import cdc14_procedure as cdc14_procedure
from .planar import cdc14_team as cdc14_team
from .planar import icra15_procedure as icra15_procedure
from .planar import icra15_team as icra15_team
from .planar import link_step as link_step
from .planar import observability as observability
from .planar import observer_step as observer_step
from .planar import spin_bound as spin_bound
from .planar import trace as trace
from .spatial import SpatialAgent as SpatialAgent
from .spatial import SpatialEvent as SpatialEvent
from .spatial import SpatialMessage as SpatialMessage
from .spatial import SpatialPoint as SpatialPoint
from .spatial import SpatialSample as SpatialSample
from .spatial import SpatialState as SpatialState
from .spatial import load_in_frame as load_in_frame
from .spatial import pose_in_frame as pose_in_frame
from .spatial import spatial_team as spatial_team
from .spatial import sweep_exactly as sweep_exactly
from .spatial import weigh_alone as weigh_alone
