"""From which uncertainty on a robot of the spatial paper counts a quantity as known; the paper states none of it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Fan17Tuning:
    """Largest standard deviations of what is known, and how far consensus goes: our choices."""

    rotation_known: float = 0.1
    """Of a neighbour's rotation about any axis, rad."""
    position_known: float = 0.1
    """Of a neighbour's position along any axis, m."""
    com_known: float = 0.5
    """Of the centre of mass along any axis, m."""
    consensus_left: float = 2e-3
    """Share of the robots' differences that consensus may leave."""


TUNING = Fan17Tuning()
