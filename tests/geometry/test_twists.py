import jax
import jax.numpy as jnp
import numpy as np
import pinocchio as pin

from steelyard import geometry as g


def linear_first(A):
    """Our (angular, linear) matrices in the (linear, angular) order of jaxlie and Pinocchio."""
    order = np.array([3, 4, 5, 0, 1, 2])
    return np.asarray(A)[..., order[:, None], order[None, :]]


def test_vectors_hold_angular_before_linear(draw, holds):
    holds(
        lambda twist, wrench: [
            (twist.vector[:3], twist.angular),
            (g.Twist.from_vector(twist.vector), twist),
            (wrench.vector[:3], wrench.torque),
            (g.Wrench.from_vector(wrench.vector), wrench),
        ],
        draw.twists(),
        draw.wrenches(),
    )


def test_moves_are_the_adjoint_and_the_coadjoint(draw, holds):
    holds(
        lambda pose, twist, wrench: [
            (g.move_twist(pose, twist).vector, g.adjoint(pose) @ twist.vector),
            (g.move_wrench(pose, wrench).vector, g.coadjoint(pose) @ wrench.vector),
            (g.coadjoint(pose), g.adjoint(pose.inverse()).T),
        ],
        draw.poses(),
        draw.twists(),
        draw.wrenches(),
    )


def test_adjoint_is_a_representation_of_the_group(draw, holds):
    holds(
        lambda a, b: [
            (g.adjoint(a @ b), g.adjoint(a) @ g.adjoint(b)),
            (g.coadjoint(a @ b), g.coadjoint(a) @ g.coadjoint(b)),
            (g.adjoint(a) @ g.adjoint(a.inverse()), jnp.eye(6)),
        ],
        draw.poses(),
        draw.poses(),
    )


def test_power_is_invariant_under_a_move(draw, holds):
    holds(
        lambda pose, twist, wrench: [
            (g.move_twist(pose, twist).vector @ g.move_wrench(pose, wrench).vector, twist.vector @ wrench.vector)
        ],
        draw.poses(),
        draw.twists(),
        draw.wrenches(),
    )


def test_small_coadjoint_is_the_rate_of_the_coadjoint(draw, holds):
    def theorem(twist):
        def pose(s):
            return g.group_exp(g.SE3, s * jnp.concatenate([twist.linear, twist.angular]))

        return [(g.small_coadjoint(twist), jax.jacfwd(lambda s: g.coadjoint(pose(s)))(0.0))]

    holds(theorem, draw.twists())


def test_twists_and_accelerometer_readings_move_as_the_points_of_a_tumbling_body_do(draw, holds):
    """The truth is differentiated from the motion of two frames fixed to one body."""
    gravity = jnp.array([0.0, 0.0, -9.81])

    def seen_from(frame, axis, a, b):
        def pose(s):
            base = g.SE3.from_rotation_and_translation(
                g.SO3.exp(jnp.sin(s) * axis + s * a), jnp.sin(2.0 * s) * b + s * a
            )
            return base @ frame

        def rotation(s):
            return pose(s).rotation().as_matrix()

        def velocity(s):
            return jax.jacfwd(lambda r: pose(r).translation())(s)

        def twist(s):
            R = rotation(s)
            return g.Twist(g.unskew(R.T @ jax.jacfwd(rotation)(s)), R.T @ velocity(s))

        def reading(s):
            return rotation(s).T @ (jax.jacfwd(velocity)(s) - gravity)

        s = 0.3
        return twist(s), g.Twist(jax.jacfwd(lambda r: twist(r).angular)(s), reading(s))

    def theorem(pose_ij, axis, a, b):
        twist_i, acceleration_i = seen_from(g.SE3.identity(), axis, a, b)
        twist_j, acceleration_j = seen_from(pose_ij, axis, a, b)
        pose_ji = pose_ij.inverse()
        return [
            (g.move_twist(pose_ji, twist_i), twist_j),
            (g.move_acceleration(pose_ji, twist_i, acceleration_i), acceleration_j),
        ]

    holds(theorem, draw.poses(), draw.arrays(3), draw.arrays(3), draw.arrays(3), tolerance=1e-10)


def test_adjoint_agrees_with_jaxlie_and_pinocchio_reordered(draw, member):
    poses = draw.poses()
    Ad = jax.vmap(g.adjoint)(poses)
    np.testing.assert_allclose(linear_first(Ad), poses.adjoint(), atol=1e-12)
    for k in range(5):
        pose = member(poses, k)
        M = pin.SE3(np.asarray(pose.rotation().as_matrix()), np.asarray(pose.translation()))
        np.testing.assert_allclose(linear_first(Ad[k]), M.action, atol=1e-12)
        np.testing.assert_allclose(linear_first(g.coadjoint(pose)), M.dualAction, atol=1e-12)


def test_moves_and_the_small_coadjoint_agree_with_pinocchio(draw, member):
    for k in range(3):
        pose, twist, wrench = (member(b, k) for b in (draw.poses(), draw.twists(), draw.wrenches()))
        M = pin.SE3(np.asarray(pose.rotation().as_matrix()), np.asarray(pose.translation()))
        motion = pin.Motion(np.asarray(twist.linear), np.asarray(twist.angular))
        force = pin.Force(np.asarray(wrench.force), np.asarray(wrench.torque))
        np.testing.assert_allclose(g.move_twist(pose, twist).angular, M.act(motion).angular, atol=1e-12)
        np.testing.assert_allclose(g.move_twist(pose, twist).linear, M.act(motion).linear, atol=1e-12)
        np.testing.assert_allclose(g.move_wrench(pose, wrench).torque, M.act(force).angular, atol=1e-12)
        np.testing.assert_allclose(g.move_wrench(pose, wrench).force, M.act(force).linear, atol=1e-12)
        np.testing.assert_allclose(linear_first(g.small_coadjoint(twist)), motion.dualAction, atol=1e-12)
