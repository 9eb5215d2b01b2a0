"""What exists in NumPy as well, rotations and a load's moments, is what `geometry` has, the source of both."""

import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import _rotations as ours
from steelyard import geometry as g
from steelyard.problems.rigid_body import _possible as possible
from steelyard.team.spatial_load import _linearisation_point as load


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 1.0, 3.0])
def test_numpy_geometry_is_that_of_geometry(size):
    """Rotations by angles from zero to nearly half a revolution."""
    rng = np.random.default_rng(0)
    for v in rng.standard_normal((5, 3)):
        v = size * v / np.linalg.norm(v)
        rotation, x = g.group_exp(g.SO3, jnp.asarray(v)), rng.standard_normal(3)
        R, moments = np.asarray(g.rotation_matrix(rotation)), rng.standard_normal(6)
        q = np.asarray(rotation.wxyz)
        np.testing.assert_allclose(ours.skew(v), g.skew(jnp.asarray(v)), atol=1e-15)
        np.testing.assert_allclose(ours.cross(v, x), np.cross(v, x), atol=1e-15)
        np.testing.assert_allclose(ours.exp_so3(v), R, atol=1e-12)
        np.testing.assert_allclose(ours.log_so3(R), g.group_log(rotation), atol=1e-9)
        np.testing.assert_allclose(ours.quaternion_from_matrix(R), q * np.sign(q[0]), atol=1e-12)
        np.testing.assert_allclose(ours.matrices(np.stack([q, -q])), np.stack([R, R]), atol=1e-12)
        np.testing.assert_array_equal(ours.matrix(q), ours.matrices(q[None])[0])
        np.testing.assert_allclose(ours.rotation_vector(-q), g.group_log(rotation), atol=1e-9)
        p = rng.standard_normal(4)
        expected = g.quaternion_multiply(jnp.asarray(p), jnp.asarray(q))
        np.testing.assert_allclose(ours.quaternion_product(p, q), expected, atol=1e-14)
        np.testing.assert_allclose(load.moments_times(x), g.moments_times(jnp.asarray(x)))
        np.testing.assert_allclose(load.matrix_from_moments(moments), g.matrix_from_moments(jnp.asarray(moments)))


def test_many_matrices_give_the_quaternions_of_each():
    """Whichever component is the largest, and half a revolution; a matrix of NaN spoils its own row only."""
    q = np.concatenate([np.random.default_rng(1).standard_normal((200, 4)), np.eye(4), [[0.0, 1.0, -1.0, 0.0]]])
    R = ours.matrices(q / np.linalg.norm(q, axis=1, keepdims=True))
    R[7] = np.nan
    found = ours.quaternion_from_matrix(R)
    each = np.stack([ours.quaternion_from_matrix(one) for one in R])
    np.testing.assert_allclose(found, each, rtol=0, atol=4e-16)  # processors add up vectors in their own order
    np.testing.assert_allclose(ours.matrices(found), R, atol=1e-12)
    assert np.all(found[np.arange(len(R)) != 7, 0] >= 0.0)
    well = np.delete(R, [7, 201, 202, 203, 204], axis=0)  # of half a revolution rounding decides the sign
    np.testing.assert_allclose(ours.log_so3(well), [ours.log_so3(one) for one in well], rtol=0, atol=1e-14)


def test_pseudo_inertia_is_that_of_geometry():
    vector = np.random.default_rng(2).standard_normal(10)
    matrix = np.asarray(g.pseudo_inertia(g.Inertia.from_vector(jnp.asarray(vector))))
    np.testing.assert_allclose(possible.pseudo_inertia(vector), matrix, atol=1e-14)
    np.testing.assert_allclose(possible.load_of(matrix), vector, atol=1e-14)
