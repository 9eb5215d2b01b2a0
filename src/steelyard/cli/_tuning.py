"""Numbers that tune what a terminal shows."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class TerminalTuning:
    """Widths in characters."""

    room_for_fields: int = 120
    """Width of a terminal from which on the names of fields are listed."""
    line: int = 100
    """Longest line of prose: longer ones are hard to read."""


TUNING = TerminalTuning()
