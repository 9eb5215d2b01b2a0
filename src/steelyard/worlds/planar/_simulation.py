"""Robots push a load on a plane, and MuJoCo moves it."""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from steelyard.errors import BadInput
from steelyard.geometry import SO2
from steelyard.models import PlanarLoadState
from steelyard.worlds.planar._body import PlanarBody
from steelyard.worlds.planar._scenario import (
    PlanarScenario,
    check_planar,
    contacts_of,
    forces_along,
    forces_of,
    noises_of,
)


@dataclasses.dataclass(frozen=True, eq=False)
class PlanarTruth:
    """What truly happened, at every row."""

    time: Float[np.ndarray, " time"]
    """s."""
    position: Float[np.ndarray, "time 2"]
    """Of the centre of mass from where it started, world, m."""
    heading: Float[np.ndarray, " time"]
    """Angle of the body axes from the world's, rad; zero at the start."""
    angular_velocity: Float[np.ndarray, " time"]
    """rad/s."""
    velocity: Float[np.ndarray, "time 2"]
    """Of the centre of mass, world, m/s."""
    contacts: Float[np.ndarray, "robot 2"]
    """From the centre of mass, body axes, m."""
    mass: Float[np.ndarray, " time"]
    """kg."""
    inertia: Float[np.ndarray, " time"]
    """About the centre of mass, kg m²."""
    forces: Float[np.ndarray, "time robot 2"]
    """What acted, world, N."""

    @property
    def arms(self) -> Float[np.ndarray, "time robot 2"]:
        """From the centre of mass to every contact, world axes, m."""
        c, s = np.cos(self.heading)[:, None], np.sin(self.heading)[:, None]
        x, y = self.contacts[None, :, 0], self.contacts[None, :, 1]
        return np.stack([c * x - s * y, s * x + c * y], axis=-1)

    @property
    def contact_velocities(self) -> Float[np.ndarray, "time robot 2"]:
        """World, m/s."""
        arms = self.arms
        around = np.stack([-arms[..., 1], arms[..., 0]], axis=-1)
        return self.velocity[:, None, :] + self.angular_velocity[:, None, None] * around

    def state_at(self, row: int) -> PlanarLoadState:
        """The state of the model, with no friction of its own."""
        angle = self.heading[row]
        return PlanarLoadState(
            heading=SO2(jnp.asarray([np.cos(angle), np.sin(angle)])),
            angular_velocity=jnp.asarray(self.angular_velocity[row]),
            velocity=jnp.asarray(self.velocity[row]),
            contacts=jnp.asarray(self.contacts),
            log_mass=jnp.log(jnp.asarray(self.mass[row])),
            log_inertia=jnp.log(jnp.asarray(self.inertia[row])),
            friction=jnp.zeros(0),
        )


def planar_truth(
    scenario: PlanarScenario,
    seed: int,
    forces: Float[np.ndarray, "time robot 2"] | None = None,
    contacts: Float[np.ndarray, "robot 2"] | None = None,
) -> PlanarTruth:
    """The load's true motion; `forces`, a row a sample, and `contacts` take the place of the scenario's own."""
    check_planar(scenario)
    rows = round(scenario.duration * scenario.rate) + 1
    times = np.arange(rows) / scenario.rate
    contacts = contacts_of(scenario, seed) if contacts is None else np.asarray(contacts, float)
    _check_shape("contacts", contacts, (scenario.robots, 2))
    if forces is not None:
        _check_shape("forces", np.asarray(forces), (rows, scenario.robots, 2))
        at = forces_along(times, np.asarray(forces, float))
    else:
        at = forces_of(scenario, contacts, seed)
    friction = (scenario.viscous_friction, scenario.coulomb_friction)
    body = PlanarBody(contacts, scenario.mass, scenario.full_inertia, friction, scenario.friction_radius)
    body.set_motion(scenario.spin, np.array([scenario.speed, 0.0]))
    drop_row = math.ceil(scenario.drop_time * scenario.rate - 1e-9) if scenario.drop_share > 0 else rows
    motion = np.empty((rows, 8))
    for row, time in enumerate(times):
        if row > 0:
            body.push(lambda seconds, start=times[row - 1]: at(start + seconds), time - times[row - 1])
        if row == drop_row:
            body.drop(scenario.drop_share)
        motion[row] = (*body.position, body.heading, body.angular_velocity, *body.velocity, body.mass, body.inertia)
    acted = np.stack([at(time) for time in times])
    return PlanarTruth(
        times, motion[:, :2], motion[:, 2], motion[:, 3], motion[:, 4:6], contacts, motion[:, 6], motion[:, 7], acted
    )


def simulate_planar(
    scenario: PlanarScenario,
    seed: int,
    forces: Float[np.ndarray, "time robot 2"] | None = None,
    contacts: Float[np.ndarray, "robot 2"] | None = None,
) -> dict[str, np.ndarray]:
    """Columns by their log names, truth included; robot i's own truth is `truth/ri/com`, world axes."""
    truth = planar_truth(scenario, seed, forces, contacts)
    velocity_noise, force_noise = noises_of(scenario, len(truth.time), seed)
    columns = {"time": truth.time}
    signals = {
        "{}/velocity": truth.contact_velocities + velocity_noise,
        "{}/force": truth.forces + force_noise,
        "truth/{}/com": -truth.arms,
    }
    for stem, values in signals.items():
        for i in range(scenario.robots):
            columns |= {f"{stem.format(f'r{i + 1}')}/{axis}": values[:, i, k] for k, axis in enumerate("xy")}
    columns |= {f"truth/load/position/{axis}": truth.position[:, k] for k, axis in enumerate("xy")}
    columns |= {"truth/mass": truth.mass, "truth/inertia": truth.inertia}
    if scenario.viscous_friction or scenario.coulomb_friction:
        n = len(truth.time)
        columns["truth/viscous_friction"] = np.full(n, scenario.viscous_friction)
        columns["truth/coulomb_friction"] = scenario.coulomb_friction * truth.mass / truth.mass[0]
    return columns


def _check_shape(what: str, given: np.ndarray, wanted: tuple[int, ...]) -> None:
    if given.shape != wanted or not np.isfinite(given).all():
        raise BadInput(f"The {what} have shape {given.shape}; give finite numbers of shape {wanted}.")
