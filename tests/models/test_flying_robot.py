"""A robot that stands: what its mass has to do with its momentum."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.models import ENGINE_TYPES, Engines, FlyingRobot, JetEngines, RobotPose, ThrustInput, some_state

MASS, WEIGHT, DT = 40.0, 9.81 * 40.0, 0.01
READ = np.array([0.3, -0.2, 0.1, 5.0, -4.0, 330.0])


def step(log_mass: float, contact: float, wrench: np.ndarray):
    """Momentum after a step, on one jet and one foot; and its derivative by the logarithm of the mass."""
    kind = ENGINE_TYPES["P160"]
    engines = Engines(JetEngines.of([kind]), (0,), np.full(1, 160.0), np.ones(1), np.zeros((3, 0)), with_speed=())
    pose = RobotPose(jnp.zeros((6, 1)).at[5].set(1.0), jnp.eye(6), jnp.full(6, contact), jnp.ones(1))
    model = FlyingRobot(engines, MASS, feet=1).at(pose)
    state = some_state(np.array([60.0]), 1, 1, ("log_mass",))
    control = ThrustInput(jnp.array([50.0]), jnp.asarray(wrench))

    def momentum(log_mass):
        return model.dynamics(dataclasses.replace(state, log_mass=log_mass[None]), control, DT).momentum

    return momentum(jnp.asarray(log_mass)), jax.jacfwd(momentum)(jnp.asarray(log_mass))


def test_forces_act_on_the_true_mass():
    light, heavy = step(0.0, 1.0, READ)[0], step(0.5, 1.0, READ)[0]
    weight = np.array([0, 0, 0, 0, 0, -WEIGHT * DT])
    np.testing.assert_allclose(heavy - weight, np.exp(-0.5) * (light - weight))


def test_while_it_stands_no_noise_of_a_sole_says_what_the_mass_does():
    quiet, noisy = (step(0.1, 1.0, wrench)[1] for wrench in (READ, READ + 7.0))
    np.testing.assert_allclose(quiet, [0, 0, 0, 0, 0, -WEIGHT * DT])
    np.testing.assert_allclose(noisy, quiet)


def test_in_the_air_the_derivative_is_that_of_the_step():
    h = 1e-6
    difference = (step(0.1 + h, 0.0, READ)[0] - step(0.1 - h, 0.0, READ)[0]) / (2 * h)
    np.testing.assert_allclose(step(0.1, 0.0, READ)[1], difference, rtol=1e-6, atol=1e-9)
