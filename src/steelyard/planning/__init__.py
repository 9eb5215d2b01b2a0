"""Which motion would tell more? What a motion can identify before anybody moves, and a better one."""

from ._planar import PlannedMotion as PlannedMotion
from ._planar import plan_planar as plan_planar
from ._spatial import PlannedSpatialMotion as PlannedSpatialMotion
from ._spatial import plan_spatial as plan_spatial
from ._spatial_bound import SpatialBound as SpatialBound
from ._spatial_bound import spatial_bound as spatial_bound
from ._spatial_bound import true_linearisation_point as true_linearisation_point
from ._tuning import TUNING as TUNING
