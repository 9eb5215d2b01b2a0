"""`identify --as jets`: the thrust of every engine of a flying multibody robot."""

from ._answer import ThrustTrack as ThrustTrack
from ._answer import estimate_thrusts as estimate_thrusts
from ._answer import identify_jets as identify_jets
from ._answer import run_thrusts as run_thrusts
from ._method import ThrustRun as ThrustRun
from ._method import thrust_run as thrust_run
from ._reading import JetsRecord as JetsRecord
from ._reading import read_jets_record as read_jets_record
from ._reading import standing as standing
from ._robot import ConfiguredRobot as ConfiguredRobot
from ._robot import robot_from as robot_from
from ._thrust_filter import EngineHealth as EngineHealth
from ._thrust_filter import ThrustBelief as ThrustBelief
from ._thrust_filter import ThrustFilter as ThrustFilter
from ._tuning import THRUST_METHODS as THRUST_METHODS
from ._tuning import ThrustTuning as ThrustTuning
from ._verdict import alike as alike
from ._verdict import engine_events as engine_events
from ._verdict import hardest as hardest
from ._verdict import known_apart as known_apart
from ._verdict import separations as separations
