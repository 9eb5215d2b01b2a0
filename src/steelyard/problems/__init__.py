"""What is asked of a log or a stream? One folder a problem, with the same files in each.

`_reading.py`: columns to a record; `_method.py`: the estimator's run; `_verdict.py`: text; `_answer.py`: the
`Identification`; `_step.py`: the exportable step; `_tuning.py`: the numbers that tune it. SI units; a standard
deviation has the shape of its value, except for a pose, whose six are position (m) and rotation vector (rad).
"""

from ._exportable_steps import ExportableStep as ExportableStep
from ._exportable_steps import exportable_step as exportable_step
from ._exportable_steps import first_sample as first_sample
from ._identification import Event as Event
from ._identification import Identification as Identification
from ._identification import Innovations as Innovations
from ._identification import NoSuchNameError as NoSuchNameError
from ._identification import Quantities as Quantities
from ._identification import Replay as Replay
from ._identification import Series as Series
from ._identification import numbers as numbers
from ._limits import LARGEST as LARGEST
from ._registry import PROBLEMS as PROBLEMS
from ._registry import answer as answer
from ._registry import identify as identify
from ._registry import stream_filter as stream_filter
from ._stream_trust import stream_reasons as stream_reasons
from ._streaming import Answered as Answered
from ._streaming import StreamFilter as StreamFilter
from ._streaming import StreamRefit as StreamRefit
from .jets import THRUST_METHODS as THRUST_METHODS
from .jets import ConfiguredRobot as ConfiguredRobot
from .jets import JetsRecord as JetsRecord
from .jets import ThrustRun as ThrustRun
from .jets import ThrustTrack as ThrustTrack
from .jets import ThrustTuning as ThrustTuning
from .jets import alike as alike
from .jets import engine_events as engine_events
from .jets import estimate_thrusts as estimate_thrusts
from .jets import hardest as hardest
from .jets import identify_jets as identify_jets
from .jets import known_apart as known_apart
from .jets import read_jets_record as read_jets_record
from .jets import robot_from as robot_from
from .jets import run_thrusts as run_thrusts
from .jets import separations as separations
from .jets import standing as standing
from .jets import thrust_run as thrust_run
from .multirotor import FlightRecord as FlightRecord
from .multirotor import read_flight_record as read_flight_record
from .own import OwnRobot as OwnRobot
from .own import Quantity as Quantity
from .own import identify_own as identify_own
from .planar_load import PlanarRecord as PlanarRecord
from .planar_load import PlanarTeamResult as PlanarTeamResult
from .planar_load import read_planar_record as read_planar_record
from .planar_load import run_planar_load_team as run_planar_load_team
from .spatial_load import SpatialRecord as SpatialRecord
from .spatial_load import SpatialTeamResult as SpatialTeamResult
from .spatial_load import estimate_spatial_load_at_once as estimate_spatial_load_at_once
from .spatial_load import read_spatial_record as read_spatial_record
from .spatial_load import run_spatial_load_team as run_spatial_load_team
