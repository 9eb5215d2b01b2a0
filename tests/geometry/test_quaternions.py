import jax.numpy as jnp
import numpy as np
import pinocchio as pin

from steelyard import geometry as g


def test_product_is_associative_and_bilinear_with_a_unit(draw, holds):
    one = jnp.array([1.0, 0.0, 0.0, 0.0])
    mul = g.quaternion_multiply
    holds(
        lambda a, b, c: [
            (mul(mul(a, b), c), mul(a, mul(b, c))),
            (mul(a, b + c), mul(a, b) + mul(a, c)),
            (mul(a, one), a),
            (mul(one, a), a),
        ],
        *(draw.arrays(4) for _ in range(3)),
    )


def test_left_and_right_matrices_represent_the_product_and_commute(draw, holds):
    plus, minus = g.quaternion_left_matrix, g.quaternion_right_matrix
    holds(
        lambda a, b: [
            (plus(a) @ b, g.quaternion_multiply(a, b)),
            (minus(b) @ a, g.quaternion_multiply(a, b)),
            (plus(a) @ minus(b), minus(b) @ plus(a)),
            (plus(g.quaternion_multiply(a, b)), plus(a) @ plus(b)),
            (minus(g.quaternion_multiply(a, b)), minus(b) @ minus(a)),
            (plus(g.quaternion_conjugate(a)), plus(a).T),
        ],
        draw.arrays(4),
        draw.arrays(4),
    )


def test_conjugate_turns_products_round_and_gives_the_squared_length(draw, holds):
    mul, star = g.quaternion_multiply, g.quaternion_conjugate
    holds(
        lambda a, b: [
            (star(mul(a, b)), mul(star(b), star(a))),
            (mul(a, star(a)), jnp.stack([a @ a, 0.0, 0.0, 0.0])),
        ],
        draw.arrays(4),
        draw.arrays(4),
    )


def test_a_unit_quaternion_rotates_as_its_matrix_and_its_sandwich(draw, holds):
    def theorem(q, b):
        sandwich = g.quaternion_multiply(
            g.quaternion_multiply(q, jnp.concatenate([jnp.zeros(1), b])), g.quaternion_conjugate(q)
        )
        R = g.rotation_from_quaternion(q)
        return [(g.quaternion_rotate(q, b), R.as_matrix() @ b), (g.quaternion_rotate(q, b), sandwich[1:])]

    holds(theorem, draw.quaternions(), draw.arrays(3))


def test_the_product_of_quaternions_is_the_product_of_rotations(draw, holds):
    holds(
        lambda a, b: [(g.quaternion_multiply(a.wxyz, b.wxyz), (a @ b).wxyz)],
        draw.rotations(),
        draw.rotations(),
    )


def test_length_and_sign_of_a_quaternion_do_not_change_its_rotation(draw, holds):
    def matrix(q):
        return g.rotation_from_quaternion(q).as_matrix()

    holds(lambda q: [(matrix(3.0 * q), matrix(q)), (matrix(-q), matrix(q))], draw.quaternions())


def test_quaternions_agree_with_pinocchio(draw):
    q = np.asarray(draw.quaternions()[0])
    R = pin.Quaternion(*q).toRotationMatrix()
    np.testing.assert_allclose(g.rotation_from_quaternion(jnp.asarray(q)).as_matrix(), R, atol=1e-12)
