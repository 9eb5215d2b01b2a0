"""A flying multibody robot on thrusters."""

from ._body import FlyingBody as FlyingBody
from ._config import jets_config as jets_config
from ._robot import JetsRobot as JetsRobot
from ._robot import aerial_arm as aerial_arm
from ._robot import heavier as heavier
from ._robot import humanoid as humanoid
from ._scenario import TAKE_OFF as TAKE_OFF
from ._scenario import FailureName as FailureName
from ._scenario import JetsScenario as JetsScenario
from ._scenario import JetsTrajectory as JetsTrajectory
from ._scenario import check_jets as check_jets
from ._scenario import robot_of as robot_of
from ._simulation import SENSOR_NOISE as SENSOR_NOISE
from ._simulation import simulate_jets as simulate_jets
