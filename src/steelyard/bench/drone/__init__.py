"""How close `identify --as multirotor` comes to the truth where models lack something, and to the bound without."""

from ._campaign import AIMS as AIMS
from ._campaign import DroneSummary as DroneSummary
from ._campaign import disturbed_flight as disturbed_flight
from ._campaign import perfect_flight as perfect_flight
from ._campaign import run_campaign as run_campaign
from ._campaign import run_perfect as run_perfect
from ._campaign import summary_of as summary_of
