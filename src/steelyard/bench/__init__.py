"""How fast, next to whom, and how close to the truth? Speed stands beside a peer's of the same run."""

from ._accuracy import SEEDS as SEEDS
from ._accuracy import coverage as coverage
from ._accuracy import error_after_steps as error_after_steps
from ._accuracy import measure_accuracy as measure_accuracy
from ._accuracy import weigh_steps as weigh_steps
from ._filters import FILTER_RACES as FILTER_RACES
from ._filters import measure_filters as measure_filters
from ._jets import JETS_RACES as JETS_RACES
from ._jets import measure_jets as measure_jets
from ._memory import measure_memory as measure_memory
from ._native import NATIVE_RACES as NATIVE_RACES
from ._native import measure_native as measure_native
from ._rows import Row as Row
from ._spatial import measure_spatial as measure_spatial
from ._speed import RACES as RACES
from ._speed import measure_speed as measure_speed
from ._start import measure_start as measure_start
from ._team import TEAM_RACES as TEAM_RACES
from ._team import measure_team as measure_team
from ._window import WINDOW_RACES as WINDOW_RACES
from ._window import measure_window as measure_window
