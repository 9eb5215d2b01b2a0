"""A load that several robots hold, written from `geometry` and `models.RigidLoad` alone; Jacobians by autodiff.

The referee of `team/spatial_load`: it shares no code with it but the order of the coordinates.
"""

from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard import estimators as e
from steelyard.geometry import (
    SE3,
    SO3,
    Inertia,
    Twist,
    Wrench,
    group_exp,
    group_inverse,
    group_multiply,
    inertia_from_log_cholesky,
    log_cholesky,
    matrix_from_moments,
    move_acceleration,
    move_twist,
    move_wrench,
    rotation_matrix,
)
from steelyard.information import cramer_rao
from steelyard.models import Model, Numbers, RigidLoad, RigidLoadState

SensorsName = Literal["paper", "realistic"]
LOAD = slice(0, 10)
"""Of the coordinates of a point; three of the vertical follow, then six of every robot but the first."""
FIRST_POSE = 13


def inertia_of(load: Array) -> Inertia:
    """Of half the logarithm of the mass, second moments xx, yy, zz, xy, xz, yz a mass, and the centre of mass."""
    m, S = jnp.exp(2.0 * load[0]), matrix_from_moments(load[1:7])
    return Inertia.from_com(m, load[7:], m * (jnp.trace(S) * jnp.eye(3) - S))


def load_coordinates(inertia: Inertia) -> Array:
    """The inverse of `inertia_of`."""
    I, upper = inertia.matrix_about_com, (jnp.array([0, 1, 2, 0, 0, 1]), jnp.array([0, 1, 2, 1, 2, 2]))
    S = (0.5 * jnp.trace(I) * jnp.eye(3) - I) / inertia.mass
    return jnp.concatenate([0.5 * jnp.log(inertia.mass)[None], S[upper], inertia.com])


def proper_acceleration(load: Array, omega: Array, wrench: Array) -> Array:
    """(6,): angular acceleration and specific force of the first frame under a total wrench, by `RigidLoad`."""
    nothing = jnp.zeros(0)
    state = RigidLoadState(SO3.identity(), omega, jnp.zeros(3), log_cholesky(inertia_of(load)), wrench, nothing)
    return jnp.concatenate(RigidLoad().felt(state, wrench))


def poses_at(R: np.ndarray, t: np.ndarray, step: Array) -> SE3:
    """Everybody's frame in the first one's (leading axis: robot), after a step of a point's coordinates."""
    parts = jnp.concatenate([jnp.zeros((1, 6)), step[FIRST_POSE:].reshape(-1, 6)])

    def moved(R_1j, t_1j, part):
        turned = group_multiply(SO3.from_matrix(R_1j), group_exp(SO3, part[3:]))
        return SE3.from_rotation_and_translation(turned, t_1j + part[:3])

    return jax.vmap(moved)(jnp.asarray(R), jnp.asarray(t), parts)


def total_wrench(poses: SE3, wrenches: Array) -> Array:
    """(6,): everybody's wrench (robot, 6) as one, in the first frame."""
    return jnp.sum(jax.vmap(lambda pose, w: move_wrench(pose, Wrench.from_vector(w)).vector)(poses, wrenches), axis=0)


def readings(poses: SE3, omega: Array, v: Array, acceleration: Array) -> Array:
    """(robot, 9): twist and specific force in everybody's frame."""
    twist, moving = Twist(omega, v), Twist.from_vector(acceleration)

    def read(pose: SE3) -> Array:
        back = group_inverse(pose)
        return jnp.concatenate([move_twist(back, twist).vector, move_acceleration(back, twist, moving).linear])

    return jax.vmap(read)(poses)


class Situation(NamedTuple):
    """A point and an instant of its motion, drawn at random."""

    load: np.ndarray
    R: np.ndarray
    t: np.ndarray
    motion: np.ndarray
    """(9,): angular velocity, velocity and gravity in the first frame."""
    wrenches: np.ndarray
    """(robot, 6)."""


def situation(robots: int, seed: int) -> Situation:
    """A possible load of any shape, frames turned by any angle."""
    rng = np.random.default_rng(seed)
    A = 0.4 * rng.standard_normal((3, 3))
    S = A @ A.T + 0.02 * np.eye(3)
    load = np.array(
        [0.5 * np.log(rng.uniform(0.5, 5.0)), *S[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], *rng.normal(size=3)]
    )
    R = np.stack([np.asarray(rotation_matrix(group_exp(SO3, jnp.asarray(v)))) for v in rng.normal(size=(robots, 3))])
    t = rng.normal(size=(robots, 3))
    R[0], t[0] = np.eye(3), 0.0
    motion = np.concatenate([rng.normal(size=6), 9.81 * (down := rng.normal(size=3)) / np.linalg.norm(down)])
    return Situation(load, R, t, motion, 5.0 * rng.normal(size=(robots, 6)))


