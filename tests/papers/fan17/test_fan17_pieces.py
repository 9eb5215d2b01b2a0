"""The pieces of the spatial paper, as theorems."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from spatial_world import COM, INERTIA, MASS, SpatialWorld

from steelyard import geometry as g
from steelyard.papers.fan17 import robots as f
from steelyard.team import Graph

NAMES = ("r1", "r2", "r3", "r4", "r5")
WORLD = SpatialWorld(NAMES, 2.0)


def pose_of(R, t):
    return g.SE3.from_rotation_and_translation(g.SO3.from_matrix(jnp.asarray(R)), jnp.asarray(t))


def quaternion(R):
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z]) * (1.0 if w >= 0 else -1.0)


def felt_by(i):
    """Every row of robot i's own readings with the total wrench and α as they truly are, in its frame."""
    R, p, rows, total = WORLD.R_bi[i], WORLD.p_b[i], WORLD.readings(i), WORLD.total()
    torque = total[:, :3] - np.cross(p, total[:, 3:])
    return np.concatenate([rows[:, :3], rows[:, 6:9], WORLD.alpha @ R, torque @ R, total[:, 3:] @ R], axis=1)


def sums_of(own, its, rows=slice(None)):
    sums = f.PoseSums.nothing()
    for mine, theirs in zip(own[rows], its[rows], strict=True):
        sums = sums.add(theirs[:6], mine[:6])
    return sums


def stacked(a, b):
    """H_q of every row, one below the other."""
    H_q = jax.vmap(lambda a, b: f.H_pose(g.Twist(a, jnp.zeros(3)), g.Twist(b, jnp.zeros(3)))[:4, :4])
    return np.asarray(H_q(jnp.asarray(a), jnp.asarray(b))).reshape(-1, 4)


def test_the_pose_observation_vanishes_for_the_true_pose():
    R, t = WORLD.pose(0, 1)
    x = g.dual_quaternion_from_pose(pose_of(R, t)).vector
    own, its = WORLD.readings(0), WORLD.readings(1)
    for k in (3, 50, 170):
        H = f.H_pose(*(g.Twist.from_vector(jnp.asarray(rows[k, :6])) for rows in (its, own)))
        np.testing.assert_allclose(H @ x, 0.0, atol=1e-12)


def test_the_recursive_filter_is_batch_least_squares():
    """On noisy twists: the last right singular vector of all rows, then q_d in the complement of q_r."""
    rng = np.random.default_rng(1)
    own, its = (rows[:, :6] + 0.4 * rng.standard_normal((len(rows), 6)) for rows in map(WORLD.readings, (0, 1)))
    fit = f.fit_pose(sums_of(own, its), 0.4, 0.4)
    H_w, H_v = stacked(its[:, :3], own[:, :3]), stacked(its[:, 3:], own[:, 3:])
    q_r = np.linalg.svd(H_w)[2][-1]
    q_r = q_r * np.sign(q_r[0])
    free = np.linalg.svd(q_r[None])[2][1:].T
    q_d = free @ np.linalg.lstsq(H_w @ free, -H_v @ q_r, rcond=None)[0]
    np.testing.assert_allclose(fit.q_real, q_r, atol=1e-9)
    pose = g.pose_from_dual_quaternion(g.DualQuaternion(jnp.asarray(q_r), jnp.asarray(q_d)))
    np.testing.assert_allclose(fit.t_ji, pose.translation(), atol=1e-9)


def test_noise_turns_a_pose_by_what_the_filter_says_and_shrinks_it_by_the_noise_in_its_sums():
    """Over 200 noisy runs; noise adds 6 σ² a sample to P⁻¹, the same in every direction."""
    (R, t), noise, rng = WORLD.pose(0, 1), 0.1, np.random.default_rng(2)
    rows = [WORLD.readings(k)[:, :6] for k in (0, 1)]
    turned, places = [], []
    for _ in range(200):
        own, its = (clean + noise * rng.standard_normal(clean.shape) for clean in rows)
        z = np.concatenate([its[:, :3], own[:, :3], its[:, 3:], own[:, 3:]], axis=1)
        fit = f.fit_pose(f.PoseSums(z.T @ z, len(z)), noise, noise)
        R_fit = Rotation.from_quat(np.roll(fit.q_real, -1)).as_matrix()
        turned.append(Rotation.from_matrix(R_fit @ R.T).as_rotvec() / fit.rotation_std)
        places.append(fit.t_ji)
    # The mean of 600 squares of unit normals scatters by 0.06: four times that.
    assert np.mean(np.square(turned)) == pytest.approx(1.0, abs=0.24)
    H_w = stacked(rows[1][:, :3], rows[0][:, :3])
    Lambda, more = H_w.T @ H_w, 6 * noise**2 * len(rows[0])
    dual = g.dual_quaternion_from_pose(pose_of(R, t))
    free = np.linalg.svd(np.asarray(dual.real)[None])[2][1:].T
    shrunk = free @ np.linalg.solve(free.T @ Lambda @ free + more * np.eye(3), free.T @ Lambda @ np.asarray(dual.dual))
    expected = g.pose_from_dual_quaternion(g.DualQuaternion(dual.real, jnp.asarray(shrunk))).translation()
    scatter = np.std(places, axis=0) / np.sqrt(200)
    assert np.all(np.abs(np.mean(places, axis=0) - expected) < 4 * scatter)
    assert np.any(np.abs(np.mean(places, axis=0) - t) > 4 * scatter)


