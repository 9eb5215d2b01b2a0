"""Robots hold a rigid load in space and shake it."""

from ._body import SpatialBody as SpatialBody
from ._scenario import SpatialScenario as SpatialScenario
from ._scenario import check_spatial as check_spatial
from ._scenario import errors_of as errors_of
from ._scenario import grips_of as grips_of
from ._simulation import SpatialTruth as SpatialTruth
from ._simulation import simulate_spatial as simulate_spatial
from ._simulation import spatial_truth as spatial_truth
