"""Our robots in space: everybody's samples passed on, and one filter at each robot over all of them."""

from ._agent import SpatialAgent as SpatialAgent
from ._agent import SpatialSample as SpatialSample
from ._agent import SpatialState as SpatialState
from ._compiled_filter import machine_of as machine_of
from ._incremental import SpatialEvent as SpatialEvent
from ._linearisation_point import SpatialPoint as SpatialPoint
from ._noise_free_information import sweep_exactly as sweep_exactly
from ._relay import SpatialMessage as SpatialMessage
from ._report import load_in_frame as load_in_frame
from ._report import pose_in_frame as pose_in_frame
from ._row_step_start import row_steps as row_steps
from ._single_robot import weigh_alone as weigh_alone
from ._team import spatial_team as spatial_team
