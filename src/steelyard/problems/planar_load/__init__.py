"""`identify --as planar-load`: a team weighs a load on a plane."""

from ._method import Weighed as Weighed
from ._method import weigh_push as weigh_push
from ._reading import Push as Push
from ._reading import read_push as read_push
