"""Faults on purpose: a catalogue a problem, and what becomes of the answers."""

from ._fault import Fault as Fault
from ._fault import TriedProblem as TriedProblem
from ._jets import JETS
from ._multirotor import MULTIROTOR
from ._own import OWN_ROBOT
from ._planar import PLANAR_LOAD
from ._trial import FaultRow as FaultRow
from ._trial import FaultRun as FaultRun
from ._trial import FaultStore as FaultStore
from ._trial import rounds as rounds
from ._trial import run_faults as run_faults
from ._trial import table_of as table_of
from ._trial import totals as totals
from ._wrist import RIGID_BODY, SPATIAL_LOAD

TRIED = {one.name: one for one in (JETS, MULTIROTOR, OWN_ROBOT, PLANAR_LOAD, RIGID_BODY, SPATIAL_LOAD)}
"""By problem."""
