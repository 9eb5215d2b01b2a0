"""Who runs where? Every robot its own process, on its own or as a whole team on one machine."""

from .robot import Injection as Injection
from .robot import Reading as Reading
from .robot import RobotEvent as RobotEvent
from .robot import RobotNode as RobotNode
from .robot import RobotProcess as RobotProcess
from .robot import Status as Status
from .robot import Task as Task
from .robot import TeamPlan as TeamPlan
from .robot import plan_team as plan_team
from .robot import read_settings as read_settings
from .robot import read_team as read_team
from .robot import run_robot as run_robot
from .robot import write_settings as write_settings
from .trials import LinkAccount as LinkAccount
from .trials import TeamOutcome as TeamOutcome
from .trials import TeamRun as TeamRun
from .trials import View as View
from .trials import faults_of as faults_of
from .trials import live_table as live_table
from .trials import measure as measure
from .trials import next_folder as next_folder
from .trials import outcome_table as outcome_table
from .trials import write_run_report as write_run_report
