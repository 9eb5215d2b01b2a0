"""Who runs where? Every robot its own process, on its own or as a whole team on one machine."""

from .robot import Noticed as Noticed
from .robot import Pilot as Pilot
from .robot import Reading as Reading
from .robot import RobotProcess as RobotProcess
from .robot import Status as Status
from .robot import Task as Task
from .robot import TeamPlan as TeamPlan
from .robot import plan_team as plan_team
from .robot import read_settings as read_settings
from .robot import read_team as read_team
from .robot import run_robot as run_robot
from .robot import write_settings as write_settings
from .trials import Final as Final
from .trials import Link as Link
from .trials import TeamProcess as TeamProcess
from .trials import View as View
from .trials import final_table as final_table
from .trials import live_table as live_table
from .trials import measure as measure
from .trials import next_folder as next_folder
from .trials import write_run_report as write_run_report
