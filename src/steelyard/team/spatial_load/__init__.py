"""Our robots in space: everybody's samples passed on, and one filter at each robot over all of them."""

from ._agent import SpatialLoadAgent as SpatialLoadAgent
from ._agent import SpatialSample as SpatialSample
from ._agent import SpatialState as SpatialState
from ._changes import SpatialLoadEvent as SpatialLoadEvent
from ._compiled_filter import compiled_filter as compiled_filter
from ._linearisation_point import LinearisationPoint as LinearisationPoint
from ._noise_free_information import noise_free_information as noise_free_information
from ._relay_message import SpatialLoadMessage as SpatialLoadMessage
from ._report import load_in_frame as load_in_frame
from ._report import pose_in_frame as pose_in_frame
from ._row_step_start import row_steps as row_steps
from ._team import spatial_load_team as spatial_load_team
