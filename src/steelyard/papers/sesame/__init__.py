"""Seven online methods on a drone of varying mass, 1250 flights [sesame]."""

from ._data import fly_all as fly_all
from ._data import write_data_set as write_data_set
from ._filters import Settings as Settings
from ._reproduce import reproduce as reproduce
from ._reproduce import work as work
