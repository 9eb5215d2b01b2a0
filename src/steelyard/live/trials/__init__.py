"""Trials: a whole team on one machine, with a simulated load, faults on purpose, and measurements."""

from ._chaos import ChaosFailure as ChaosFailure
from ._chaos import draw_case as draw_case
from ._chaos import play as play
from ._chaos import run_chaos as run_chaos
from ._disturbed_node import DisturbedNode as DisturbedNode
from ._disturbed_node import run_disturbed_robot as run_disturbed_robot
from ._measurements import measure as measure
from ._outcome import LinkAccount as LinkAccount
from ._outcome import TeamOutcome as TeamOutcome
from ._processes import next_folder as next_folder
from ._run_report import write_run_report as write_run_report
from ._table import HEADINGS as HEADINGS
from ._table import elapsed_of as elapsed_of
from ._table import live_rows as live_rows
from ._table import live_table as live_table
from ._table import outcome_table as outcome_table
from ._team import TeamRunner as TeamRunner
from ._team import WatchedTeam as WatchedTeam
