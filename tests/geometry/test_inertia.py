import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import geometry as g

physical_and_back = jax.jit(
    lambda x: (g.is_physical(g.inertia_from_log_cholesky(x)), g.log_cholesky(g.inertia_from_log_cholesky(x)))
)
physical_about_com = jax.jit(lambda m, c, I: g.is_physical(g.Inertia.from_com(m, c, g.matrix_from_moments(I))))
# Pinocchio's (mass, m c, xx, xy, yy, xz, yz, zz) from our (mass, m c, xx, yy, zz, xy, xz, yz).
PINOCCHIO = np.array([0, 1, 2, 3, 4, 7, 5, 8, 9, 6])


def in_pinocchio(inertia):
    return pin.Inertia(float(inertia.mass), np.asarray(inertia.com), np.asarray(inertia.matrix_about_com))


def test_accessors_agree_with_the_parallel_axis_theorem(draw, holds):
    def theorem(inertia):
        m, c = inertia.mass, inertia.com
        steiner = m * ((c @ c) * jnp.eye(3) - c[:, None] * c[None, :])
        return [
            (inertia.matrix, inertia.matrix_about_com + steiner),
            (g.Inertia.from_com(m, c, inertia.matrix_about_com), inertia),
            (g.Inertia.from_vector(inertia.vector), inertia),
            (g.matrix_from_moments(g.moments_from_matrix(inertia.matrix)), inertia.matrix),
            (inertia.vector[7], inertia.matrix[0, 1]),
        ]

    holds(theorem, draw.inertias())


def test_off_diagonal_moments_are_minus_the_products_of_inertia():
    p, m = jnp.array([1.0, 2.0, 3.0]), 0.5
    point_mass = g.Inertia.from_com(m, p, jnp.zeros((3, 3)))
    np.testing.assert_allclose(point_mass.moments, m * np.array([13.0, 10.0, 5.0, -2.0, -3.0, -6.0]))


def test_pseudo_inertia_is_the_second_moment_of_mass_and_goes_back(draw, holds):
    holds(
        lambda inertia: [(g.inertia_from_pseudo_inertia(g.pseudo_inertia(inertia)), inertia)],
        draw.inertias(),
    )
    p = jnp.array([1.0, 2.0, 3.0])
    q = jnp.concatenate([p, jnp.ones(1)])
    point_mass = g.Inertia.from_com(0.5, p, jnp.zeros((3, 3)))
    np.testing.assert_allclose(g.pseudo_inertia(point_mass), 0.5 * q[:, None] * q[None, :])


def test_moving_an_inertia_there_and_back_is_identity(draw, holds):
    holds(
        lambda pose, inertia: [
            (g.move_inertia(pose.inverse(), g.move_inertia(pose, inertia)), inertia),
            (g.move_inertia(pose, inertia).com, pose @ inertia.com),
            (
                g.move_inertia(pose, inertia).matrix_about_com,  # [fan17, Eq. (31)], transposed in print
                pose.rotation().as_matrix() @ inertia.matrix_about_com @ pose.rotation().as_matrix().T,
            ),
        ],
        draw.poses(),
        draw.inertias(),
        tolerance=1e-11,
    )


def test_kinetic_energy_is_invariant_under_a_move_and_momentum_moves_like_a_wrench(draw, holds):
    def theorem(pose, inertia, twist):
        M_i, M_j = g.spatial_inertia(inertia), g.spatial_inertia(g.move_inertia(pose, inertia))
        xi_i, xi_j = twist.vector, g.move_twist(pose, twist).vector
        return [(xi_j @ M_j @ xi_j, xi_i @ M_i @ xi_i), (M_j @ xi_j, g.coadjoint(pose) @ (M_i @ xi_i)), (M_i, M_i.T)]

    holds(theorem, draw.poses(), draw.inertias(), draw.twists(), tolerance=1e-11)


def test_log_cholesky_there_and_back_is_identity_on_physical_inertias(draw, holds):
    def theorem(inertia):
        x = g.log_cholesky(inertia)
        return [
            (g.inertia_from_log_cholesky(x), inertia),
            (jnp.exp(2.0 * x[0]), inertia.mass),
            (x[7:], inertia.com),
            (g.is_physical(inertia), jnp.array(True)),
        ]

    holds(theorem, draw.inertias(), tolerance=1e-10)


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.floats(-2.0, 2.0), min_size=10, max_size=10))
def test_every_vector_of_ten_numbers_is_a_physical_inertia_and_comes_back(coordinates):
    x = jnp.asarray(coordinates)
    physical, back = physical_and_back(x)
    assert physical
    np.testing.assert_allclose(back, x, atol=1e-7)


