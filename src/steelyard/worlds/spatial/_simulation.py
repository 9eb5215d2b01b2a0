"""Robots hold a rigid load in space and shake it, and MuJoCo moves it."""

import dataclasses
import math

import numpy as np
from jaxtyping import Float

from steelyard._rotations import matrix, quaternion_from_matrix, rotation_vector
from steelyard.models import WRIST_SIGNALS
from steelyard.worlds.spatial._body import SpatialBody, Wrenches
from steelyard.worlds.spatial._scenario import (
    Shaking,
    SpatialScenario,
    box_of,
    check_spatial,
    errors_of,
    grips_of,
    shaking_of,
)
from steelyard.worlds.spatial._tuning import WORLD

_INERTIA_AXES = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclasses.dataclass(frozen=True, eq=False)
class SpatialTruth:
    """What truly happened, at every row; each robot in its own sensor axes."""

    time: Float[np.ndarray, " time"]
    """s."""
    readings: Float[np.ndarray, "time robot 9"]
    """Angular velocity (rad/s), velocity (m/s) and specific force (m/s²) of every sensor frame."""
    wrenches: Float[np.ndarray, "time robot 6"]
    """Torque (N m) and force (N) that every robot applies, about its own origin."""
    attitude: Float[np.ndarray, "time robot 3 3"]
    """R_wi of every sensor frame."""
    position: Float[np.ndarray, "time 3"]
    """Of the body's origin, world, m."""
    mass: Float[np.ndarray, " time"]
    """kg."""
    com: Float[np.ndarray, "time robot 3"]
    """From every sensor frame's origin, m."""
    inertia: Float[np.ndarray, "time robot 3 3"]
    """About the centre of mass, kg m²."""
    grips: Float[np.ndarray, "robot 3"]
    """Where the sensor frames are, body axes, m."""
    turns: Float[np.ndarray, "robot 3 3"]
    """R_bi of every sensor frame."""


def spatial_truth(
    scenario: SpatialScenario,
    seed: int,
    grips: tuple[Float[np.ndarray, "robot 3"], Float[np.ndarray, "robot 4"]] | None = None,
) -> SpatialTruth:
    """The load's true motion; `grips` (positions, quaternions sensor to body) take the place of the seed's."""
    check_spatial(scenario)
    positions, quaternions = grips_of(scenario, seed) if grips is None else grips
    gravity = np.array([0.0, 0.0, 0.0 if scenario.weightless else -9.81])
    turns = np.stack([matrix(q) for q in quaternions])
    wrenches = holding_wrenches(scenario, positions, turns, gravity, shaking_of(scenario, seed))
    body = SpatialBody(box_of(scenario), positions, quaternions, gravity, wrenches)
    body.spin(np.full(3, scenario.spin / math.sqrt(3.0)))
    rows = round(scenario.duration * scenario.rate) + 1
    times = np.arange(rows) / scenario.rate
    drop_row = math.ceil(scenario.drop_time * scenario.rate - 1e-9) if scenario.drop_share > 0 else rows
    readings, applied, poses, loads = np.empty((rows, scenario.robots, 9)), np.empty((rows, scenario.robots, 6)), [], []
    for row in range(rows):
        if row > 0:
            body.move(times[row] - times[row - 1])
        if row == drop_row:
            body.lose(scenario.drop_share)
        readings[row], applied[row] = body.readings, body.wrenches
        poses.append((matrix(body.attitude), body.position.copy()))
        loads.append(body.box)
    R_wb, position = np.stack([R for R, _ in poses]), np.stack([p for _, p in poses])
    com = np.stack([box.com for box in loads])[:, None] - positions[None]
    moments = np.stack([np.diag(box.inertia) for box in loads])
    return SpatialTruth(
        time=times,
        readings=readings,
        wrenches=applied,
        attitude=np.einsum("tab,rbc->trac", R_wb, turns),
        position=position,
        mass=np.array([box.mass for box in loads]),
        com=np.einsum("rba,trb->tra", turns, com),
        inertia=np.einsum("rba,tbc,rcd->trad", turns, moments, turns),
        grips=positions,
        turns=turns,
    )


