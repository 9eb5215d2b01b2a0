"""How fast, and next to whom? Every figure beside a peer's, measured in the same run."""

from ._rows import Row as Row
from ._speed import measure_speed as measure_speed
from ._start import measure_start as measure_start