@pytest.mark.parametrize(
    "moments_about_com",
    [
        pytest.param([1.0, 1.0, 2.1, 0.0, 0.0, 0.0], id="breaks the triangle inequality"),
        pytest.param([1.0, 1.0, -0.1, 0.0, 0.0, 0.0], id="negative principal moment"),
        pytest.param([1.0, 1.0, 1.0, 1.2, 0.0, 0.0], id="indefinite"),
    ],
)
def test_impossible_inertias_are_told(moments_about_com):
    assert not physical_about_com(1.0, jnp.array([0.1, -0.2, 0.3]), jnp.asarray(moments_about_com))


@pytest.mark.parametrize(("mass", "physical"), [(1.0, True), (-1.0, False), (0.0, False), (float("nan"), False)])
def test_only_positive_mass_is_physical(mass, physical):
    assert physical_about_com(mass, jnp.zeros(3), jnp.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])) == physical


def test_inertia_agrees_with_pinocchio(draw, member):
    inertias, poses, twists = draw.inertias(), draw.poses(), draw.twists()
    linear_first = np.array([3, 4, 5, 0, 1, 2])
    for k in range(3):
        inertia, pose, twist = (member(batch, k) for batch in (inertias, poses, twists))
        theirs = in_pinocchio(inertia)
        M = pin.SE3(np.asarray(pose.rotation().as_matrix()), np.asarray(pose.translation()))
        motion = pin.Motion(np.asarray(twist.linear), np.asarray(twist.angular))
        spatial = np.asarray(g.spatial_inertia(inertia))
        ours_moved = np.asarray(g.move_inertia(pose, inertia).vector)[PINOCCHIO]
        np.testing.assert_allclose(inertia.vector[PINOCCHIO], theirs.toDynamicParameters(), atol=1e-9)
        np.testing.assert_allclose(ours_moved, M.act(theirs).toDynamicParameters(), atol=1e-9)
        np.testing.assert_allclose(spatial[np.ix_(linear_first, linear_first)], theirs.matrix(), atol=1e-9)
        np.testing.assert_allclose(twist.vector @ spatial @ twist.vector, theirs.vtiv(motion), atol=1e-9)
        np.testing.assert_allclose(g.pseudo_inertia(inertia), theirs.toPseudoInertia().toMatrix(), atol=1e-9)


def test_log_cholesky_agrees_with_pinocchio(draw):
    coordinates = np.asarray(draw.arrays(10, scale=0.5)[:5])
    ours = jax.jit(jax.vmap(lambda x: g.inertia_from_log_cholesky(x).vector))(jnp.asarray(coordinates))
    for x, phi in zip(coordinates, ours, strict=True):
        np.testing.assert_allclose(phi[PINOCCHIO], pin.LogCholeskyParameters(x).toDynamicParameters(), atol=1e-9)


def test_kinetic_energy_agrees_with_mujoco(draw, member):
    inertias, poses, velocities = draw.inertias(), draw.poses(), np.asarray(draw.arrays(6))
    for k in range(3):
        inertia, pose, velocity = member(inertias, k), member(poses, k), velocities[k]
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(mass=float(inertia.mass), ipos=np.asarray(inertia.com), explicitinertial=True)
        body.fullinertia = np.asarray(g.moments_from_matrix(inertia.matrix_about_com))  # the same order as ours
        body.add_freejoint()
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos = np.concatenate([pose.translation(), pose.rotation().wxyz])
        mujoco.mj_forward(model, data)
        momentum = np.empty(6)
        mujoco.mj_mulM(model, data, momentum, velocity)  # velocity: linear in world axes, then angular in body axes
        R = np.asarray(pose.rotation().as_matrix())
        twist = np.concatenate([velocity[3:], R.T @ velocity[:3]])
        ours = np.asarray(g.spatial_inertia(inertia)) @ twist
        np.testing.assert_allclose(np.concatenate([momentum[3:], R.T @ momentum[:3]]), ours, atol=1e-9)
