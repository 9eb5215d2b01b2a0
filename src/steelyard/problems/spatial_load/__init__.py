"""`identify --as spatial-load`: a team weighs a load in space."""

from ._method import WeighedHold as WeighedHold
from ._method import weigh_hold as weigh_hold
from ._method import weigh_hold_at_once as weigh_hold_at_once
from ._reading import Hold as Hold
from ._reading import read_hold as read_hold
