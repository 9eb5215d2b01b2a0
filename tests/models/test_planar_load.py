"""The planar load against mechanics: conservation, symmetry, what friction may do, and who may be silent."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import estimators as e
from steelyard import models as m
from steelyard.geometry import SO2, differentiate, local, retract, tangent_names

LOAD = m.PlanarLoad()


def load_state(n_robots: int, seed: int = 0, friction=()) -> m.PlanarLoadState:
    rng = np.random.default_rng(seed)
    return m.PlanarLoadState(
        SO2.from_radians(jnp.asarray(rng.uniform(-3, 3))),
        jnp.asarray(rng.uniform(-2, 2)),
        jnp.asarray(rng.standard_normal(2)),
        jnp.asarray(rng.standard_normal((n_robots, 2))),
        jnp.log(jnp.asarray(5.0)),
        jnp.log(jnp.asarray(8.7)),
        jnp.asarray(friction, float).reshape(len(friction)),
    )


def forces(n_robots: int, seed: int = 1):
    return jnp.asarray(4 * np.random.default_rng(seed).standard_normal((n_robots, 2)))


def run(model, state, control, dt, steps):
    return jax.lax.fori_loop(0, steps, lambda _, state: model.dynamics(state, control, dt), state)


def energy(state) -> float:
    J, mass = jnp.exp(state.log_inertia), jnp.exp(state.log_mass)
    return float(0.5 * mass * jnp.sum(state.velocity**2) + 0.5 * J * state.angular_velocity**2)


@pytest.mark.parametrize("n_robots", [1, 2, 7])
def test_nobody_pushes_and_the_load_moves_on(n_robots):
    state = load_state(n_robots)
    after = LOAD.dynamics(state, LOAD.idle(state), 0.3)
    turned = retract(state, jnp.zeros(3 + 1 + 2 * n_robots + 2).at[0].set(0.3 * state.angular_velocity))
    np.testing.assert_allclose(local(after, turned), 0.0, atol=1e-14)


def test_impulse_is_momentum_gained():
    """Whatever turns, the momentum gained is force times time, to rounding."""
    state, f = load_state(4), forces(4)
    after = run(LOAD, state, f, 0.01, 100)
    gained = jnp.exp(state.log_mass) * (after.velocity - state.velocity)
    np.testing.assert_allclose(gained, jnp.sum(f, axis=0) * 1.0, rtol=1e-12)


def test_work_is_energy_gained_to_second_order():
    """Work of every force at its contact is kinetic energy; what is missing falls with the square of the step."""
    state, f = load_state(3), forces(3)

    def missing(steps):
        dt, total, at = 1.0 / steps, 0.0, state
        for _ in range(steps):
            after = LOAD.dynamics(at, f, dt)
            total += float(jnp.sum(f * (LOAD.observe(at, f) + LOAD.observe(after, f)))) * 0.5 * dt
            at = after
        return energy(at) - energy(state) - total

    assert abs(missing(20) / missing(40) - 4.0) < 0.3
    assert abs(missing(40)) < 1e-3 * energy(state)


def test_turning_the_world_changes_nothing():
    """Body axes stay; everything in world axes turns along."""
    state, f, turn = load_state(4), forces(4), SO2.from_radians(jnp.asarray(0.7))
    R = turn.as_matrix()
    turned = eqx.tree_at(lambda s: (s.heading, s.velocity), state, (turn @ state.heading, R @ state.velocity))
    f_turned = f @ R.T
    left = LOAD.observe(LOAD.dynamics(turned, f_turned, 0.1), f_turned)
    np.testing.assert_allclose(left, LOAD.observe(LOAD.dynamics(state, f, 0.1), f) @ R.T, atol=1e-13)


@pytest.mark.parametrize("friction", [(0.8, 0.0), (0.0, 2.0), (0.8, 2.0)])
def test_friction_takes_energy_until_the_load_stands(friction):
    state = load_state(2, friction=friction)
    energies = [energy(state)]
    for _ in range(40):
        state = m.PlanarLoad(friction_radius=1.3).dynamics(state, jnp.zeros((2, 2)), 0.02)
        energies.append(energy(state))
    assert np.all(np.diff(energies) < 0)


def test_viscous_friction_has_its_known_solution():
    """v = v0 exp(-d t / m), and the turning slows by d rho² / J."""
    state = load_state(1, friction=(0.8, 0.0))
    after = run(m.PlanarLoad(friction_radius=1.3), state, jnp.zeros((1, 2)), 1e-3, 2000)
    np.testing.assert_allclose(after.velocity, state.velocity * np.exp(-0.8 * 2.0 / 5.0), rtol=1e-7)
    slower = np.exp(-0.8 * 1.3**2 * 2.0 / 8.7)
    np.testing.assert_allclose(after.angular_velocity, state.angular_velocity * slower, rtol=1e-7)


def test_friction_of_the_state_takes_the_place_of_the_models():
    given, carried = load_state(2), load_state(2, friction=(0.8, 2.0))
    known = m.PlanarLoad(friction=(0.8, 2.0)).dynamics(given, forces(2), 0.1)
    unknown = m.PlanarLoad(friction=(9.0, 9.0)).dynamics(carried, forces(2), 0.1)
    np.testing.assert_allclose(known.velocity, unknown.velocity, rtol=1e-15)
    assert tangent_names(unknown)[-2:] == ["friction/0", "friction/1"]


def test_derivatives_are_finite_where_the_load_stands():
    still = eqx.tree_at(
        lambda s: (s.angular_velocity, s.velocity), load_state(3, friction=(0.5, 1.0)), (jnp.zeros(()), jnp.zeros(2))
    )
    jacobian = jax.jit(lambda s: differentiate(lambda x: LOAD.dynamics(x, jnp.zeros((3, 2)), 0.01), s)[1])(still)
    assert bool(jnp.all(jnp.isfinite(jacobian)))


def test_a_silent_robot_is_a_robot_less():
    """What a filter learns with one robot's velocities missing is what a filter with a deaf sensor learns."""
    state, f = load_state(3), forces(3)
    size = 1 + 3 + 6 + 2
    noise = e.Noise(jnp.full(6, 0.2), jnp.full(6, 1e-3), jnp.zeros(size), jnp.full(6, 4.0))
    guess = e.Guess(state, jnp.full(size, 0.3))
    y = LOAD.observe(LOAD.dynamics(state, f, 0.01), f) + 0.1
    silent = y.at[1].set(jnp.nan)

    @jax.jit
    def learn(noise, measurement):
        ekf = e.ExtendedKalman(LOAD, noise)
        return ekf.step(ekf.init(guess), e.Sample(jnp.asarray(0.01), f, measurement))

    deaf = eqx.tree_at(lambda n: n.measurement, noise, noise.measurement.at[2:4].set(1e9))
    left, right = learn(noise, silent), learn(deaf, y)
    np.testing.assert_allclose(local(left.state, right.state), 0.0, atol=1e-9)
    np.testing.assert_allclose(left.covariance, right.covariance, atol=1e-9)
    assert int(left.status) == e.Status.PARTIAL
