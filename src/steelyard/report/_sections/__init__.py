"""The sections of a report: each a function of what was found, with its template beside it."""

from ._answer import answer as answer
from ._events import events as events
from ._flown_back import flown_back as flown_back
from ._from_above import from_above as from_above
from ._in_space import in_space as in_space
from ._in_space import picture_in_space as picture_in_space
from ._innovations import innovations as innovations
from ._numbers import numbers as numbers
from ._over_time import over_time as over_time
from ._over_time import plots_over_time as plots_over_time
from ._settings import notes as notes
from ._settings import settings as settings
