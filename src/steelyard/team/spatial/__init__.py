"""Our robots in space: everybody's samples passed on, and one filter at each robot over all of them."""

from ._agent import SpatialAgent as SpatialAgent
from ._agent import SpatialSample as SpatialSample
from ._agent import SpatialState as SpatialState
from ._alone import weigh_alone as weigh_alone
from ._belief import SpatialEvent as SpatialEvent
from ._exact import sweep_exactly as sweep_exactly
from ._machine import machine_of as machine_of
from ._point import SpatialPoint as SpatialPoint
from ._relay import SpatialMessage as SpatialMessage
from ._report import load_in_frame as load_in_frame
from ._report import pose_in_frame as pose_in_frame
from ._row_start import row_steps as row_steps
from ._team import spatial_team as spatial_team
