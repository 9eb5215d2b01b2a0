"""Your own robot: a cart of unknown mass and friction.

A cart is pushed along a rail; its position and speed are measured, its mass and its viscous friction are not known.
The model below is all that Steelyard needs: the filter's Jacobians, the change watch and the runners follow from it.
Half-way, a box is put on the cart. The filter notices, says when, and weighs it.

Usage:

    python examples/01_your_own_robot.py
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.estimators import ExtendedKalman, Guess, Noise, Sample, replay
from steelyard.models import Model
from steelyard.monitor import ChangeWatch


class CartState(eqx.Module):
    position: Float[Array, ""]
    speed: Float[Array, ""]
    log_mass: Float[Array, ""]
    log_friction: Float[Array, ""]


class Cart(Model):
    def dynamics(self, state, force, dt):
        pull = force - jnp.exp(state.log_friction) * state.speed
        speed = state.speed + dt * pull * jnp.exp(-state.log_mass)
        return CartState(state.position + dt * state.speed, speed, state.log_mass, state.log_friction)

    def observe(self, state, force):
        return jnp.stack([state.position, state.speed])

    def idle(self, state):
        return jnp.zeros(())


def push_the_cart(seconds=20.0, dt=0.02, seed=1):
    """What a robot would record: 2 kg and 0.8 N s/m; at half time a box of 0.5 kg is put on."""
    rng, model = np.random.default_rng(seed), Cart()
    time = np.arange(0.0, seconds, dt)
    force = 3.0 * np.sin(1.3 * time) + 2.0 * np.sin(0.7 * time + 1.0)
    mass = np.where(time < seconds / 2, 2.0, 2.5)
    step = jax.jit(model.dynamics)
    position, speed, read = jnp.zeros(()), jnp.zeros(()), []
    for f, m in zip(force, mass, strict=True):
        moved = step(CartState(position, speed, jnp.log(m), jnp.log(0.8)), jnp.asarray(f), dt)
        position, speed = moved.position, moved.speed
        read.append([float(position) + 0.01 * rng.normal(), float(speed) + 0.02 * rng.normal()])
    return time, Sample(np.full(len(time), dt), force + 0.05 * rng.normal(size=len(time)), np.array(read))


def main():
    time, samples = push_the_cart()
    noise = Noise(
        measurement=jnp.array([0.01, 0.02]),
        control=jnp.array([0.05]),
        drift=jnp.array([0.0, 0.0, 1e-4, 1e-4]),
        blind=jnp.array([5.0]),
    )
    start = CartState(jnp.zeros(()), jnp.zeros(()), jnp.log(jnp.asarray(1.0)), jnp.log(jnp.asarray(0.5)))
    guess = Guess(start, jnp.array([0.1, 0.1, 0.7, 0.7]))
    watch = ChangeWatch(ExtendedKalman(Cart(), noise), watch=(2,), jump_std=(0.3,))
    beliefs = replay(watch, watch.init(guess), samples).kept

    for name, truth, k in (("mass", 2.5, 2), ("friction", 0.8, 3)):
        value = float(jnp.exp((beliefs.state.log_mass, beliefs.state.log_friction)[k - 2][-1]))
        std = value * float(jnp.sqrt(beliefs.kalman.covariance[-1, k, k]))
        print(f"{name:<9} {value:.3f} ± {1.96 * std:.3f}   (truth {truth})")
    for row in np.flatnonzero(beliefs.change.found):
        onset = time[row] - beliefs.change.age[row]
        print(f"at {onset:.1f} s the mass jumped by about {100 * float(jnp.expm1(beliefs.change.size[row])):+.0f} %")


if __name__ == "__main__":
    main()
