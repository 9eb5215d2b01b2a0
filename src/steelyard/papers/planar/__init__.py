"""A planar load identified by a team from velocities alone [cdc14], [icra15]."""

from ._cdc14 import CDC14_WORK as CDC14_WORK
from ._cdc14 import reproduce_cdc14 as reproduce_cdc14
from ._icra15 import icra15_work as icra15_work
from ._icra15 import reproduce_icra15 as reproduce_icra15
