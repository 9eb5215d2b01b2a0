"""Model predictive control of a quadrotor by thrust and body rates, with bounds: one iteration a command."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import SO3, differentiate, local, product
from steelyard.models import Multirotor, MultirotorControl, MultirotorState
from steelyard.worlds.multirotor._tuning import WORLD


@dataclasses.dataclass(frozen=True)
class MpcTuning:
    """Horizon, effort and weights of the controller."""

    nodes: int = 20
    spacing: float = 0.1
    """Between nodes, s: with 20 nodes a horizon of two seconds."""
    iterations: int = 2
    """A command; each starts from the last command's plan, so two are enough."""
    step_shares: tuple[float, ...] = (1.0, 0.5, 0.2, 0.0)
    """Of a change of the plan, from which the line search chooses; 0 keeps the plan."""
    state_weights: tuple[float, ...] = (50.0,) * 3 + (200.0, 200.0, 500.0) + (10.0,) * 3
    """Of squared errors of attitude (1/rad²), position (1/m²) and velocity (s²/m²)."""
    input_weights: tuple[float, ...] = (1.0,) * 4
    """Of squared differences of thrust by mass (s⁴/m²) and body rates (s²/rad²) from the reference's."""


TUNING = MpcTuning()


class Pose(eqx.Module):
    """Ten numbers, nine degrees of freedom: what the controller thinks is moving."""

    attitude: SO3
    position: Float[Array, "*node 3"]
    velocity: Float[Array, "*node 3"]


Inputs = Float[Array, "4"]
"""Thrust by mass, m/s², and body rates, rad/s."""


class Plan(eqx.Module):
    """Inputs from now on."""

    inputs: Float[Array, "node 4"]


def begin() -> Plan:
    """Hover."""
    return Plan(jnp.tile(jnp.array([9.81, 0.0, 0.0, 0.0]), (TUNING.nodes, 1)))


def replan(plan: Plan, now: Pose, wanted: Pose, wanted_inputs: Float[Array, "node 4"], elapsed: float) -> Plan:
    """A better plan than that of `elapsed` seconds ago; `wanted` has a node more than the inputs.

    Twice: a rollout of the plan, a quadratic model around it, the optimal change under the bounds found backwards node
    by node [tassa14], and of that change as much as pays. Each command starts from the last, so twice is enough.
    """
    share = elapsed / TUNING.spacing
    later = jnp.concatenate([plan.inputs[1:], plan.inputs[-1:]])
    inputs = _bounded((1.0 - share) * plan.inputs + share * later)
    for _ in range(TUNING.iterations):
        rollout, last = _roll_out(now, inputs)
        change = _backwards(rollout, last, inputs, wanted, wanted_inputs)
        inputs = _forwards(now, rollout, inputs, change, wanted, wanted_inputs)
    return Plan(inputs)


class _Rollout(eqx.Module):
    """Where a plan leads, and how errors go along."""

    pose: Pose
    F: Float[Array, "*node state state"]
    G: Float[Array, "*node state 4"]


class _Change(eqx.Module):
    """What to add to the inputs of a plan."""

    inputs: Float[Array, "*node 4"]
    feedback: Float[Array, "*node 4 state"]


def _dynamics(pose: Pose, inputs: Inputs) -> Pose:
    """A flat quadrotor of the nominal mass, without drag: the thrust is by mass already."""
    none = jnp.zeros(0)
    state = MultirotorState(pose.attitude, pose.position, pose.velocity, jnp.zeros(()), none, none)
    after = Multirotor().dynamics(state, MultirotorControl(inputs[0], inputs[1:]), TUNING.spacing)
    return Pose(after.attitude, after.position, after.velocity)


def _bounded(inputs: Float[Array, "*node 4"]) -> Float[Array, "*node 4"]:
    low, high = _bounds()
    return jnp.clip(inputs, jnp.broadcast_to(low, inputs.shape), jnp.broadcast_to(high, inputs.shape))


def _bounds() -> tuple[Inputs, Inputs]:
    most = jnp.array(WORLD.most_rates)
    low, high = (jnp.asarray(bound)[None] for bound in WORLD.thrust_by_mass)
    return jnp.concatenate([low, -most]), jnp.concatenate([high, most])


def _roll_out(now: Pose, inputs: Float[Array, "node 4"]) -> tuple[_Rollout, Pose]:
    def step(pose, u):
        after, jacobian = differentiate(_dynamics, pose, u)
        return after, _Rollout(pose, jacobian[:, :9], jacobian[:, 9:])

    last, rollout = jax.lax.scan(step, now, inputs)
    return rollout, last


