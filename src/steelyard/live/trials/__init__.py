"""Trials: a whole team on one machine, with a simulated load, faults on purpose, and measurements."""

from ._measurements import measure as measure
from ._outcome import Final as Final
from ._outcome import Link as Link
from ._processes import next_folder as next_folder
from ._run_report import write_run_report as write_run_report
from ._table import final_table as final_table
from ._table import live_table as live_table
from ._team import TeamProcess as TeamProcess
from ._team import View as View
