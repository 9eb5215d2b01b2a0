import jax.numpy as jnp
import numpy as np

from steelyard import geometry as g


def one():
    return g.DualQuaternion(jnp.array([1.0, 0.0, 0.0, 0.0]), jnp.zeros(4))


def test_product_is_associative_and_distributes_over_the_sum(draw, holds):
    holds(
        lambda x, y, z: [(x * y * z, x * (y * z)), (x * (y + z), x * y + x * z), (x * one(), x), (one() * x, x)],
        *(draw.dual_quaternions() for _ in range(3)),
    )


def test_plus_and_minus_matrices_represent_the_product_and_commute(draw, holds):
    holds(
        lambda x, y: [
            (g.plus_matrix(x) @ y.vector, (x * y).vector),
            (g.minus_matrix(y) @ x.vector, (x * y).vector),
            (g.plus_matrix(x) @ g.minus_matrix(y), g.minus_matrix(y) @ g.plus_matrix(x)),
            (g.DualQuaternion.from_vector(x.vector), x),
        ],
        draw.dual_quaternions(),
        draw.dual_quaternions(),
    )


def test_conjugates_are_involutions_that_keep_or_turn_the_order_of_a_product(draw, holds):
    holds(
        lambda x, y: [
            (x.dual_conjugate.dual_conjugate, x),
            (x.quaternion_conjugate.quaternion_conjugate, x),
            (x.combined_conjugate.combined_conjugate, x),
            (x.combined_conjugate, x.dual_conjugate.quaternion_conjugate),
            ((x * y).dual_conjugate, x.dual_conjugate * y.dual_conjugate),
            ((x * y).quaternion_conjugate, y.quaternion_conjugate * x.quaternion_conjugate),
            ((x * y).combined_conjugate, y.combined_conjugate * x.combined_conjugate),
        ],
        draw.dual_quaternions(),
        draw.dual_quaternions(),
    )


def test_norm_squares_to_the_product_with_the_conjugate_and_is_multiplicative(draw, holds):
    def dual_product(a, b):
        return jnp.stack([a[0] * b[0], a[0] * b[1] + a[1] * b[0]])

    def theorem(x, y):
        square = (x * x.quaternion_conjugate).vector
        norm = g.dual_quaternion_norm(x)
        return [
            (square[jnp.array([0, 4])], dual_product(norm, norm)),
            (square[jnp.array([1, 2, 3, 5, 6, 7])], jnp.zeros(6)),
            (g.dual_quaternion_norm(x * y), dual_product(norm, g.dual_quaternion_norm(y))),
        ]

    holds(theorem, draw.dual_quaternions(), draw.dual_quaternions(), tolerance=1e-11)


def test_a_pose_is_a_unit_dual_quaternion_whose_conjugate_is_its_inverse(draw, holds):
    def theorem(pose):
        x = g.dual_quaternion_from_pose(pose)
        return [
            (g.dual_quaternion_norm(x), jnp.array([1.0, 0.0])),
            (x * x.quaternion_conjugate, one()),
            (x.dual_conjugate * x.combined_conjugate, one()),
            (g.dual_quaternion_from_pose(pose.inverse()), x.quaternion_conjugate),
            (g.dual_quaternion_is_unit(x), jnp.array(True)),
            (g.dual_quaternion_is_unit(x + x), jnp.array(False)),
            (g.dual_quaternion_is_unit(x + g.DualQuaternion(jnp.zeros(4), 0.1 * x.real)), jnp.array(False)),
        ]

    holds(theorem, draw.poses())


def test_the_product_of_dual_quaternions_is_the_product_of_poses(draw, holds):
    holds(
        lambda a, b: [
            (
                g.dual_quaternion_from_pose(a) * g.dual_quaternion_from_pose(b),
                g.dual_quaternion_from_pose(a @ b),
            )
        ],
        draw.poses(),
        draw.poses(),
    )


def test_pose_survives_the_way_there_and_back_whatever_the_scale(draw, holds):
    def theorem(pose, scale):
        x = g.dual_quaternion_from_pose(pose)
        scaled = g.DualQuaternion.from_vector(jnp.exp(scale) * x.vector)
        off_the_study_quadric = g.DualQuaternion(x.real, x.dual + scale * x.real)
        back = g.pose_from_dual_quaternion
        return [(back(y).as_matrix(), pose.as_matrix()) for y in (x, scaled, off_the_study_quadric)]

    holds(theorem, draw.poses(), draw.arrays())


def test_points_and_twists_move_by_dual_quaternions_as_by_poses(draw, holds):
    def theorem(pose, point, twist):
        x = g.dual_quaternion_from_pose(pose)
        return [
            (g.move_point_by_dual_quaternion(x, point), pose @ point),
            (g.move_twist_by_dual_quaternion(x, twist).vector, g.adjoint(pose) @ twist.vector),
            (g.twist_from_dual_quaternion(g.dual_quaternion_from_twist(twist)), twist),
        ]

    holds(theorem, draw.poses(), draw.arrays(3), draw.twists())


def test_two_twists_of_one_body_observe_the_pose_between_them_linearly(draw, holds):
    """[fan17, Eq. (14)], its H_q written out as printed."""

    def H_q(a, b):
        top = jnp.concatenate([jnp.zeros(1), a - b])
        return jnp.concatenate([top[None, :], jnp.concatenate([(b - a)[:, None], g.skew(a + b)], axis=1)])

    def theorem(pose, xi_i):
        xi_j = g.move_twist(pose, xi_i)
        H = g.plus_matrix(g.dual_quaternion_from_twist(xi_j)) - g.minus_matrix(g.dual_quaternion_from_twist(xi_i))
        A, B = H_q(xi_i.angular, xi_j.angular), H_q(xi_i.linear, xi_j.linear)
        return [
            (H @ g.dual_quaternion_from_pose(pose).vector, jnp.zeros(8)),
            (H, jnp.block([[A, jnp.zeros((4, 4))], [B, A]])),
        ]

    holds(theorem, draw.poses(), draw.twists())


def test_is_unit_uses_its_tolerance():
    x = g.DualQuaternion(jnp.array([1.0 + 1e-4, 0.0, 0.0, 0.0]), jnp.zeros(4))
    assert not g.dual_quaternion_is_unit(x)
    assert g.dual_quaternion_is_unit(x, tolerance=1e-3)
    np.testing.assert_allclose(g.dual_quaternion_norm(x), [1.0 + 1e-4, 0.0])