def _backwards(
    rollout: _Rollout, last: Pose, inputs: Float[Array, "node 4"], wanted: Pose, wanted_inputs: Float[Array, "node 4"]
) -> _Change:
    """The value of being off the plan, from the last node to the first, and the best change at each."""
    Q, R = jnp.asarray(TUNING.state_weights), jnp.asarray(TUNING.input_weights)
    low, high = _bounds()
    at_nodes, at_end = (jax.tree.map(lambda leaf, k=k: leaf[k], wanted) for k in (slice(None, -1), -1))

    def node(value, given):
        V, v = value
        here, u, want, want_u = given
        F, G = here.F, here.G
        VF, VG = product(V, F), product(V, G)
        Q_xx = jnp.diag(Q) + product(F.T, VF)
        Q_uu = jnp.diag(R) + product(G.T, VG)
        Q_ux = product(G.T, VF)
        q_x = Q * local(want, here.pose) + product(F.T, v)
        q_u = R * (u - want_u) + product(G.T, v)
        k, K = _within_bounds(Q_uu, q_u, Q_ux, low - u, high - u)
        V = Q_xx + product(K.T, product(Q_uu, K)) + product(K.T, Q_ux) + product(Q_ux.T, K)
        v = q_x + product(K.T, product(Q_uu, k)) + product(K.T, q_u) + product(Q_ux.T, k)
        return (0.5 * (V + V.T), v), _Change(k, K)

    end = jnp.diag(Q), Q * local(at_end, last)
    return jax.lax.scan(node, end, (rollout, inputs, at_nodes, wanted_inputs), reverse=True)[1]


def _within_bounds(Q_uu, q_u, Q_ux, low, high) -> tuple[Inputs, Float[Array, "4 state"]]:
    """The change within bounds that costs least, by projected Newton steps; inputs at a bound give no feedback."""
    k, free = jnp.zeros(4), jnp.ones(4, bool)
    for _ in range(3):
        at_bound = jnp.where(free, 0.0, k)
        k = jnp.clip(_solve(Q_uu, free, -(q_u + product(Q_uu, at_bound))) + at_bound, low, high)
        gradient = q_u + product(Q_uu, k)
        free = ~(((k <= low) & (gradient > 0)) | ((k >= high) & (gradient < 0)))
    return k, _solve(Q_uu, free, -Q_ux)


def _solve(A: Float[Array, "4 4"], free, b: Float[Array, "4 *more"]) -> Float[Array, "4 *more"]:
    """`A x = b` in the free coordinates, zero in the others; Gauss without pivots, for `A` is positive definite."""
    both = free[:, None] & free[None, :]
    A = jnp.where(both, A, jnp.eye(4))
    columns = b.reshape(4, -1)
    rows = [jnp.concatenate([A[i], jnp.where(free[i], columns[i], 0.0)]) for i in range(4)]
    for i in range(4):
        rows[i] = rows[i] / rows[i][i]
        rows = [row if j == i else row - row[i] * rows[i] for j, row in enumerate(rows)]
    return jnp.stack([row[4:] for row in rows]).reshape(b.shape)


def _forwards(
    now: Pose,
    rollout: _Rollout,
    inputs: Float[Array, "node 4"],
    change: _Change,
    wanted: Pose,
    wanted_inputs: Float[Array, "node 4"],
) -> Float[Array, "node 4"]:
    """The inputs with the share of the change that costs least when it is flown."""
    Q, R = jnp.asarray(TUNING.state_weights), jnp.asarray(TUNING.input_weights)
    later = jax.tree.map(lambda leaf: leaf[1:], wanted)

    def flown(share):
        def step(pose, given):
            was, u, best, want, want_u = given
            u = _bounded(u + share * best.inputs + product(best.feedback, local(was, pose)))
            pose = _dynamics(pose, u)
            return pose, (u, jnp.sum(Q * local(want, pose) ** 2) + jnp.sum(R * (u - want_u) ** 2))

        _, (tried, cost) = jax.lax.scan(step, now, (rollout.pose, inputs, change, later, wanted_inputs))
        return tried, jnp.sum(cost)

    tried, cost = jax.vmap(flown)(jnp.asarray(TUNING.step_shares))
    return tried[jnp.argmin(cost)]
