"""One link of a planar team: from the velocities of two contacts to the vector between them.

World axes throughout; z_ij = r_i − r_j points from the neighbour's contact to the robot's own.
"""

import math

import msgspec

from steelyard.papers.planar.robots._complex_vectors import dot, turned
from steelyard.papers.planar.robots._low_pass import LineFit, RateFilter, low_pass_step


class LinkGains(msgspec.Struct, frozen=True):
    """How a link listens."""

    k_f: float
    """1/s, gain of the low-pass filters."""
    min_speed: float
    """m/s; below it the direction of ż_ij is noise, and z_ij is carried along."""
    fit_speed: float
    """m/s; only faster samples measure the distance."""
    wait: float
    """s, after a start of the filters before anything is measured with them."""
    memory: float
    """Per sample, of the distance's least squares: 1 for ever, below 1 for the quotient of the last moments."""


class Link(msgspec.Struct, frozen=True):
    """What one robot knows of one link."""

    key: int = -1
    """The sample of the last pair of velocities."""
    zdot: complex = 0j
    zdot_low: complex = 0j
    direction: RateFilter | None = None
    """d_ij and its low-passed twin, while the link is fast enough to have one."""
    age: float = 0.0
    """s since the filters started."""
    fit: LineFit = LineFit()
    distance: float | None = None
    """m, once the procedure counts it as known."""
    sign: int = 0
    """Of ω; 0 while unknown."""
    z: complex | None = None
    """z_ij (m) at `key`."""
    omega: float | None = None
    """rad/s at `key`."""

    @property
    def fast(self) -> bool:
        """Whether z_ij is measured now, and not only carried along."""
        return self.direction is not None and self.z is not None

    @property
    def distance_std(self) -> float:
        """m; half the relative deviation of its square."""
        square = self.fit.gradient
        return 0.5 * self.fit.gradient_std / math.sqrt(square) if square > 0.0 else math.inf


def link_step(link: Link, zdot: complex, key: int, dt: float, gains: LinkGains, measure: bool) -> Link:
    """The link after one more pair of velocities, dt seconds after the last; `measure` lets the distance learn.

    Distance by [cdc14, Eq. (12)] or [icra15, Eq. (15)], whose denominators are k_f² ‖y − y^f‖².
    """
    speed = abs(zdot)
    mean_zdot = 0.5 * (link.zdot + zdot)
    z = None if link.z is None or link.omega is None else turned(link.z, link.omega * dt)
    if speed < gains.min_speed:
        omega = None
        if z is not None and link.z is not None and link.omega is not None:
            omega = dot(zdot, 1j * z) / abs(z) ** 2
            z = turned(link.z, 0.5 * (link.omega + omega) * dt)
        return Link(key, zdot, 0j, None, 0.0, link.fit, link.distance, link.sign, z, omega)
    d_ij = 1j * zdot / speed
    if link.direction is None:
        direction, zdot_low, age = RateFilter.start(d_ij), 0j, 0.0
    else:
        direction = link.direction.step(d_ij, 0j, gains.k_f, dt)
        zdot_low = low_pass_step(link.zdot_low, mean_zdot, gains.k_f, dt)
        age = link.age + dt
    rate, fit, sign = direction.rate(gains.k_f), link.fit, link.sign
    if age > 0.0 and age >= gains.wait:
        # y_ij = −sign(ω) z_ij / ‖z_ij‖, so the product is negative when ω is positive: [icra15, Eq. (16)] and the line
        # below [cdc14, Eq. (12)] lack the minus, and take the sign from signals that were not filtered.
        sign = -1 if dot(zdot_low, rate) > 0.0 else 1
        if measure and speed >= gains.fit_speed:
            fit = fit.add(abs(rate) ** 2, abs(zdot_low) ** 2, gains.memory)
    elif z is not None:
        sign = -1 if dot(z, d_ij) > 0.0 else 1
    omega = None
    if link.distance is not None and sign:
        # The printed [cdc14, Eq. (12)] and [icra15, Eq. (12)] lack the sign in this product.
        z = -sign * link.distance * d_ij
        omega = dot(zdot, 1j * z) / link.distance**2  # [cdc14, Eq. (5)], [icra15, Eq. (6)]
    return Link(key, zdot, zdot_low, direction, age, fit, link.distance, sign, z, omega)
