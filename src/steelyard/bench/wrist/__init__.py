"""How close `identify --as rigid-body` comes to the bound, and what becomes of mistakes and contacts."""

from ._bound import WristBound as WristBound
from ._bound import bound_of as bound_of
from ._campaign import SENSOR_ERRORS as SENSOR_ERRORS
from ._campaign import Accuracy as Accuracy
from ._campaign import Outcome as Outcome
from ._campaign import accuracies as accuracies
from ._campaign import cases as cases
from ._campaign import config_of as config_of
from ._campaign import group as group
from ._campaign import log_of as log_of
from ._campaign import outcome as outcome
from ._contacts import Contacts as Contacts
from ._contacts import try_contacts as try_contacts
from ._disturbances import DISTURBANCES as DISTURBANCES
from ._disturbances import disturbed as disturbed
from ._disturbances import try_disturbances as try_disturbances
from ._mistakes import MISTAKES as MISTAKES
from ._mistakes import MistakeRow as MistakeRow
from ._mistakes import mistaken as mistaken
from ._mistakes import try_mistakes as try_mistakes
