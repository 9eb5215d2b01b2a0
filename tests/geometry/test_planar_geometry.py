import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import geometry as g

physical_from_coordinates = jax.jit(lambda x: g.is_physical_planar(g.planar_inertia_from_log_cholesky(x)))


def in_space(pose):
    """A planar pose as one that turns about z."""
    return g.SE3.from_rotation_and_translation(
        g.SO3.from_z_radians(pose.rotation().log()[0]), jnp.concatenate([pose.translation(), jnp.zeros(1)])
    )


PLANE = jnp.array([2, 3, 4])  # where (omega_z, v_x, v_y) stand in a spatial vector


def planar_pair(draw):
    twist, wrench = (jax.vmap(kind.from_vector)(draw.arrays(3)) for kind in (g.PlanarTwist, g.PlanarWrench))
    return twist, wrench


def test_perp_is_a_quarter_turn_and_cross2_the_cross_product(draw, holds):
    def lift(a):
        return jnp.concatenate([a, jnp.zeros(1)])

    holds(
        lambda a, b: [
            (g.perp(a), g.SO2.from_radians(jnp.asarray(jnp.pi / 2)) @ a),
            (g.perp(g.perp(a)), -a),
            (g.cross2(a, b), jnp.cross(lift(a), lift(b))[2]),
            (g.cross2(a, g.perp(a)), a @ a),
        ],
        draw.arrays(2),
        draw.arrays(2),
    )


def test_planar_moves_are_the_spatial_ones_seen_from_above(draw, holds):
    def theorem(pose, twist, wrench):
        Ad, coAd = g.adjoint(in_space(pose)), g.coadjoint(in_space(pose))
        return [
            (g.planar_adjoint(pose), Ad[PLANE][:, PLANE]),
            (g.planar_coadjoint(pose), coAd[PLANE][:, PLANE]),
            (g.move_planar_twist(pose, twist).vector, g.planar_adjoint(pose) @ twist.vector),
            (g.move_planar_wrench(pose, wrench).vector, g.planar_coadjoint(pose) @ wrench.vector),
            (g.PlanarTwist.from_vector(twist.vector), twist),
            (g.PlanarWrench.from_vector(wrench.vector), wrench),
        ]

    holds(theorem, draw.planar_poses(), *planar_pair(draw))


def test_planar_power_is_invariant_under_a_move(draw, holds):
    holds(
        lambda pose, twist, wrench: [
            (
                g.move_planar_twist(pose, twist).vector @ g.move_planar_wrench(pose, wrench).vector,
                twist.vector @ wrench.vector,
            )
        ],
        draw.planar_poses(),
        *planar_pair(draw),
    )


def test_planar_adjoint_is_a_representation_and_jaxlies_reordered(draw, holds):
    angular_first = jnp.array([2, 0, 1])
    holds(
        lambda a, b: [
            (g.planar_adjoint(a @ b), g.planar_adjoint(a) @ g.planar_adjoint(b)),
            (g.planar_coadjoint(a), g.planar_adjoint(a.inverse()).T),
            (g.planar_adjoint(a), a.adjoint()[angular_first][:, angular_first]),
        ],
        draw.planar_poses(),
        draw.planar_poses(),
    )


def test_planar_inertia_moves_as_a_spatial_one_does(draw, holds):
    def lift(inertia):
        """A flat body: I_zz is the planar moment; how it splits into I_xx and I_yy does not matter here."""
        h = jnp.concatenate([inertia.first_moment, jnp.zeros(1)])
        half = 0.5 * inertia.moment
        o = jnp.zeros_like(half)
        return g.Inertia(inertia.mass, h, jnp.stack([half, half, inertia.moment, o, o, o]))

    def theorem(pose, inertia):
        moved, spatial = g.move_planar_inertia(pose, inertia), g.move_inertia(in_space(pose), lift(inertia))
        M = g.spatial_inertia(lift(inertia))
        return [
            (moved.vector, jnp.concatenate([spatial.vector[:3], spatial.moments[2:3]])),
            (g.planar_spatial_inertia(inertia), M[PLANE][:, PLANE]),
            (g.move_planar_inertia(pose.inverse(), moved), inertia),
            (moved.moment_about_com, inertia.moment_about_com),
            (moved.com, pose @ inertia.com),
        ]

    holds(theorem, draw.planar_poses(), draw.planar_inertias(), tolerance=1e-11)


def test_planar_kinetic_energy_is_invariant_under_a_move(draw, holds):
    def energy(inertia, twist):
        return 0.5 * twist.vector @ g.planar_spatial_inertia(inertia) @ twist.vector

    holds(
        lambda pose, inertia, twist: [
            (energy(g.move_planar_inertia(pose, inertia), g.move_planar_twist(pose, twist)), energy(inertia, twist))
        ],
        draw.planar_poses(),
        draw.planar_inertias(),
        planar_pair(draw)[0],
        tolerance=1e-11,
    )


def test_planar_log_cholesky_is_a_bijection_and_extends_to_a_round_body_in_space(draw, holds):
    def theorem(inertia, x):
        back = g.planar_inertia_from_log_cholesky
        alpha, d, t1, t2 = x
        ball = g.inertia_from_log_cholesky(jnp.stack([alpha, d, d, d, 0.0, 0.0, 0.0, t1, t2, 0.0]))
        return [
            (back(g.planar_log_cholesky(inertia)), inertia),
            (g.planar_log_cholesky(back(x)), x),
            (g.PlanarInertia.from_com(inertia.mass, inertia.com, inertia.moment_about_com), inertia),
            (back(x).moment, ball.moments[2]),
        ]

    holds(theorem, draw.planar_inertias(), draw.arrays(4, scale=0.5), tolerance=1e-10)


@settings(max_examples=50, deadline=None, database=None)
@given(st.lists(st.floats(-4.0, 4.0), min_size=4, max_size=4))
def test_every_vector_of_four_numbers_is_a_physical_planar_inertia(coordinates):
    assert physical_from_coordinates(jnp.asarray(coordinates))


@pytest.mark.parametrize("phi", [[-1.0, 0.0, 0.0, 1.0], [1.0, 2.0, 0.0, 3.9], [0.0, 0.0, 0.0, 1.0]])
def test_impossible_planar_inertias_are_told(phi):
    assert not g.is_physical_planar(g.PlanarInertia.from_vector(jnp.asarray(phi)))


def test_planar_inertia_takes_plain_numbers():
    inertia = g.PlanarInertia.from_com(2.0, jnp.array([1.0, 0.0]), 0.5)
    np.testing.assert_allclose(inertia.vector, [2.0, 2.0, 0.0, 2.5])