def size_of(at: Situation) -> int:
    """How many coordinates a point has."""
    return FIRST_POSE + 6 * (len(at.t) - 1)


def acceleration_after(at: Situation, step: Array, motion: Array) -> Array:
    """(6,): `proper_acceleration` after a step of the point, at a motion."""
    return proper_acceleration(
        at.load + step[LOAD], motion[:3], total_wrench(poses_at(at.R, at.t, step), jnp.asarray(at.wrenches))
    )


def readings_after(at: Situation, step: Array, motion: Array, error: Array) -> Array:
    """(robot, 9): readings after a step of the point, at a motion, with an error (6,) added to the total wrench."""
    poses = poses_at(at.R, at.t, step)
    felt = proper_acceleration(at.load + step[LOAD], motion[:3], total_wrench(poses, jnp.asarray(at.wrenches)) + error)
    return readings(poses, motion[:3], motion[3:6], felt)


def rate_after(at: Situation, step: Array, motion: Array) -> Array:
    """(9,): the derivative of the motion in time, after a step of the point."""
    felt, omega = acceleration_after(at, step, motion), motion[:3]
    velocity = felt[3:] - jnp.cross(omega, motion[3:6]) + motion[6:]
    return jnp.concatenate([felt[:3], velocity, -jnp.cross(omega, motion[6:])])


class Derivatives(NamedTuple):
    """Values at a situation, and Jacobians by the point's coordinates, the motion and an error of the total wrench."""

    acceleration: Array
    acceleration_by: tuple[Array, Array]
    """By point and motion."""
    readings: Array
    readings_by: tuple[Array, Array, Array]
    """By point, motion and error."""
    rate: Array
    rate_by_motion: Array
    total_by_wrenches: Array
    """(6, robot, 6)."""


@jax.jit
def derivatives(at: Situation) -> Derivatives:
    """All by forward-mode differentiation."""
    step, motion, error = jnp.zeros(size_of(at)), jnp.asarray(at.motion), jnp.zeros(6)
    return Derivatives(
        acceleration_after(at, step, motion),
        jax.jacfwd(lambda *x: acceleration_after(at, *x), (0, 1))(step, motion),
        readings_after(at, step, motion, error),
        jax.jacfwd(lambda *x: readings_after(at, *x), (0, 1, 2))(step, motion, error),
        rate_after(at, step, motion),
        jax.jacfwd(lambda x: rate_after(at, step, x))(motion),
        jax.jacfwd(lambda w: total_wrench(poses_at(at.R, at.t, step), w))(jnp.asarray(at.wrenches)),
    )


@jax.jit
def flow_and_jacobians(at: Situation, h: Array) -> tuple[Array, tuple[Array, Array]]:
    """`flow`, and its Jacobians by point and motion."""
    step, motion = jnp.zeros(size_of(at)), jnp.asarray(at.motion)
    return flow(at, step, motion, h), jax.jacfwd(lambda *x: flow(at, *x, h), (0, 1))(step, motion)


def flow(at: Situation, step: Array, motion: Array, h: Array) -> Array:
    """(9,): the motion h seconds later under constant wrenches, to rounding: eight Runge-Kutta steps."""
    dt = h / 8.0

    def one(_, motion):
        k1 = rate_after(at, step, motion)
        k2 = rate_after(at, step, motion + 0.5 * dt * k1)
        k3 = rate_after(at, step, motion + 0.5 * dt * k2)
        k4 = rate_after(at, step, motion + dt * k3)
        return motion + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    return jax.lax.fori_loop(0, 8, one, motion)


class TeamState(eqx.Module):
    """Motion, load, poses and everybody's wrench; all in the first robot's frame but the wrenches."""

    attitude: SO3
    angular: Float[Numbers, "3"]
    linear: Float[Numbers, "3"]
    log_cholesky: Float[Numbers, "10"]
    positions: Float[Numbers, " other"]
    """Three of every robot but the first."""
    rotations: tuple[SO3, ...]
    wrenches: Float[Numbers, " wrench"]


