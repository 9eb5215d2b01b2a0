"""Numbers that tune what the face takes, and what a stream reports."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class StreamTuning:
    """Of events of a stream."""

    same_change: float = 0.5
    """s: changes that began closer together are one event."""
    rows_before_start: int = 100
    """Rows, at least, that are kept while the estimator cannot start."""
    remembered: float = 3.0
    """s for which states are kept to tell the size of a change, which is detected up to 2 s after it began."""


@dataclasses.dataclass(frozen=True)
class InputTuning:
    """Of what people hand in."""

    longest_name: int = 4096
    """Characters of a problem or a method; a problem may be the path of a file, and no path is longer."""


INPUTS = InputTuning()
STREAM = StreamTuning()
