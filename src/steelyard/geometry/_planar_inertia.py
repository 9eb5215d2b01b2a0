"""The four inertial parameters of a body that moves in a plane."""

import equinox as eqx
import jax.numpy as jnp
from jaxlie import SE2
from jaxtyping import Array, Bool, Float

from ._planar import perp


class PlanarInertia(eqx.Module):
    """Mass (kg), first moment m c (kg m) and moment of inertia (kg m²), the latter two about the frame's ORIGIN."""

    mass: Float[Array, ""]
    first_moment: Float[Array, "2"]
    moment: Float[Array, ""]

    @property
    def vector(self) -> Float[Array, "4"]:
        """(mass, first moment, moment), in which dynamics are linear."""
        return jnp.concatenate([self.mass[None], self.first_moment, self.moment[None]])

    @staticmethod
    def from_vector(vector: Float[Array, "4"]) -> "PlanarInertia":
        """The inverse of `vector`."""
        return PlanarInertia(vector[0], vector[1:3], vector[3])

    @staticmethod
    def from_com(
        mass: Float[Array, ""] | float, com: Float[Array, "2"], moment_about_com: Float[Array, ""] | float
    ) -> "PlanarInertia":
        """From mass (kg), centre of mass (m) and moment of inertia about that centre (kg m²)."""
        m = jnp.asarray(mass, dtype=com.dtype)
        return PlanarInertia(m, m * com, moment_about_com + m * (com @ com))

    @property
    def com(self) -> Float[Array, "2"]:
        """The centre of mass (m) from the frame's origin."""
        return self.first_moment / self.mass

    @property
    def moment_about_com(self) -> Float[Array, ""]:
        """The moment of inertia (kg m²) about the centre of mass, the J of the planar papers."""
        return self.moment - self.first_moment @ self.first_moment / self.mass


def is_physical_planar(inertia: PlanarInertia) -> Bool[Array, ""]:
    """Whether some distribution of positive mass has this inertia: mass and moment about the centre are positive."""
    return (inertia.mass > 0.0) & (inertia.moment_about_com > 0.0)


def planar_log_cholesky(inertia: PlanarInertia) -> Float[Array, "4"]:
    """Coordinates (α, d, t1, t2) of a physical planar inertia; NaN for an impossible one.

    Log-Cholesky coordinates as in space, of the round body with this inertia: a plane motion shows the sum of its two
    second moments only, so each takes half. The mass is exp(2α), t the centre (m), J = 2 exp(2α + 2d) about it.
    """
    m, J = inertia.mass, inertia.moment_about_com
    return jnp.concatenate([0.5 * jnp.log(jnp.stack([m, 0.5 * J / m])), inertia.com])


def planar_inertia_from_log_cholesky(coordinates: Float[Array, "4"]) -> PlanarInertia:
    """The inverse of `planar_log_cholesky`: every vector of four numbers gives a physical inertia, to rounding."""
    alpha, d = coordinates[0], coordinates[1]
    m = jnp.exp(2.0 * alpha)
    return PlanarInertia.from_com(m, coordinates[2:], 2.0 * m * jnp.exp(2.0 * d))


def move_planar_inertia(pose_ji: SE2, inertia_i: PlanarInertia) -> PlanarInertia:
    """The same body in frame j."""
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    m, h = inertia_i.mass, R @ inertia_i.first_moment
    return PlanarInertia(m, h + m * t, inertia_i.moment + 2.0 * (h @ t) + m * (t @ t))


def planar_spatial_inertia(inertia: PlanarInertia) -> Float[Array, "3 3"]:
    """Planar twist to momentum, (angular about the origin, linear); half its quadratic form is kinetic energy (J)."""
    h = perp(inertia.first_moment)  # h^⊥ · v is the moment of momentum of the translation
    return jnp.block([[inertia.moment[None, None], h[None, :]], [h[:, None], inertia.mass * jnp.eye(2)]])