class TeamModel(Model):
    """`RigidLoad` held by several robots, each of which reads twist and specific force and reports its wrench."""

    inner: RigidLoad = RigidLoad()

    def _poses(self, state: TeamState) -> SE3:
        t = jnp.concatenate([jnp.zeros(3), jnp.asarray(state.positions)]).reshape(-1, 3)
        q = jnp.stack([SO3.identity().wxyz, *(R.wxyz for R in state.rotations)])
        return SE3(jnp.concatenate([q, t], axis=1))

    def _single(self, state: TeamState, wrenches) -> RigidLoadState:
        total = total_wrench(self._poses(state), jnp.asarray(wrenches).reshape(-1, 6))
        return RigidLoadState(state.attitude, state.angular, state.linear, state.log_cholesky, total, jnp.zeros(0))

    def dynamics(self, state: TeamState, control, dt) -> TeamState:
        """`RigidLoad`'s midpoint rule."""
        total = total_wrench(self._poses(state), jnp.asarray(control).reshape(-1, 6))
        moved = self.inner.dynamics(self._single(state, state.wrenches), total, dt)
        return TeamState(
            moved.attitude, moved.angular, moved.linear, state.log_cholesky, state.positions, state.rotations, control
        )

    def observe(self, state: TeamState, control):
        """Everybody's twist and specific force, nine numbers each."""
        del control
        single = self._single(state, state.wrenches)
        felt = jnp.concatenate(self.inner.felt(single, jnp.asarray(single.wrench)))
        return readings(self._poses(state), jnp.asarray(state.angular), jnp.asarray(state.linear), felt).reshape(-1)

    def idle(self, state: TeamState):
        """What acted last goes on."""
        return jnp.asarray(state.wrenches)


def bound_by_information(truth, noises: np.ndarray) -> np.ndarray:
    """(param, param) of load and poses: the Cramér-Rao bound by `information` along the true motion.

    Nothing is known before: attitude, twist, load and poses are free. Coordinates as in `situation`, the vertical left
    out.
    """
    robots, R_w = truth.readings.shape[1], jnp.asarray(truth.attitude[0])
    load = Inertia.from_com(float(truth.mass[0]), jnp.asarray(truth.com[0, 0]), jnp.asarray(truth.inertia[0, 0]))
    state = TeamState(
        SO3.from_matrix(R_w[0]),
        jnp.asarray(truth.readings[0, 0, :3]),
        jnp.asarray(truth.readings[0, 0, 3:6]),
        log_cholesky(load),
        jnp.asarray(((truth.grips - truth.grips[0]) @ truth.turns[0])[1:].reshape(-1)),
        tuple(SO3.from_matrix(R_w[0].T @ R_w[j]) for j in range(1, robots)),
        jnp.asarray(truth.wrenches[0].reshape(-1)),
    )
    free, others = 9 + 10, 6 * (robots - 1)
    std = jnp.concatenate([jnp.full(free + others, jnp.inf), jnp.ones(6 * robots)])
    reading, wrench = np.tile(np.repeat(noises[:3], 3), robots), np.tile(np.repeat(noises[3:], 3), robots)
    noise = e.Noise(jnp.asarray(reading), jnp.asarray(wrench), jnp.zeros(len(std)), jnp.asarray(wrench))
    n = len(truth.time)
    samples = e.Sample(
        jnp.asarray(np.diff(truth.time, prepend=truth.time[0])),
        jnp.asarray(truth.wrenches.reshape(n, -1)),
        jnp.asarray(truth.readings.reshape(n, -1)),
    )
    C = cramer_rao(TeamModel(), noise, e.Guess(state, std), samples).covariance
    at = [*range(9, 19)]
    for j in range(robots - 1):
        at += [19 + 3 * j + k for k in range(3)] + [19 + 3 * (robots - 1) + 3 * j + k for k in range(3)]
    J = np.eye(len(at))
    J[LOAD, LOAD] = jax.jacfwd(lambda theta: load_coordinates(inertia_from_log_cholesky(theta)))(log_cholesky(load))
    return J @ C[np.ix_(at, at)] @ J.T


def bound_difference(
    robots: int, seconds: float, sensors: SensorsName, rate: float = 100.0
) -> tuple[np.ndarray, np.ndarray]:
    """By direction, ratios of the variances of the team's bound and the referee's; and of every standard deviation."""
    from steelyard.planning import true_linearisation_point
    from steelyard.team import noise_free_information
    from steelyard.worlds import SpatialScenario, spatial_truth

    hold = SpatialScenario(robots=robots, duration=seconds, sensors=sensors, rate=rate)
    truth, noises = spatial_truth(hold, 5), np.array(hold.noises)
    down = truth.attitude[:, 0].transpose(0, 2, 1) @ np.array([0.0, 0.0, -9.81])
    S = noise_free_information(
        true_linearisation_point(truth, 0), truth.time, truth.readings, truth.wrenches, down, noises
    )
    ours, theirs = np.linalg.pinv(S, hermitian=True), bound_by_information(truth, noises)
    keep = np.r_[0:10, 13 : len(S)]
    ours = ours[np.ix_(keep, keep)]
    root = np.linalg.cholesky(theirs)
    whitened = np.linalg.solve(root, np.linalg.solve(root, ours).T)
    return np.linalg.eigvalsh(0.5 * (whitened + whitened.T)), np.sqrt(np.diag(ours) / np.diag(theirs))
