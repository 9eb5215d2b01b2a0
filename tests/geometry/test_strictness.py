"""What every function of the room promises JAX and the C generator, proved on all of them in one trace."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxprs_in_params

from steelyard import geometry as g

HARD = {"gather", "scatter", "while", "cond", "scan", "sort", "pure_callback", "custom_call"}
LAPACK = {"cholesky", "triangular_solve", "lu", "eigh", "eig", "svd", "qr", "householder_product", "schur"}


def everything(x):
    """All of the room as one function of 40 numbers; at zero: no rotation, no motion, a ball of 1 kg."""
    pose, other = g.group_exp(g.SE3, x[:6]), g.group_exp(g.SE3, x[6:12])
    planar = g.group_exp(g.SE2, x[:3])
    twist, acceleration = g.Twist.from_vector(x[12:18]), g.Twist.from_vector(x[18:24])
    wrench = g.Wrench.from_vector(x[24:30])
    inertia = g.inertia_from_log_cholesky(x[30:40])
    dual = g.dual_quaternion_from_pose(pose)
    state = {"pose": other, "planar": planar, "vector": x[:2]}
    return {
        "jacobians": [f(x[:3]) for f in (g.left_jacobian_so3, g.inverse_left_jacobian_so3)],
        "group_multiply": g.group_multiply(pose, other).parameters(),
        "retract": jax.tree.leaves(g.retract(state, x[: g.tangent_size(state)])),
        "local": g.local(state, {"pose": pose, "planar": planar, "vector": x[2:4]}),
        "quaternion": g.quaternion_multiply(pose.rotation().wxyz, other.rotation().wxyz),
        "rotation_from_quaternion": g.rotation_from_quaternion(pose.rotation().wxyz).wxyz,
        "dual": [(dual * dual).vector, g.plus_matrix(dual), g.minus_matrix(dual)],
        "pose_from_dual": g.pose_from_dual_quaternion(dual).parameters(),
        "dual_of_twist": (g.dual_quaternion_from_twist(twist) * dual.quaternion_conjugate).vector,
        "adjoint": [g.adjoint(pose), g.coadjoint(pose), g.small_coadjoint(twist)],
        "move": [g.move_twist(pose, twist).vector, g.move_wrench(pose, wrench).vector],
        "move_acceleration": g.move_acceleration(pose, twist, acceleration).vector,
        "inertia": [inertia.com, inertia.matrix_about_com, g.pseudo_inertia(inertia), g.spatial_inertia(inertia)],
        "log_cholesky": g.log_cholesky(g.move_inertia(pose, inertia)),
        "regressors": g.wrench_regressor(twist, acceleration),
    }


def test_derivatives_are_finite_at_zero_rotation_and_zero_motion(quick_jit):
    """One direction each way is enough: a NaN in any entry of the Jacobian spreads to it."""

    def both(x):
        y, push = jax.linearize(everything, x)
        (backward,) = jax.linear_transpose(push, x)(jax.tree.map(jnp.ones_like, y))
        return push(jnp.ones_like(x)), backward

    forward, backward = quick_jit(both)(jnp.zeros(40))
    for name, derivative in forward.items():
        for leaf in jax.tree.leaves(derivative):
            assert np.all(np.isfinite(leaf)), name
    assert np.all(np.isfinite(backward))


def primitives(jaxpr):
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for inner in jaxprs_in_params(equation.params):
            yield from primitives(inner)


def test_values_need_neither_lapack_nor_gathers_nor_loops():
    names = set(primitives(jax.make_jaxpr(everything)(jnp.zeros(40)).jaxpr))
    assert "dot_general" in names
    assert not names & (HARD | LAPACK)


def test_physicality_needs_neither():
    def physical(phi):
        return g.is_physical(g.Inertia.from_vector(phi))

    assert not set(primitives(jax.make_jaxpr(physical)(jnp.ones(10)).jaxpr)) & (HARD | LAPACK)


def test_everything_is_float64():
    assert {leaf.dtype for leaf in jax.tree.leaves(jax.eval_shape(everything, jnp.zeros(40)))} == {jnp.dtype("float64")}
