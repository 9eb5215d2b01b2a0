"""Numbers that more than one problem uses."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SharedTuning:
    """Of gaps in a log, of the size of readings, and of the noise of wrist sensors."""

    silent_for: float = 0.2
    """s: a channel that is silent for as long or longer is an event, in a log and in a stream."""
    largest_reading: float = 1e30
    """In any unit: no sensor reads more, and squares of squares of smaller numbers are far from infinite."""
    fewest_rows: int = 20
    """Of a wrist's log: a load has ten numbers, and each row tells six."""
    least_noise: tuple[float, ...] = (3e-4, 3e-4, 1e-3, 1e-3, 3e-3)
    """No sensor of a wrist is better than this, SI units, in the order of `models.WRIST_SIGNALS`."""


TUNING = SharedTuning()
