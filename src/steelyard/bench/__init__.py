"""How fast, next to whom, and how close to the truth? Speed stands beside a peer's of the same run."""

from ._accuracy import SEEDS as SEEDS
from ._accuracy import coverage as coverage
from ._accuracy import error_after_steps as error_after_steps
from ._accuracy import measure_accuracy as measure_accuracy
from ._accuracy import weigh_steps as weigh_steps
from ._rows import Row as Row
from ._speed import RACES as RACES
from ._speed import measure_speed as measure_speed
from ._start import measure_start as measure_start
