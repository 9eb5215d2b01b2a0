"""The robots of the planar papers [cdc14] [icra15]: stages, links, votes, observers."""

from ._agent import PaperAgent as PaperAgent
from ._cdc14 import cdc14_procedure as cdc14_procedure
from ._cdc14 import cdc14_team as cdc14_team
from ._drive import drive as drive
from ._icra15 import icra15_procedure as icra15_procedure
from ._icra15 import icra15_team as icra15_team
from ._link import Link as Link
from ._link import LinkGains as LinkGains
from ._link import link_step as link_step
from ._low_pass import LineFit as LineFit
from ._low_pass import RateFilter as RateFilter
from ._observer import CenterObserver as CenterObserver
from ._observer import observability as observability
from ._observer import observer_step as observer_step
from ._procedure import PaperMessage as PaperMessage
from ._procedure import PaperState as PaperState
from ._procedure import Procedure as Procedure
from ._procedure import Stage as Stage
from ._report import trace as trace
