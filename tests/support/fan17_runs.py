"""Long runs of the spatial paper's team, for a process without checks of types."""

import numpy as np
from spatial_world import MASS, SpatialWorld

from steelyard.papers.fan17.robots import fan17_team
from steelyard.team import Bus, Graph, run_team

NAMES = ("r1", "r2", "r3", "r4", "r5")
RING = Graph.ring(NAMES)


def without_noise():
    """The worst error of any robot after 4 s: mass (relative), centre (m), inertia (kg m²), pose (m and quaternion)."""
    world = SpatialWorld(NAMES, 4.0)
    team = fan17_team(RING, rounds=60, settle=1.0, noise=(1e-4,) * 5)
    run = run_team(team, world.samples(), Bus(RING))
    errors = []
    for i, name in enumerate(NAMES):
        said, (com, inertia) = run.last(name), world.load(i)
        places = []
        for other in RING.neighbours(name):
            places.append(np.abs(said[f"pose/{other}"].value[:3] - world.pose(i, NAMES.index(other))[1]).max())
        errors.append(
            [
                abs(float(said["mass"].value) / MASS - 1.0),
                np.abs(said["com"].value - com).max(),
                np.abs(said["inertia"].value - inertia).max(),
                max(places),
            ]
        )
    return np.max(errors, axis=0)


def one_axis():
    """The statuses of every robot's last word after 10 s of turning about one axis, with the paper's noise."""
    world = SpatialWorld(NAMES, 10.0, one_axis=True)
    run = run_team(fan17_team(RING), world.samples(0.4), Bus(RING))
    return {name: {quantity: one.status for quantity, one in run.last(name).items()} for name in NAMES}
