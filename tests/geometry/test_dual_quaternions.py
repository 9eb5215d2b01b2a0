import jax.numpy as jnp

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


def test_the_conjugate_turns_products_round_and_is_the_inverse_of_a_pose(draw, holds):
    def theorem(x, y, pose):
        unit = g.dual_quaternion_from_pose(pose)
        return [
            (x.quaternion_conjugate.quaternion_conjugate, x),
            ((x * y).quaternion_conjugate, y.quaternion_conjugate * x.quaternion_conjugate),
            (unit * unit.quaternion_conjugate, one()),
            (g.dual_quaternion_from_pose(pose.inverse()), unit.quaternion_conjugate),
        ]

    holds(theorem, draw.dual_quaternions(), draw.dual_quaternions(), draw.poses())


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


def test_twists_move_by_dual_quaternions_as_by_poses(draw, holds):
    """[fan17, Eq. (13)]."""

    def theorem(pose, twist):
        x = g.dual_quaternion_from_pose(pose)
        moved = x * g.dual_quaternion_from_twist(twist) * x.quaternion_conjugate
        return [(jnp.concatenate([moved.real[1:], moved.dual[1:]]), g.adjoint(pose) @ twist.vector)]

    holds(theorem, draw.poses(), draw.twists())


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
