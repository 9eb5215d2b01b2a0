"""`identify --as spatial-load`: mass, centre of mass and inertia of a load that a team holds, and its robots' poses."""

from ._method import SpatialTeamResult as SpatialTeamResult
from ._method import estimate_spatial_load_at_once as estimate_spatial_load_at_once
from ._method import run_spatial_load_team as run_spatial_load_team
from ._reading import SpatialRecord as SpatialRecord
from ._reading import read_spatial_record as read_spatial_record
