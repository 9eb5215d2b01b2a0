"""Loads that MuJoCo moves one row at a time, while robots come and go."""

import abc
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from steelyard._rotations import matrix
from steelyard.models import WRIST_SIGNALS
from steelyard.worlds.planar._body import PlanarBody
from steelyard.worlds.planar._scenario import PlanarScenario, check_planar, contacts_of, forces_of, noises_of
from steelyard.worlds.spatial._body import SpatialBody
from steelyard.worlds.spatial._scenario import (
    Box,
    SpatialScenario,
    box_of,
    check_spatial,
    errors_of,
    grips_of,
    shaking_of,
)
from steelyard.worlds.spatial._simulation import SpatialTruth, holding_wrenches, truth_of


class WorldRow(NamedTuple):
    """One instant."""

    time: float
    """s, from zero."""
    readings: Mapping[str, Mapping[str, float]]
    """By robot (r1, r2, …), the readings of its sensors by `<signal>/<axis>`."""


class Player(abc.ABC):
    """A simulation that goes on one row at a time."""

    robots: tuple[str, ...]

    @abc.abstractmethod
    def next(self, holding: frozenset[str]) -> WorldRow | None:
        """The next row, with only these robots acting until then; None at the end. The first is at time zero."""

    @abc.abstractmethod
    def truth(self) -> dict[str, float]:
        """What is true now, by column name."""


class PlanarPlay(Player):
    """A planar scenario; with all robots holding, the rows of `simulate_planar`."""

    def __init__(self, scenario: PlanarScenario, seed: int):
        check_planar(scenario)
        self._scenario = scenario
        self.robots = tuple(f"r{i + 1}" for i in range(scenario.robots))
        self._rows = round(scenario.duration * scenario.rate) + 1
        contacts = contacts_of(scenario, seed)
        self._forces = forces_of(scenario, contacts, seed)
        friction = (scenario.viscous_friction, scenario.coulomb_friction)
        self._body = PlanarBody(contacts, scenario.mass, scenario.full_inertia, friction, scenario.friction_radius)
        self._body.set_motion(scenario.spin, np.array([scenario.speed, 0.0]))
        self._noise = noises_of(scenario, self._rows, seed)
        self._drop_row = math.ceil(scenario.drop_time * scenario.rate - 1e-9) if scenario.drop_share > 0 else self._rows
        self._row = -1
        self._there: np.ndarray | None = None

    def next(self, holding: frozenset[str]) -> WorldRow | None:
        """See `Player`."""
        self._row += 1
        row, body, rate = self._row, self._body, self._scenario.rate
        if row >= self._rows:
            return None
        there = np.array([[float(name in holding)] for name in self.robots])
        then, self._there = there if self._there is None else self._there, there
        time, before = row / rate, (row - 1) / rate
        if row > 0:  # whoever takes hold or lets go does so between two samples, evenly
            grip = (there - then) * rate
            body.push(lambda seconds: (then + grip * seconds) * self._forces(before + seconds), time - before)
        if row == self._drop_row:
            body.drop(self._scenario.drop_share)
        velocity = body.contact_velocities + self._noise[0, row]
        force = there * self._forces(time) + self._noise[1, row]
        readings = {}
        for i, name in enumerate(self.robots):
            own = zip(("velocity/x", "velocity/y", "force/x", "force/y"), (*velocity[i], *force[i]), strict=True)
            readings[name] = {column: float(value) for column, value in own}
        return WorldRow(time, readings)

    def truth(self) -> dict[str, float]:
        """See `Player`."""
        body = self._body
        c, s = math.cos(body.heading), math.sin(body.heading)
        found = {"truth/mass": body.mass, "truth/inertia": body.inertia}
        for name, (x, y) in zip(self.robots, body.contacts, strict=True):
            found |= {f"truth/{name}/com/x": -(c * x - s * y), f"truth/{name}/com/y": -(s * x + c * y)}
        return found


class SpatialPlay(Player):
    """A spatial scenario; with all robots holding, the rows of `simulate_spatial`."""

    def __init__(self, scenario: SpatialScenario, seed: int):
        check_spatial(scenario)
        self._scenario = scenario
        self.robots = tuple(f"r{i + 1}" for i in range(scenario.robots))
        self._rows = round(scenario.duration * scenario.rate) + 1
        positions, quaternions = grips_of(scenario, seed)
        gravity = np.array([0.0, 0.0, 0.0 if scenario.weightless else -9.81])
        self._grips, self._turns = positions, np.stack([matrix(q) for q in quaternions])
        self._there = np.ones(scenario.robots)
        shaking = shaking_of(scenario, seed)
        wrenches = holding_wrenches(scenario, positions, self._turns, gravity, shaking, self._there)
        self._body = SpatialBody(box_of(scenario), positions, quaternions, gravity, wrenches)
        self._body.spin(np.full(3, scenario.spin / math.sqrt(3.0)))
        self._errors = errors_of(scenario, self._rows, seed)
        self._drop_row = math.ceil(scenario.drop_time * scenario.rate - 1e-9) if scenario.drop_share > 0 else self._rows
        self._truth: tuple[Box, dict[str, float]] | None = None
        self._row = -1

    def next(self, holding: frozenset[str]) -> WorldRow | None:
        """See `Player`."""
        self._row += 1
        row, body, rate = self._row, self._body, self._scenario.rate
        if row >= self._rows:
            return None
        self._there[:] = [float(name in holding) for name in self.robots]
        if row > 0:
            body.move(row / rate - (row - 1) / rate)
        if row == self._drop_row:
            body.lose(self._scenario.drop_share)
        measured = np.concatenate([body.readings, body.wrenches], axis=-1)
        readings = {}
        for i, name in enumerate(self.robots):
            values = measured[i].reshape(-1, 3) + self._errors[:, row, i]
            readings[name] = {
                f"{signal}/{axis}": float(values[k, a])
                for k, signal in enumerate(WRIST_SIGNALS)
                for a, axis in enumerate("xyz")
            }
        return WorldRow(row / rate, readings)

    def truth(self) -> dict[str, float]:
        """See `Player`; it changes with the box only."""
        if self._truth is None or self._truth[0] is not self._body.box:
            self._truth = self._body.box, self._true()
        return self._truth[1]

    def _true(self) -> dict[str, float]:
        body, turns = self._body, self._turns
        com = np.einsum("rba,rb->ra", turns, body.box.com - self._grips)
        inertia = np.einsum("rba,bc,rcd->rad", turns, np.diag(body.box.inertia), turns)
        now = SpatialTruth(
            time=np.zeros(1),
            readings=body.readings[None],
            wrenches=body.wrenches[None],
            attitude=np.einsum("ab,rbc->rac", matrix(body.attitude), turns)[None],
            position=body.position[None],
            mass=np.array([body.box.mass]),
            com=com[None],
            inertia=inertia[None],
            grips=self._grips,
            turns=turns,
        )
        columns = {"truth/mass": now.mass}
        for i in range(len(self.robots)):
            columns |= truth_of(now, i)
        return {name: float(values[0]) for name, values in columns.items()}