def test_a_pose_is_exact_without_noise():
    (R, t), fit = WORLD.pose(0, 1), f.fit_pose(sums_of(WORLD.readings(0), WORLD.readings(1)), 0.1, 0.1)
    np.testing.assert_allclose(fit.t_ji, t, atol=1e-9)
    np.testing.assert_allclose(fit.q_real, quaternion(R), atol=1e-9)


def test_a_pose_is_not_known_before_the_motion_tells_it():
    still = f.PoseSums.nothing().add(np.zeros(6), np.zeros(6))
    assert not f.fit_pose(still, 0.4, 0.4).known
    turning = SpatialWorld(NAMES[:2], 8.0, one_axis=True)
    rng = np.random.default_rng(3)
    own, its = (rows[:, :6] + 0.4 * rng.standard_normal((len(rows), 6)) for rows in map(turning.readings, (0, 1)))
    assert not f.fit_pose(sums_of(own, its), 0.4, 0.4).known
    rich = sums_of(WORLD.readings(0), WORLD.readings(1))
    assert f.fit_pose(rich, 0.01, 0.01).known


def test_proposition_2_is_the_covariance_of_a_noisy_product():
    rng = np.random.default_rng(4)
    tensor, constant = rng.standard_normal((3, 4, 2)), rng.standard_normal((3, 4))
    x, root_b, root_x = rng.standard_normal(2), rng.standard_normal((4, 4)), rng.standard_normal((2, 2))
    found = f.pseudo_covariance(
        lambda x: jnp.asarray(tensor) @ x + jnp.asarray(constant),
        jnp.asarray(x),
        jnp.asarray(root_b @ root_b.T),
        jnp.asarray(root_x @ root_x.T),
    )
    draws = 200_000
    b, xs = rng.standard_normal((draws, 4)) @ root_b.T, x + rng.standard_normal((draws, 2)) @ root_x.T
    y = np.einsum("nml,dl,dm->dn", tensor, xs, b) + b @ constant.T
    products = y[:, :, None] * y[:, None, :]
    error = np.abs(products.mean(0) - found) / (products.std(0) / np.sqrt(draws))
    assert error.max() < 5.0  # deviations of a mean: by chance once in 10⁶


def test_every_observation_holds_for_the_true_load():
    for i in (0, 3):
        com, I_c = (jnp.asarray(one) for one in WORLD.load(i))
        moments = g.moments_from_matrix(I_c)
        load = jnp.concatenate([com, moments, jnp.array([1.0 / MASS])])
        for row in felt_by(i)[[2, 60, 140]]:
            felt = f.Felt.from_vector(jnp.asarray(row))
            pairs = [
                (f.com_observation(felt), com),
                (f.turning_observation(felt), load[:9]),
                (f.moving_observation(felt), jnp.concatenate([com, load[9:]])),
                (f.load_observation(felt), load),
            ]
            for observation, unknown in pairs:
                np.testing.assert_allclose(observation.H @ unknown, observation.y, atol=1e-11)
            np.testing.assert_allclose(f.residual(felt, load), 0.0, atol=1e-11)
            both = f.load_observation(felt)
            elsewhere = load + 0.1
            np.testing.assert_allclose((both.y - both.H @ elsewhere)[2:], f.residual(felt, elsewhere), atol=1e-11)


def test_rows_orthogonal_to_a_force_are_orthonormal():
    for force in (jnp.array([0.0, 0.0, 9.0]), jnp.array([3.0, -1.0, 2.0])):
        rows = f.rows_orthogonal_to(force)
        np.testing.assert_allclose(rows @ force, 0.0, atol=1e-13)
        np.testing.assert_allclose(rows @ rows.T, np.eye(2), atol=1e-13)


