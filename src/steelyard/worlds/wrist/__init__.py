"""A robot arm moves a load at its wrist, with a force/torque sensor and an inertial sensor as people have them."""

from ._loads import WristLoad as WristLoad
from ._loads import combined as combined
from ._scenario import WristScenario as WristScenario
from ._scenario import check_wrist as check_wrist
from ._simulation import WristTruth as WristTruth
from ._simulation import simulate_wrist as simulate_wrist
from ._simulation import wrist_columns as wrist_columns
from ._simulation import wrist_truth as wrist_truth
