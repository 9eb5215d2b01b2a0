"""`identify --as planar-load`: a team weighs a load on a plane."""

from ._method import PlanarTeamResult as PlanarTeamResult
from ._method import run_planar_load_team as run_planar_load_team
from ._reading import PlanarRecord as PlanarRecord
from ._reading import read_planar_record as read_planar_record
