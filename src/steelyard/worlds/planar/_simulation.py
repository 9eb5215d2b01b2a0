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
from steelyard.worlds.planar._scenario import PlanarPush, check_push, contacts_of, forces_along, forces_of, noises_of


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
    push: PlanarPush,
    seed: int,
    forces: Float[np.ndarray, "time robot 2"] | None = None,
    contacts: Float[np.ndarray, "robot 2"] | None = None,
) -> PlanarTruth:
    """The load's true motion; `forces`, a row a sample, and `contacts` take the place of the push's own."""
    check_push(push)
    rows = round(push.duration * push.rate) + 1
    times = np.arange(rows) / push.rate
    contacts = contacts_of(push, seed) if contacts is None else np.asarray(contacts, float)
    _check_shape("contacts", contacts, (push.robots, 2))
    if forces is not None:
        _check_shape("forces", np.asarray(forces), (rows, push.robots, 2))
        at = forces_along(times, np.asarray(forces, float))
    else:
        at = forces_of(push, contacts, seed)
    friction = (push.viscous_friction, push.coulomb_friction)
    body = PlanarBody(contacts, push.mass, push.full_inertia, friction, push.friction_radius)
    body.set_motion(push.spin, np.array([push.speed, 0.0]))
    drop_row = math.ceil(push.drop_time * push.rate - 1e-9) if push.drop_share > 0 else rows
    told = np.empty((rows, 8))
    for row, time in enumerate(times):
        if row > 0:
            body.push(lambda seconds, start=times[row - 1]: at(start + seconds), time - times[row - 1])
        if row == drop_row:
            body.drop(push.drop_share)
        told[row] = (*body.position, body.heading, body.angular_velocity, *body.velocity, body.mass, body.inertia)
    acted = np.stack([at(time) for time in times])
    return PlanarTruth(
        times, told[:, :2], told[:, 2], told[:, 3], told[:, 4:6], contacts, told[:, 6], told[:, 7], acted
    )


def simulate_planar(
    push: PlanarPush,
    seed: int,
    forces: Float[np.ndarray, "time robot 2"] | None = None,
    contacts: Float[np.ndarray, "robot 2"] | None = None,
) -> dict[str, np.ndarray]:
    """Columns of one push by their log names, truth included; robot i's own truth is `truth/ri/com`, world axes."""
    truth = planar_truth(push, seed, forces, contacts)
    velocity_noise, force_noise = noises_of(push, len(truth.time), seed)
    columns = {"time": truth.time}
    signals = {
        "{}/velocity": truth.contact_velocities + velocity_noise,
        "{}/force": truth.forces + force_noise,
        "truth/{}/com": -truth.arms,
    }
    for stem, values in signals.items():
        for i in range(push.robots):
            columns |= {f"{stem.format(f'r{i + 1}')}/{axis}": values[:, i, k] for k, axis in enumerate("xy")}
    columns |= {f"truth/load/position/{axis}": truth.position[:, k] for k, axis in enumerate("xy")}
    columns |= {"truth/mass": truth.mass, "truth/inertia": truth.inertia}
    if push.viscous_friction or push.coulomb_friction:
        n = len(truth.time)
        columns["truth/viscous_friction"] = np.full(n, push.viscous_friction)
        columns["truth/coulomb_friction"] = push.coulomb_friction * truth.mass / truth.mass[0]
    return columns


def _check_shape(what: str, given: np.ndarray, wanted: tuple[int, ...]) -> None:
    if given.shape != wanted or not np.isfinite(given).all():
        raise BadInput(f"The {what} have shape {given.shape}; give finite numbers of shape {wanted}.")
