"""Production: the process of one robot."""

from ._pilot import Pilot as Pilot
from ._pilot import Reading as Reading
from ._process import RobotProcess as RobotProcess
from ._process import run_robot as run_robot
from ._settings import read_settings as read_settings
from ._settings import write_settings as write_settings
from ._status import Noticed as Noticed
from ._status import Status as Status
from ._tasks import Task as Task
from ._team_file import TeamPlan as TeamPlan
from ._team_file import plan_team as plan_team
from ._team_file import read_team as read_team
