"""Who is in the team, since which row, who is linked to whom, and who leads?

`View` is the answer. `FailureDetector` decides who is silent, `Roster` and `RowMembers` read views off a team's rows,
`Election` finds the leader, and all times are in `MembershipTuning`.
"""

from steelyard.team.membership._tuning import TUNING as TUNING
from steelyard.team.membership._tuning import MembershipTuning as MembershipTuning

from ._detector import FailureDetector as FailureDetector
from ._election import Election as Election
from ._election import Offer as Offer
from ._graph import Graph as Graph
from ._graph import metropolis_weight as metropolis_weight
from ._roster import GripRules as GripRules
from ._roster import Roster as Roster
from ._roster import Standing as Standing
from ._row_members import NOBODY as NOBODY
from ._row_members import Members as Members
from ._row_members import RowMembers as RowMembers
from ._row_members import checksum_of as checksum_of
from ._view import View as View
