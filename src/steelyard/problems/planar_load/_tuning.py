"""The numbers that tune how a planar load is identified from a log."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PlanarLoadTuning:
    """Of reading a log, running the team over it, and judging its motion."""

    least_velocity_noise: float = 1e-6
    """m/s: no sensor is better, and a noise-free log stays solvable."""
    longest_force_gap: float = 0.25
    """s of blank cells over which a robot's force is taken to vary evenly: a fraction of a period of a push."""
    extrapolate_within: float = 0.5
    """s: a robot's final estimate is rotated to the last sample if it is at most this old; the load's rotation is
    predictable for about this long."""
    drain_seconds: float = 2.0
    """s after the last row for which the robots go on exchanging messages, beside `drain_hops`."""
    drain_hops: int = 12
    """Times the graph's diameter in hops for which they go on: there and back, several outer iterations."""
    still_below: float = 0.01
    """rad: a load that turned by less did not turn."""
    cancel_below: float = 1e-3
    """Share of the forces (or torques) below which their sum is zero."""
    same_point_below: float = 1e-3
    """Share of the load's size below which two contacts are one point."""
    velocity_block: int = 25
    """Rows averaged before two robots' velocities are compared: their noise is then a fifth."""
    equal_velocity_below: float = 2.0
    """Times what noise alone gives, in the mean square, below which two robots' velocities are equal."""
    first_rows: int = 20
    """Rows over which the first angular velocity and velocity of the load are averaged."""


TUNING = PlanarLoadTuning()
