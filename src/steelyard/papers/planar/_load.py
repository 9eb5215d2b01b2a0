"""The load of the planar papers: a C-shaped plate that MuJoCo moves, held by four robots in a line."""

import dataclasses
from collections.abc import Mapping

import numpy as np

from steelyard.papers.planar._scenario import CONTACTS, MASS, NAMES, RATE
from steelyard.worlds import PlanarBody


@dataclasses.dataclass(frozen=True)
class Moment:
    """The load at one sample, as it truly was."""

    heading: float
    omega: float
    velocity: complex

    @property
    def arms(self) -> dict[str, complex]:
        """From the centre of mass to every contact, x + iy, world axes, m."""
        turn = np.exp(1j * self.heading)
        return {name: complex(*contact) * turn for name, contact in zip(NAMES, CONTACTS, strict=True)}

    @property
    def z_c(self) -> complex:
        """From the centre of mass to the middle of the contacts, m."""
        return complex(np.mean(list(self.arms.values())))


class Load:
    """A world for `drive` that remembers what was true at every sample."""

    def __init__(self, inertia: float, velocity_noise: float = 0.0, seed: int = 0):
        self.inertia = inertia
        self.velocity_noise = velocity_noise
        self.moments: list[Moment] = []
        self._body = PlanarBody(CONTACTS, MASS, inertia)
        self._chance = np.random.default_rng([seed, 15])

    def __call__(self, forces: Mapping[str, np.ndarray], dt: float) -> dict[str, np.ndarray]:
        """Holds the forces (N, world) for dt seconds; then every contact's velocity as measured, m/s."""
        body = self._body
        if dt > 0.0:
            held = np.stack([forces[name] for name in NAMES])
            body.push(lambda seconds: held, dt)
        self.moments.append(Moment(body.heading, body.angular_velocity, complex(*body.velocity)))
        noise = self.velocity_noise * self._chance.standard_normal(CONTACTS.shape)
        return dict(zip(NAMES, body.contact_velocities + noise, strict=True))

    def at(self, time: float) -> Moment:
        """What was true at the sample of a time, s."""
        return self.moments[round(time * RATE)]
