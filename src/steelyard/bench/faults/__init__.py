"""Faults on purpose: a catalogue a problem, and what becomes of the answers."""

from ._catalogues import TRIED as TRIED
from ._fault import Fault as Fault
from ._fault import TriedProblem as TriedProblem
from ._seen import SEEN as SEEN
from ._seen import SeenCase as SeenCase
from ._trial import FaultRow as FaultRow
from ._trial import FaultRun as FaultRun
from ._trial import rounds as rounds
from ._trial import run_faults as run_faults
from ._trial import table_of as table_of
from ._trial import totals as totals
