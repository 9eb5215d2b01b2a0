"""Every problem that is tried on faulty logs."""

from steelyard.bench.faults._jets import JETS
from steelyard.bench.faults._multirotor import MULTIROTOR
from steelyard.bench.faults._own import OWN_ROBOT
from steelyard.bench.faults._planar import PLANAR_LOAD
from steelyard.bench.faults._wrist import RIGID_BODY, SPATIAL_LOAD

TRIED = {one.name: one for one in (JETS, MULTIROTOR, OWN_ROBOT, PLANAR_LOAD, RIGID_BODY, SPATIAL_LOAD)}
"""By problem."""
