"""What a robot that holds a load on a plane measures by itself."""

import msgspec


class PlanarSample(msgspec.Struct, frozen=True):
    """One sample, world axes."""

    time: float
    """s."""
    velocity: tuple[float, float]
    """m/s, of the robot's own contact; NaN where there is none."""
    force: tuple[float, float]
    """N, what the robot applied from the sample before to this one."""
