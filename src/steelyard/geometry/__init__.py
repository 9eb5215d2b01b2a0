"""How do things turn and move? Rotations, poses, twists, wrenches, inertias, and states on manifolds.

SI units; quaternions w, x, y, z; twists and wrenches (angular, linear);
`pose_ji` takes coordinates in frame i to frame j.
"""

from steelyard import _jax as _jax

# isort: split
from jaxlie import SE2 as SE2
from jaxlie import SE3 as SE3
from jaxlie import SO2 as SO2
from jaxlie import SO3 as SO3

from ._dual_quaternions import DualQuaternion as DualQuaternion
from ._dual_quaternions import dual_quaternion_from_pose as dual_quaternion_from_pose
from ._dual_quaternions import dual_quaternion_from_twist as dual_quaternion_from_twist
from ._dual_quaternions import minus_matrix as minus_matrix
from ._dual_quaternions import plus_matrix as plus_matrix
from ._dual_quaternions import pose_from_dual_quaternion as pose_from_dual_quaternion
from ._groups import group_exp as group_exp
from ._groups import group_inverse as group_inverse
from ._groups import group_lift as group_lift
from ._groups import group_log as group_log
from ._groups import group_lower as group_lower
from ._groups import group_multiply as group_multiply
from ._inertia import MOMENT_ENTRIES as MOMENT_ENTRIES
from ._inertia import MOMENT_PLACES as MOMENT_PLACES
from ._inertia import Inertia as Inertia
from ._inertia import inertia_from_log_cholesky as inertia_from_log_cholesky
from ._inertia import inertia_from_pseudo_inertia as inertia_from_pseudo_inertia
from ._inertia import is_physical as is_physical
from ._inertia import log_cholesky as log_cholesky
from ._inertia import matrix_from_moments as matrix_from_moments
from ._inertia import moments_from_matrix as moments_from_matrix
from ._inertia import move_inertia as move_inertia
from ._inertia import pseudo_inertia as pseudo_inertia
from ._inertia import spatial_inertia as spatial_inertia
from ._manifold import differentiate as differentiate
from ._manifold import lift as lift
from ._manifold import local as local
from ._manifold import lower as lower
from ._manifold import retract as retract
from ._manifold import tangent_names as tangent_names
from ._manifold import tangent_size as tangent_size
from ._quaternions import quaternion_conjugate as quaternion_conjugate
from ._quaternions import quaternion_left_matrix as quaternion_left_matrix
from ._quaternions import quaternion_multiply as quaternion_multiply
from ._quaternions import quaternion_right_matrix as quaternion_right_matrix
from ._quaternions import quaternion_rotate as quaternion_rotate
from ._quaternions import rotation_from_quaternion as rotation_from_quaternion
from ._quaternions import rotation_matrix as rotation_matrix
from ._regressors import moments_times as moments_times
from ._regressors import wrench_regressor as wrench_regressor
from ._rotations import inverse_left_jacobian_so3 as inverse_left_jacobian_so3
from ._rotations import left_jacobian_so3 as left_jacobian_so3
from ._rotations import skew as skew
from ._rotations import unskew as unskew
from ._small_products import mirrored as mirrored
from ._small_products import product as product
from ._small_products import wide_product as wide_product
from ._twists import Twist as Twist
from ._twists import Wrench as Wrench
from ._twists import adjoint as adjoint
from ._twists import coadjoint as coadjoint
from ._twists import move_acceleration as move_acceleration
from ._twists import move_twist as move_twist
from ._twists import move_wrench as move_wrench
from ._twists import small_coadjoint as small_coadjoint
