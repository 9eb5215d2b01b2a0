"""What is asked of a log? One file a problem: which columns, which model, which estimator, which answer."""

from ._flight import Flight as Flight
from ._flight import read_flight as read_flight
from ._identification import Event as Event
from ._identification import Identification as Identification
from ._identification import Innovations as Innovations
from ._identification import Series as Series
from ._identification import numbers as numbers
from ._own import OwnRobot as OwnRobot
from ._own import Quantity as Quantity
from ._own import identify_own as identify_own
from ._plan import PlannedMotion as PlannedMotion
from ._plan import plan_planar as plan_planar
from ._push import Push as Push
from ._push import read_push as read_push
from ._registry import PROBLEMS as PROBLEMS
from ._registry import identify as identify
from ._weigh_push import Weighed as Weighed
from ._weigh_push import weigh_push as weigh_push
