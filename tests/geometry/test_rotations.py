import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import geometry as g

ANGLES = [0.0, 1e-9, 1e-5, 1e-3, 0.1, 0.7071, 0.7072, 1.5, 3.1]
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


def rotation_vectors():
    return jnp.asarray(np.outer(ANGLES, AXIS))


def test_skew_is_the_cross_product_and_unskew_undoes_it(draw, holds):
    holds(
        lambda a, b: [(g.skew(a) @ b, jnp.cross(a, b)), (g.unskew(g.skew(a)), a)],
        draw.arrays(3),
        draw.arrays(3),
    )


def test_unskew_of_a_symmetric_matrix_is_zero(draw, holds):
    holds(lambda A: [(g.unskew(A + A.T), jnp.zeros(3))], draw.arrays(3, 3))


def test_left_jacobian_is_the_derivative_of_the_exponential_at_every_angle(holds):
    def theorem(phi):
        def from_the_left(d):
            return (g.SO3.exp(phi + d) @ g.SO3.exp(phi).inverse()).log()

        return [(g.left_jacobian_so3(phi), jax.jacfwd(from_the_left)(jnp.zeros(3)))]

    holds(theorem, rotation_vectors(), tolerance=1e-9)


def test_left_jacobian_has_its_inverse(holds):
    holds(
        lambda phi: [(g.left_jacobian_so3(phi) @ g.inverse_left_jacobian_so3(phi), jnp.eye(3))],
        rotation_vectors(),
        tolerance=1e-13,
    )


@pytest.mark.parametrize("f", [g.left_jacobian_so3, g.inverse_left_jacobian_so3])
def test_derivatives_of_jacobians_are_finite_and_continuous_at_zero(f, quick_jit):
    first = quick_jit(jax.vmap(jax.jacfwd(f)))(rotation_vectors()[:3])
    second = quick_jit(jax.vmap(jax.jacfwd(jax.jacrev(f))))(rotation_vectors()[:3])
    for derivative in (first, second):
        assert jnp.all(jnp.isfinite(derivative))
        np.testing.assert_allclose(derivative[1:], derivative[:1].repeat(2, axis=0), atol=1e-5)


def test_group_exponential_matches_the_matrix_exponential_at_every_angle():
    # The referee is the power series of the 4 x 4 matrix with scaling and squaring, in extended precision.
    def matrix_exponential(A):
        A = A.astype(np.longdouble) / 64
        term = total = np.eye(len(A), dtype=np.longdouble)
        for k in range(1, 25):
            term = term @ A / k
            total = total + term
        for _ in range(6):
            total = total @ total
        return total.astype(float)

    for angle in ANGLES:
        v, phi = np.array([0.3, -2.0, 0.7]), angle * AXIS
        A = np.block([[np.asarray(g.skew(jnp.asarray(phi))), v[:, None]], [np.zeros((1, 4))]])
        pose = g.group_exp(g.SE3, jnp.asarray(np.concatenate([v, phi])))
        np.testing.assert_allclose(pose.as_matrix(), matrix_exponential(A), atol=1e-14)
        A = np.array([[0.0, -angle, 0.3], [angle, 0.0, -2.0], [0.0, 0.0, 0.0]])
        planar = g.group_exp(g.SE2, jnp.array([0.3, -2.0, angle]))
        np.testing.assert_allclose(planar.as_matrix(), matrix_exponential(A), atol=1e-14)


@pytest.mark.parametrize("kind", [g.SO2, g.SO3, g.SE2, g.SE3])
def test_group_logarithm_undoes_the_exponential_with_its_derivative(kind, holds):
    # Pure translations are among the points: there jaxlie's own SE3 has a wrong derivative.
    n = kind.tangent_dim
    tangents = {g.SO2: [0.0], g.SO3: [], g.SE2: [0.3, -2.0], g.SE3: [0.3, -2.0, 0.7]}[kind]
    points = jnp.asarray([[*tangents, *(angle * AXIS)][:n] for angle in ANGLES])
    holds(
        lambda x: [
            (g.group_log(g.group_exp(kind, x)), x),
            (jax.jacfwd(lambda y: g.group_log(g.group_exp(kind, y)))(x), jnp.eye(n)),
            (jax.jacrev(lambda y: g.group_log(g.group_exp(kind, y)))(x), jnp.eye(n)),
        ],
        points,
        tolerance=1e-9,
    )


@pytest.mark.parametrize("kind", [g.SO3, g.SE2, g.SE3])
def test_group_axioms(kind, draw, holds):
    def theorem(x, y, z):
        a, b, c = (g.group_exp(kind, tangent) for tangent in (x, y, z))
        mul, one = g.group_multiply, kind.identity()
        return [
            (mul(mul(a, b), c).as_matrix(), mul(a, mul(b, c)).as_matrix()),
            (mul(a, b).as_matrix(), a.as_matrix() @ b.as_matrix()),
            (mul(a, one).as_matrix(), a.as_matrix()),
            (mul(one, a).as_matrix(), a.as_matrix()),
            (mul(a, g.group_inverse(a)).as_matrix(), jnp.eye(kind.matrix_dim)),
            (g.group_inverse(a).as_matrix(), a.inverse().as_matrix()),
            (mul(a, b).as_matrix(), (a @ b).as_matrix()),
        ]

    n = kind.tangent_dim
    holds(theorem, draw.arrays(n), draw.arrays(n), draw.arrays(n))
