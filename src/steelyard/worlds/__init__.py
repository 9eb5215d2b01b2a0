"""What is true? Scenarios that make logs, truth included."""

from steelyard import _jax as _jax

from ._flight import MultirotorFlight as MultirotorFlight
from ._flight import check_flight as check_flight
from ._multirotor import fly as fly
from ._multirotor import simulate as simulate
from ._planar import PlanarTruth as PlanarTruth
from ._planar import planar_truth as planar_truth
from ._planar import simulate_planar as simulate_planar
from ._planar_body import PlanarBody as PlanarBody
from ._planar_push import PlanarPush as PlanarPush
from ._planar_push import check_push as check_push
from ._planar_shapes import contacts_on as contacts_on
from ._planar_shapes import outline as outline
from ._profiles import PROFILES as PROFILES
from ._profiles import ProfileName as ProfileName
from ._profiles import change_times as change_times
from ._profiles import mass_at as mass_at
from ._profiles import turning_times as turning_times
from ._sesame import SESAME_AIRFRAME as SESAME_AIRFRAME
from ._sesame import SESAME_REPETITIONS as SESAME_REPETITIONS
from ._sesame import SesameFlight as SesameFlight
from ._sesame import fly_sesame as fly_sesame
from ._sesame import sesame_flights as sesame_flights
from ._spatial import SpatialTruth as SpatialTruth
from ._spatial import simulate_spatial as simulate_spatial
from ._spatial import spatial_truth as spatial_truth
from ._spatial_body import SpatialBody as SpatialBody
from ._spatial_hold import SpatialHold as SpatialHold
from ._spatial_hold import check_hold as check_hold
from ._trajectories import COURSES as COURSES
from ._trajectories import CourseName as CourseName
