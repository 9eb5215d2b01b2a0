"""What a team agrees on by talking to neighbours: averages, extremes, flows, sizes, positions."""

from ._average import Average as Average
from ._centroid import Centroid as Centroid
from ._consensus import Consensus as Consensus
from ._consensus import ConsensusAgent as ConsensusAgent
from ._flow import DynamicAverage as DynamicAverage
from ._flow import FlowState as FlowState
from ._flow import without as without
from ._maximum import Maximum as Maximum
from ._push_sum import PushSum as PushSum
from ._size import NetworkSize as NetworkSize
from ._tree_sums import Parcel as Parcel
from ._tree_sums import Tree as Tree