def simulate_spatial(
    scenario: SpatialScenario,
    seed: int,
    grips: tuple[Float[np.ndarray, "robot 3"], Float[np.ndarray, "robot 4"]] | None = None,
) -> dict[str, np.ndarray]:
    """Columns by their log names, truth included; robot i's own truth is `truth/ri/…`, in its sensor axes."""
    truth = spatial_truth(scenario, seed, grips)
    columns = {"time": truth.time}
    measured = np.concatenate([truth.readings, truth.wrenches], axis=-1)
    errors = errors_of(scenario, len(truth.time), seed)
    for i in range(scenario.robots):
        name = f"r{i + 1}"
        for k, signal in enumerate(WRIST_SIGNALS):
            values = measured[:, i, 3 * k : 3 * k + 3] + errors[k, :, i]
            columns |= {f"{name}/{signal}/{axis}": values[:, a] for a, axis in enumerate("xyz")}
    for i in range(scenario.robots):
        columns |= truth_of(truth, i)
    return columns | {"truth/mass": truth.mass}


def truth_of(truth: SpatialTruth, i: int) -> dict[str, np.ndarray]:
    """Of one robot: the load, and the poses of the neighbours in a ring."""
    name, robots = f"truth/r{i + 1}", len(truth.grips)
    columns = {f"{name}/com/{axis}": truth.com[:, i, a] for a, axis in enumerate("xyz")}
    for axis in _INERTIA_AXES:
        a, b = ("xyz".index(letter) for letter in axis)
        columns[f"{name}/inertia/{axis}"] = truth.inertia[:, i, a, b]
    for j in sorted({(i - 1) % robots, (i + 1) % robots} - {i}):
        stem, rows = f"{name}/pose/r{j + 1}", len(truth.time)
        t_ij = truth.turns[i].T @ (truth.grips[j] - truth.grips[i])
        q_ij = quaternion_from_matrix(truth.turns[i].T @ truth.turns[j])
        columns |= {f"{stem}/position/{axis}": np.full(rows, t_ij[a]) for a, axis in enumerate("xyz")}
        columns |= {f"{stem}/attitude/{axis}": np.full(rows, q_ij[a]) for a, axis in enumerate("wxyz")}
    return columns


def holding_wrenches(
    scenario: SpatialScenario,
    positions,
    turns,
    gravity,
    shaking: Shaking,
    there: Float[np.ndarray, " robot"] | None = None,
) -> Wrenches:
    """Shakes the load while leading it back to where it began; forces are shared, and robots pull at each other.

    `there`, which may change as time goes by, is 1 for robots that hold the load and 0 for those that have let go.
    """
    whole = box_of(scenario)
    share = np.ones(scenario.robots) if there is None else there

    def wrenches(body: SpatialBody, time: float):
        if scenario.motion == "free":
            return np.zeros((scenario.robots, 6))
        R_wb, box = matrix(body.attitude), body.box
        shaken = shaking.at(time)
        spring, damper = WORLD.return_rate**2, 2 * WORLD.return_rate
        lead = -spring * body.position - damper * body.velocity
        force = shaken[0] + whole.mass * lead - box.mass * gravity
        turn = -spring * rotation_vector(body.attitude) - damper * body.angular_velocity
        torque = R_wb.T @ shaken[1] + whole.inertia * turn  # body axes, about the centre of mass
        if scenario.motion == "no-turning":
            torque = whole.inertia * turn
        holding, pulls = share[:, None] / max(np.sum(share), 1.0), share[:, None] * shaken[2:]
        forces = (holding * (force - np.sum(pulls, axis=0)) + pulls) @ R_wb  # body axes
        (x, y, z), (f, g, h) = (positions - box.com).T, forces.T
        levers = np.stack([y * h - z * g, z * f - x * h, x * g - y * f], axis=1)  # np.cross takes five times as long
        pulls = np.stack([holding * torque - levers, forces], axis=1)
        return (pulls @ turns).reshape(scenario.robots, 6)

    return wrenches
