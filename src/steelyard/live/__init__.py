"""Who runs where? Every robot its own process, on its own or as a whole team on one machine."""

from ._crew import next_folder as next_folder
from ._final import Final as Final
from ._final import Link as Link
from ._measure import measure as measure
from ._pilot import Pilot as Pilot
from ._pilot import Reading as Reading
from ._plan import TeamPlan as TeamPlan
from ._plan import plan_team as plan_team
from ._plan import read_team as read_team
from ._robot import RobotProcess as RobotProcess
from ._robot import run_robot as run_robot
from ._run_report import write_run_report as write_run_report
from ._settings import read_settings as read_settings
from ._settings import write_settings as write_settings
from ._status import Noticed as Noticed
from ._status import Status as Status
from ._table import final_table as final_table
from ._table import live_table as live_table
from ._tasks import Task as Task
from ._team import TeamProcess as TeamProcess
from ._team import View as View
