"""The ten inertial parameters of a rigid body, and the ways to write them.

Everything is about the origin and in the axes of one frame. Moments of inertia are the entries of the matrix itself:
I_xx = ∫(y² + z²) dm on the diagonal and I_xy = −∫ x y dm off it, so that angular momentum is I ω with no signs added.
(Some CAD programs print +∫ x y dm: change their signs first. URDF's `ixy` is the entry, as here.)
"""

import equinox as eqx
import jax.numpy as jnp
from jaxlie import SE3
from jaxtyping import Array, Bool, Float

from ._factorisation import upper_factors
from ._rotations import skew

MOMENT_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Where the moments xx, yy, zz, xy, xz, yz stand in the inertia matrix."""
MOMENT_PLACES = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Which of these moments each entry of the matrix is."""


class Inertia(eqx.Module):
    """Mass (kg), first moment m c (kg m), and moments xx, yy, zz, xy, xz, yz (kg m²) about the frame's ORIGIN."""

    mass: Float[Array, ""]
    first_moment: Float[Array, "3"]
    moments: Float[Array, "6"]

    @property
    def vector(self) -> Float[Array, "10"]:
        """(mass, first moment, moments), the φ in which dynamics are linear."""
        return jnp.concatenate([self.mass[None], self.first_moment, self.moments])

    @staticmethod
    def from_vector(vector: Float[Array, "10"]) -> "Inertia":
        """The inverse of `vector`."""
        return Inertia(vector[0], vector[1:4], vector[4:])

    @staticmethod
    def from_com(
        mass: Float[Array, ""] | float, com: Float[Array, "3"], inertia_about_com: Float[Array, "3 3"]
    ) -> "Inertia":
        """From mass (kg), centre of mass (m) and the symmetric inertia matrix about that centre (kg m²)."""
        m = jnp.asarray(mass, dtype=com.dtype)
        return Inertia(m, m * com, moments_from_matrix(inertia_about_com - m * (skew(com) @ skew(com))))

    @property
    def com(self) -> Float[Array, "3"]:
        """The centre of mass (m) from the frame's origin."""
        return self.first_moment / self.mass

    @property
    def matrix(self) -> Float[Array, "3 3"]:
        """The inertia matrix (kg m²) about the frame's origin."""
        return matrix_from_moments(self.moments)

    @property
    def matrix_about_com(self) -> Float[Array, "3 3"]:
        """The inertia matrix (kg m²) about the centre of mass, in the frame's axes."""
        H = skew(self.first_moment)
        return self.matrix + H @ H / self.mass


def moments_from_matrix(matrix: Float[Array, "3 3"]) -> Float[Array, "6"]:
    """The entries xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    A = matrix
    return jnp.stack([A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2], A[1, 2]])


def matrix_from_moments(moments: Float[Array, "6"]) -> Float[Array, "3 3"]:
    """The symmetric matrix with entries xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = moments
    return jnp.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz]).reshape(3, 3)


def pseudo_inertia(inertia: Inertia) -> Float[Array, "4 4"]:
    """∫ (p, 1)(p, 1)ᵀ dm over the body: [[Σ, m c], [m cᵀ, m]] with Σ = tr(I)/2 · 1 − I."""
    I = inertia.matrix
    Sigma = 0.5 * jnp.trace(I) * jnp.eye(3) - I
    h = inertia.first_moment
    return jnp.block([[Sigma, h[:, None]], [h[None, :], inertia.mass[None, None]]])


def inertia_from_pseudo_inertia(matrix: Float[Array, "4 4"]) -> Inertia:
    """The inverse of `pseudo_inertia`, with I = tr(Σ) 1 − Σ."""
    Sigma = matrix[:3, :3]
    return Inertia(matrix[3, 3], matrix[:3, 3], moments_from_matrix(jnp.trace(Sigma) * jnp.eye(3) - Sigma))


def is_physical(inertia: Inertia) -> Bool[Array, ""]:
    """Whether some distribution of positive mass has this inertia: its pseudo-inertia is positive definite.

    That is a positive mass, a positive definite inertia about the centre and the triangle inequality between its
    principal moments, in one. Bodies without volume lie on the border and count as impossible.
    """
    return jnp.all(upper_factors(pseudo_inertia(inertia)).pivots > 0.0)


def log_cholesky(inertia: Inertia) -> Float[Array, "10"]:
    """Coordinates (α, d1, d2, d3, s12, s23, s13, t1, t2, t3) of a physical inertia; NaN for an impossible one.

    The pseudo-inertia is U Uᵀ with U = exp(α) [[exp(d1), s12, s13, t1], [0, exp(d2), s23, t2], [0, 0, exp(d3), t3],
    [0, 0, 0, 1]] (C. Rucker and P. Wensing, "Smooth parameterization of rigid-body inertia", RA-L 2022). So α is half
    the logarithm of the mass and t is the centre of mass (m): both can be read off, and given a prior, as they stand.
    """
    L, pivots = upper_factors(pseudo_inertia(inertia))
    log_diagonal = 0.5 * jnp.log(pivots)
    alpha = log_diagonal[3]
    d = log_diagonal[:3] - alpha
    s = jnp.stack([L[0, 1], L[1, 2], L[0, 2]]) * jnp.exp(jnp.stack([d[1], d[2], d[2]]))
    return jnp.concatenate([alpha[None], d, s, L[:3, 3]])


def inertia_from_log_cholesky(coordinates: Float[Array, "10"]) -> Inertia:
    """The inverse of `log_cholesky`: every vector of ten numbers gives a physical inertia, to rounding."""
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = coordinates
    o, one = jnp.zeros_like(alpha), jnp.ones_like(alpha)
    e1, e2, e3 = jnp.exp(d1), jnp.exp(d2), jnp.exp(d3)
    U = jnp.stack([e1, s12, s13, t1, o, e2, s23, t2, o, o, e3, t3, o, o, o, one]).reshape(4, 4)
    return inertia_from_pseudo_inertia(jnp.exp(2.0 * alpha) * (U @ U.T))


def move_inertia(pose_ji: SE3, inertia_i: Inertia) -> Inertia:
    """The same body in frame j: T J Tᵀ on the pseudo-inertia.

    It moves the centre by [fan17, Eq. (32)] and the matrix about the centre by [fan17, Eq. (31)], which is transposed
    in print: I_j = R_ji I_i R_jiᵀ.
    """
    R, t = pose_ji.rotation().as_matrix(), pose_ji.translation()
    T = jnp.block([[R, t[:, None]], [jnp.zeros((1, 3)), jnp.ones((1, 1))]])
    return inertia_from_pseudo_inertia(T @ pseudo_inertia(inertia_i) @ T.T)


def spatial_inertia(inertia: Inertia) -> Float[Array, "6 6"]:
    """Twist to momentum, (angular about the origin, linear); half its quadratic form is kinetic energy (J)."""
    H = skew(inertia.first_moment)
    return jnp.block([[inertia.matrix, H], [H.T, inertia.mass * jnp.eye(3)]])
