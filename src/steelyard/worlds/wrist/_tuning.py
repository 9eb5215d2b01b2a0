"""Sizes of the arm, of what it picks up, and of its motions: chosen once, so that seeds keep their logs."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class WristWorldTuning:
    """An arm as long as a light industrial one, and motions as people make them."""

    links: tuple[float, ...] = (0.30, 0.40, 0.35, 0.10, 0.08, 0.05)
    """m, along z of each link."""
    home: tuple[float, ...] = (0.0, 0.5, 1.0, 0.0, 0.8, 0.0)
    """rad: about which the joints move."""
    gentle: tuple[float, float] = (0.5, 0.33)
    """rad/s and m/s² rms, of the angular velocity and of the acceleration of the wrist: a tool in a hand."""
    wild: tuple[float, float] = (3.0, 6.0)
    """The same: shaken."""
    gentle_frequencies: tuple[float, float] = (0.1, 0.6)
    """Hz."""
    wild_frequencies: tuple[float, float] = (0.3, 1.5)
    """Hz."""
    sines: int = 3
    """Of each joint's motion."""
    rest: float = 0.6
    """s, between two moves from pose to pose."""
    move: float = 1.4
    """s, of each move."""
    picked_side: float = 0.06
    """m: of the cube that the arm picks up."""
    picked_beyond: float = 0.05
    """m, from the box's centre along z."""
    touch_edge: float = 0.1
    """s, in which a push comes and goes."""
    touch_lever: float = 0.05
    """m, from the centre of mass to where it pushes."""


TUNING = WristWorldTuning()
