import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pinocchio as pin

from steelyard import geometry as g

GRAVITY = jnp.array([0.0, 0.0, -9.81])
# Our (xx, yy, zz, xy, xz, yz) columns in Pinocchio's order (xx, xy, yy, xz, yz, zz); linear rows first there.
COLUMNS = np.array([0, 1, 2, 3, 4, 7, 5, 8, 9, 6])
ROWS = np.array([3, 4, 5, 0, 1, 2])


def test_rate_of_momentum_is_wrench_and_weight_along_a_trajectory(draw, holds):
    """dμ/dt + small_coadjoint μ = Y φ + weight, every rate by forward differentiation of a tumbling flight."""

    def theorem(inertia, time, a, b, c):
        def rotation(s):
            return g.SO3.exp(jnp.sin(s) * a + s * b).as_matrix()

        def position(s):
            return jnp.sin(2.0 * s) * c + s * s * a

        def rate(f, s):
            return jax.jvp(f, (s,), (jnp.ones_like(s),))[1]

        def twist(s):
            R = rotation(s)
            return g.Twist(g.unskew(R.T @ rate(rotation, s)), R.T @ rate(position, s))

        def momentum(s):
            return g.spatial_inertia(inertia) @ twist(s).vector

        def momentum_in_world(s):
            pose = g.SE3.from_rotation_and_translation(g.SO3.exp(jnp.sin(s) * a + s * b), position(s))
            return g.coadjoint(pose) @ momentum(s)

        R, xi, xi_dot = rotation(time), twist(time), rate(twist, time)
        s = xi_dot.linear + g.skew(xi.angular) @ xi.linear - R.T @ GRAVITY
        accelerometer = R.T @ (rate(lambda r: rate(position, r), time) - GRAVITY)
        weight = jnp.concatenate([g.skew(inertia.first_moment) @ (R.T @ GRAVITY), inertia.mass * (R.T @ GRAVITY)])
        total = g.wrench_regressor(xi, g.Twist(xi_dot.angular, s)) @ inertia.vector + weight

        to_world = g.SE3.from_rotation_and_translation(g.SO3.exp(jnp.sin(time) * a + time * b), position(time))
        return [
            (s, accelerometer),
            (rate(momentum, time) + g.small_coadjoint(xi) @ momentum(time), total),
            (rate(momentum_in_world, time), g.coadjoint(to_world) @ total),
        ]

    vectors = (draw.arrays(3) for _ in range(3))
    holds(theorem, draw.inertias(), draw.arrays(), *vectors, tolerance=1e-9)


def test_wrench_moves_with_the_frame_in_which_motion_and_inertia_are_written(draw, holds):
    def theorem(pose, inertia, twist, acceleration):
        Y_i = g.wrench_regressor(twist, acceleration)
        Y_j = g.wrench_regressor(g.move_twist(pose, twist), g.move_acceleration(pose, twist, acceleration))
        return [(Y_j @ g.move_inertia(pose, inertia).vector, g.coadjoint(pose) @ (Y_i @ inertia.vector))]

    holds(theorem, draw.poses(), draw.inertias(), draw.twists(), draw.twists(), tolerance=1e-10)


def test_wrench_obeys_the_papers_newton_and_euler_equations(draw, holds):
    """[fan17, Eq. (21)], with its ω × v + ā read as an accelerometer's s."""

    def theorem(inertia, twist, acceleration):
        w = g.Wrench.from_vector(g.wrench_regressor(twist, acceleration) @ inertia.vector)
        p, I, m = inertia.com, inertia.matrix_about_com, inertia.mass
        W, A = g.skew(twist.angular), g.skew(acceleration.angular)
        euler = jnp.cross(w.force, p) + w.torque - W @ I @ twist.angular
        return [
            (I @ acceleration.angular, euler),
            ((A + W @ W) @ p + acceleration.linear, w.force / m),
        ]

    holds(theorem, draw.inertias(), draw.twists(), draw.twists(), tolerance=1e-11)


def test_regressors_agree_with_pinocchio(draw, member):
    twists, accelerations = draw.twists(), draw.twists()
    for k in range(3):
        twist, acceleration = member(twists, k), member(accelerations, k)
        velocity = pin.Motion(np.asarray(twist.linear), np.asarray(twist.angular))
        spatial = acceleration.linear - g.skew(twist.angular) @ twist.linear  # Pinocchio wants v̇ rather than v̇ + ω × v
        theirs = pin.bodyRegressor(velocity, pin.Motion(np.asarray(spatial), np.asarray(acceleration.angular)))
        ours = np.asarray(g.wrench_regressor(twist, acceleration))
        np.testing.assert_allclose(ours[np.ix_(ROWS, COLUMNS)], theirs, atol=1e-9)


def test_wrench_agrees_with_mujocos_inverse_dynamics(draw, member):
    inertias, poses = draw.inertias(), draw.poses()
    velocities, accelerations = np.asarray(draw.arrays(6)), np.asarray(draw.arrays(6, scale=3.0))
    for k in range(5):
        inertia, pose, qvel, qacc = member(inertias, k), member(poses, k), velocities[k], accelerations[k]
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(mass=float(inertia.mass), ipos=np.asarray(inertia.com), explicitinertial=True)
        body.fullinertia = np.asarray(g.moments_from_matrix(inertia.matrix_about_com))
        body.add_freejoint()
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos = np.concatenate([pose.translation(), pose.rotation().wxyz])
        data.qvel, data.qacc = qvel, qacc  # linear in world axes at the frame's origin, then angular in body axes
        mujoco.mj_inverse(model, data)

        R = np.asarray(pose.rotation().as_matrix())
        twist = g.Twist(jnp.asarray(qvel[3:]), jnp.asarray(R.T @ qvel[:3]))
        reading = jnp.asarray(R.T @ (qacc[:3] - np.asarray(GRAVITY)))
        wrench = g.wrench_regressor(twist, g.Twist(jnp.asarray(qacc[3:]), reading)) @ inertia.vector
        theirs = np.concatenate([data.qfrc_inverse[3:], R.T @ data.qfrc_inverse[:3]])
        np.testing.assert_allclose(wrench, theirs, atol=1e-9)
