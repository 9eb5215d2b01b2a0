"""`identify --as planar-load`: mass, inertia, centre of mass and contacts of a load that a team pushes on a plane."""

from ._explanations import explain_planar_load as explain_planar_load
from ._method import PlanarTeamResult as PlanarTeamResult
from ._method import run_planar_load_team as run_planar_load_team
from ._reading import PlanarRecord as PlanarRecord
from ._reading import read_planar_record as read_planar_record