def test_angular_acceleration_from_accelerometers_is_exact():
    """Two neighbours that do not lie in one line tell all of α; the gyro's difference only helps against noise."""
    own = WORLD.readings(0)
    neighbours = {name: f.neighbour_from_pose(quaternion(R), t) for name, (R, t) in poses(0, (1, 4)).items()}
    weights = f.alpha_weights(neighbours, 1e6, 0.4, 0.01)
    for k in (1, 80):
        omegas = tuple(own[k - 1 : k + 2, :3])
        theirs = {f"r{j + 1}": WORLD.readings(j)[k, 6:9] for j in (1, 4)}
        alpha = f.angular_acceleration(weights, neighbours, omegas, own[k, 6:9], theirs, 0.01)
        np.testing.assert_allclose(alpha, WORLD.alpha[k] @ WORLD.R_bi[0], atol=1e-7)
        assert np.abs(f.central_difference(omegas[0], omegas[2], 0.01) - alpha).max() < 0.05


def poses(i, others):
    return {f"r{j + 1}": WORLD.pose(i, j) for j in others}


def test_a_load_moved_to_another_frame_and_back_is_the_same():
    for i, j in ((0, 1), (2, 4)):
        there, back = (f.neighbour_from_pose(quaternion(R), t) for R, t in (WORLD.pose(i, j), WORLD.pose(j, i)))
        com_j, I_j = WORLD.load(j)
        load_j = np.concatenate([com_j, np.asarray(g.moments_from_matrix(jnp.asarray(I_j))), [1.0 / MASS]])
        load_i = f.move_load(there, load_j)
        np.testing.assert_allclose(f.move_load(back, load_i), load_j, atol=1e-12)
        moved = g.move_inertia(
            pose_of(*WORLD.pose(i, j)), g.Inertia.from_com(MASS, jnp.asarray(com_j), jnp.asarray(I_j))
        )
        np.testing.assert_allclose(load_i[:3], moved.com, atol=1e-12)
        np.testing.assert_allclose(load_i[3:9], g.moments_from_matrix(moved.matrix_about_com), atol=1e-12)
        np.testing.assert_allclose(load_i[:3], WORLD.load(i)[0], atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_consensus_in_different_coordinates_keeps_the_moved_mean(seed):
    """Proposition 3 on random graphs: after k rounds every robot has, in its frame, what W^k has in a common one."""
    world = SpatialWorld([f"r{k}" for k in range(1, 8)], 0.1, seed=seed)
    graph = Graph.random(world.names, seed=seed)
    index = {name: k for k, name in enumerate(graph.names)}
    W = graph.metropolis
    into = {
        (i, j): f.neighbour_from_pose(quaternion(world.pose(i, j)[0]), world.pose(i, j)[1]).row_ij
        for i in range(7)
        for j in range(7)
    }
    values = np.random.default_rng(seed).standard_normal((7, 9))
    team = {name: f.Rows.none(9, graph.degree(name)).begin(5, values[index[name]]) for name in graph.names}
    common = np.stack([into[0, i] @ values[i] for i in range(7)])
    for _ in range(12):
        told = {name: rows.to_message(graph.degree(name)) for name, rows in team.items()}
        for name in graph.names:
            others = graph.neighbours(name)
            moves = {nth: into[index[name], index[other]] for nth, other in enumerate(others)}
            heard = {nth: told[other] for nth, other in enumerate(others)}
            team[name] = f.hear_rows(team[name], heard, moves, len(others))
        common = W @ common
        moved = np.stack([into[0, index[name]] @ team[name].values[0] for name in graph.names])
        np.testing.assert_allclose(moved, common, atol=1e-9)
    assert all(rows.rounds.tolist() == [12] for rows in team.values())
    np.testing.assert_allclose(moved.mean(0), np.mean([into[0, i] @ values[i] for i in range(7)], axis=0), atol=1e-9)


def test_the_rounds_are_enough_for_the_graph():
    for graph in (Graph.ring(NAMES), Graph.line(NAMES), Graph.star(NAMES), Graph.line(NAMES[:2])):
        left = np.linalg.matrix_power(graph.metropolis, f.rounds_for(graph)) - 1.0 / len(graph.names)
        assert np.linalg.norm(left, 2) <= 2e-3  # `consensus_left`, what the rounds are chosen for


def test_the_world_obeys_newton_and_euler():
    """The stand-in against the regressor: what robots apply together is what the load needs."""
    inertia = g.Inertia.from_com(MASS, jnp.asarray(COM), jnp.asarray(INERTIA))
    for k in (0, 77):
        twist, acceleration = (
            g.Twist(jnp.asarray(a[k]), jnp.asarray(b[k])) for a, b in ((WORLD.omega, WORLD.v), (WORLD.alpha, WORLD.s))
        )
        np.testing.assert_allclose(
            g.wrench_regressor(twist, acceleration) @ inertia.vector, WORLD.total()[k], atol=1e-9
        )
