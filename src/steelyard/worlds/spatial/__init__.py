"""Robots hold a rigid load in space and shake it."""

from ._body import SpatialBody as SpatialBody
from ._scenario import SpatialHold as SpatialHold
from ._scenario import check_hold as check_hold
from ._scenario import errors_of as errors_of
from ._scenario import grips_of as grips_of
from ._simulation import SpatialTruth as SpatialTruth
from ._simulation import simulate_spatial as simulate_spatial
from ._simulation import spatial_truth as spatial_truth
