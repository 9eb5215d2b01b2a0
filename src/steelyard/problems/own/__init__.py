"""`identify --as FILE.py`: a robot of your own."""

from ._answer import identify_own as identify_own
from ._robot import OwnRobot as OwnRobot
from ._robot import Quantity as Quantity
from ._robot import is_users_fault as is_users_fault
from ._robot import load_robot as load_robot
from ._robot import users_fault as users_fault
