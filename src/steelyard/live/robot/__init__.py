"""Production: the process of one robot."""

from ._inlet import Inlet as Inlet
from ._node import Reading as Reading
from ._node import RobotNode as RobotNode
from ._process import RobotProcess as RobotProcess
from ._process import run_robot as run_robot
from ._settings import read_settings as read_settings
from ._settings import write_settings as write_settings
from ._status import RobotEvent as RobotEvent
from ._status import RobotStatus as RobotStatus
from ._tasks import Task as Task
from ._team_file import TeamPlan as TeamPlan
from ._team_file import plan_team as plan_team
from ._team_file import read_team as read_team
