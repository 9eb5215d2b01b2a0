"""A multirotor in flight, its mass changing."""

from ._disturbances import Disturbances as Disturbances
from ._disturbances import draw_disturbances as draw_disturbances
from ._disturbed import fly_disturbed as fly_disturbed
from ._profiles import PROFILES as PROFILES
from ._profiles import ProfileName as ProfileName
from ._profiles import change_times as change_times
from ._profiles import mass_at as mass_at
from ._profiles import turning_times as turning_times
from ._scenario import MultirotorScenario as MultirotorScenario
from ._scenario import check_multirotor as check_multirotor
from ._sesame import SESAME_AIRFRAME as SESAME_AIRFRAME
from ._sesame import SESAME_REPETITIONS as SESAME_REPETITIONS
from ._sesame import SesameScenario as SesameScenario
from ._sesame import fly_sesame as fly_sesame
from ._sesame import sesame_flights as sesame_flights
from ._simulation import fly as fly
from ._simulation import simulate as simulate
from ._trajectories import TRAJECTORIES as TRAJECTORIES
from ._trajectories import TrajectoryName as TrajectoryName
