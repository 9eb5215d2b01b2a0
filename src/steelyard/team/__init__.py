"""Who talks to whom? Graphs, messages, buses, consensus, and the planar papers' teams.

An agent is pure: its own sample and its own inbox in, a message to each neighbour out. A bus moves messages; nothing
else knows which bus it is.
"""

from steelyard import _jax as _jax

from ._agent import Agent as Agent
from ._agent import Message as Message
from ._agent import Turn as Turn
from ._average import Average as Average
from ._bus import Bus as Bus
from ._bus import Disturbance as Disturbance
from ._bus import Partition as Partition
from ._cdc14 import cdc14_procedure as cdc14_procedure
from ._cdc14 import cdc14_team as cdc14_team
from ._centroid import Centroid as Centroid
from ._consensus import Consensus as Consensus
from ._consensus import ConsensusAgent as ConsensusAgent
from ._flow import DynamicAverage as DynamicAverage
from ._flow import FlowState as FlowState
from ._flow import without as without
from ._graph import Graph as Graph
from ._graph import metropolis_weight as metropolis_weight
from ._icra15 import icra15_procedure as icra15_procedure
from ._icra15 import icra15_team as icra15_team
from ._link import Link as Link
from ._link import LinkGains as LinkGains
from ._link import link_step as link_step
from ._load_agent import LoadAgent as LoadAgent
from ._load_state import LoadEvent as LoadEvent
from ._load_state import LoadMessage as LoadMessage
from ._load_team import load_team as load_team
from ._low_pass import RateFilter as RateFilter
from ._low_pass import SlopeFit as SlopeFit
from ._maximum import Maximum as Maximum
from ._observer import CenterObserver as CenterObserver
from ._observer import observability as observability
from ._observer import observer_step as observer_step
from ._observer import spin_bound as spin_bound
from ._paper_agent import PaperAgent as PaperAgent
from ._paper_report import trace as trace
from ._plane import carry_along as carry_along
from ._procedure import PaperMessage as PaperMessage
from ._procedure import PaperState as PaperState
from ._procedure import Procedure as Procedure
from ._procedure import Stage as Stage
from ._push_sum import PushSum as PushSum
from ._run import PlanarSample as PlanarSample
from ._run import Stay as Stay
from ._run import TeamRun as TeamRun
from ._run import drive as drive
from ._run import run_team as run_team
from ._size import NetworkSize as NetworkSize
from ._spatial_agent import SpatialAgent as SpatialAgent
from ._spatial_agent import SpatialSample as SpatialSample
from ._spatial_agent import SpatialState as SpatialState
from ._spatial_alone import weigh_alone as weigh_alone
from ._spatial_belief import SpatialEvent as SpatialEvent
from ._spatial_exact import sweep_exactly as sweep_exactly
from ._spatial_point import SpatialPoint as SpatialPoint
from ._spatial_relay import SpatialMessage as SpatialMessage
from ._spatial_report import load_in_frame as load_in_frame
from ._spatial_report import pose_in_frame as pose_in_frame
from ._spatial_team import spatial_team as spatial_team
from ._tree import Parcel as Parcel
from ._tree import Tree as Tree
