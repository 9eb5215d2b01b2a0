"""Long runs of whole teams, for other processes: there nothing checks types at run time, and two run at once."""

import numpy as np
from planar_world import CONTACTS, NAMES, PlanarWorld

from steelyard.papers.planar.robots import cdc14_team, drive, icra15_team, trace
from steelyard.team import Bus, Graph, Presence

LINE, RING = Graph.line(NAMES), Graph.ring(NAMES[:3])


class Broken:
    """A world in which one robot's sensor says NaN between two times."""

    def __init__(self, world, robot, start, end):
        self.world, self.robot, self.start, self.end = world, robot, start, end

    def __call__(self, forces, dt):
        velocities = dict(self.world(forces, dt))
        if self.start <= self.world.time < self.end:
            velocities[self.robot] = np.full(2, np.nan)
        return velocities


def cdc14_ring_backwards():
    """So far off the middle is the centre of mass here that the load swings to and fro, through standstill.

    With twice the paper's force, so that the observer is four times as quick.
    """
    world = PlanarWorld(5.0, 12.3795, {name: CONTACTS[name] for name in RING.names}, omega=-2.0)
    return drive(cdc14_team(RING, f_bar=2.0), world, Bus(RING), 45.0, 100.0), world, RING


def cdc14_with_a_silence():
    """Half a second without r2 in the middle of the observation."""
    world = PlanarWorld(5.0, 12.3795, CONTACTS)
    return drive(cdc14_team(LINE, f_bar=2.0), Broken(world, "r2", 6.0, 6.5), Bus(LINE), 45.0, 100.0), world, LINE


def icra15_arbitrary_forces():
    """Sinusoids of every robot's own, no noise."""
    world = PlanarWorld(5.0, 8.6891, CONTACTS)
    quick = {"arbitrary": True, "settle": 3.0, "centroid_gain": 0.5, "inertia_tolerance": 1e-2, "f_bar": 4.0}
    return drive(icra15_team(LINE, **quick), world, Bus(LINE), 85.0, 100.0), world, LINE


def icra15_noisy():
    """The paper's noise; with this seed the load happens to turn clockwise."""
    world = PlanarWorld(5.0, 8.6891, CONTACTS, noise=0.2, seed=2)
    return drive(icra15_team(LINE, seed=2), world, Bus(LINE), 130.0, 100.0), world, LINE


TOGETHER = CONTACTS | {"r2": CONTACTS["r1"]}


def cdc14_two_contacts_at_one_point():
    return drive(cdc14_team(LINE, stage_limit=6.0), PlanarWorld(5.0, 8.7, TOGETHER), Bus(LINE), 9.0, 100.0)


def cdc14_never_turns():
    return drive(cdc14_team(LINE, stage_limit=6.0), PlanarWorld(5.0, 1e12, CONTACTS), Bus(LINE), 9.0, 100.0)


def icra15_two_contacts_at_one_point():
    world = PlanarWorld(5.0, 8.7, TOGETHER, noise=0.2)
    return drive(icra15_team(LINE, stage_limit=6.0), world, Bus(LINE), 9.0, 100.0)


def icra15_never_turns():
    world = PlanarWorld(5.0, 1e12, CONTACTS, noise=0.2)
    return drive(icra15_team(LINE, stage_limit=6.0), world, Bus(LINE), 9.0, 100.0)


def cdc14_no_net_force():
    """Beside the run, what a watch saw of the first robot."""
    world, seen = PlanarWorld(5.0, 12.3795, CONTACTS), []

    def watch(step, name, turn):
        if name == "r1":
            seen.append(trace(turn.state))

    team = cdc14_team(LINE, f_bar=0.0, stage_limit=8.0)
    return drive(team, world, Bus(LINE), 20.0, 100.0, watch=watch), seen


def cdc14_without_a_sensor():
    world = Broken(PlanarWorld(5.0, 12.3795, CONTACTS), "r2", 0.0, 100.0)
    return drive(cdc14_team(LINE), world, Bus(LINE), 4.0, 100.0)


def cdc14_one_leaves():
    world = PlanarWorld(5.0, 12.3795, CONTACTS)
    return drive(cdc14_team(LINE), world, Bus(LINE), 9.0, 100.0, presences={"r4": Presence(leave=600)})


RUNS = (
    icra15_noisy,
    icra15_arbitrary_forces,
    cdc14_ring_backwards,
    cdc14_with_a_silence,
    cdc14_two_contacts_at_one_point,
    cdc14_never_turns,
    icra15_two_contacts_at_one_point,
    icra15_never_turns,
    cdc14_no_net_force,
    cdc14_without_a_sensor,
    cdc14_one_leaves,
)
