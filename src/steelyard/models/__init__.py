"""What moves? Models of robots and loads, each with its unknowns in its state."""

from steelyard import _jax as _jax

from ._commanded import CommandedControl as CommandedControl
from ._commanded import CommandedMultirotor as CommandedMultirotor
from ._commanded import CommandedState as CommandedState
from ._hover import Hover as Hover
from ._hover import HoverState as HoverState
from ._impulse import ImpulseControl as ImpulseControl
from ._impulse import ImpulseState as ImpulseState
from ._impulse import MultirotorImpulse as MultirotorImpulse
from ._model import Control as Control
from ._model import Increment as Increment
from ._model import MeanControl as MeanControl
from ._model import Measurement as Measurement
from ._model import Model as Model
from ._model import Numbers as Numbers
from ._model import Seconds as Seconds
from ._model import State as State
from ._multirotor import STANDARD_GRAVITY as STANDARD_GRAVITY
from ._multirotor import Multirotor as Multirotor
from ._multirotor import MultirotorControl as MultirotorControl
from ._multirotor import MultirotorReading as MultirotorReading
from ._multirotor import MultirotorState as MultirotorState
from ._planar_load import PlanarLoad as PlanarLoad
from ._planar_load import PlanarLoadState as PlanarLoadState
from ._preintegration import MultirotorIncrement as MultirotorIncrement
from ._rigid_load import RigidLoad as RigidLoad
from ._rigid_load import RigidLoadState as RigidLoadState
from ._thrust_map import ThrustMap as ThrustMap
from ._thrust_map import common_rotor_bench as common_rotor_bench
