"""`identify --as FILE.py`: a robot of your own."""

from ._answer import OwnRobot as OwnRobot
from ._answer import Quantity as Quantity
from ._answer import identify_own as identify_own
