"""Your own robot: a cart of unknown mass and friction.

A cart is pushed along a rail; its position and speed are measured, its mass and its viscous friction are not known.
The model below is all that Steelyard needs: every method, the verdict, the events and the report follow from it.
Half-way a box is put on the cart: the adaptive method notices, says when, and weighs it. The others are told that a
mass hardly changes, so they lag behind, and their answers are doubtful, with the reasons.

Usage:

    python examples/01_your_own_robot.py                                   # makes cart.csv and weighs by every method
    steelyard identify cart.csv --as examples/01_your_own_robot.py --report cart.html
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.estimators import Guess, Noise, OnlineElm, RandomFeatures, Sample, fit_relm
from steelyard.logs import Log, write
from steelyard.models import Model
from steelyard.problems import OwnRobot, Quantity, identify_own
from steelyard.report import write_report


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


def samples(log):
    """What the cart's log says, row by row; the force of a row acts until the next."""
    force = log.columns["r1/force/x"]
    read = np.stack([log.columns["r1/position/x"], log.columns["r1/linear_velocity/x"]], axis=1)
    return Sample(np.diff(log.time, prepend=log.time[0]), np.concatenate([force[:1], force[:-1]]), read)


ROBOT = OwnRobot(
    name="cart",
    model=Cart(),
    noise=Noise(np.array([0.01, 0.02]), np.array([0.05]), np.array([0.0, 0.0, 1e-4, 1e-4]), np.array([5.0])),
    guess=Guess(CartState(*map(np.asarray, (0.0, 0.0, np.log(1.0), np.log(0.5)))), np.array([0.1, 0.1, 0.7, 0.7])),
    samples=samples,
    quantities={
        "mass": Quantity(lambda state: jnp.exp(state.log_mass), "kg", "log_mass", jump=0.3),
        "friction": Quantity(lambda state: jnp.exp(state.log_friction), "N s/m", "log_friction"),
    },
)


DT, FRICTION = 0.02, 0.8


@jax.jit
def roll(mass, force):
    """Positions and speeds of a cart that starts at rest."""

    def row(state, given):
        m, f = given
        state = CartState(state.position, state.speed, jnp.log(m), jnp.log(FRICTION))
        return Cart().dynamics(state, f, DT), (state.position, state.speed)

    return jax.lax.scan(row, CartState(*(jnp.zeros(()) for _ in range(4))), (mass, force))[1]


def push(mass, seed=1):
    """What a cart would record, its mass given at every row."""
    rng, time = np.random.default_rng(seed), np.arange(len(mass)) * DT
    force = 3.0 * np.sin(1.3 * time + rng.uniform(0, 6)) + 2.0 * np.sin(0.7 * time + rng.uniform(0, 6))
    position, speed = roll(np.asarray(mass, float), force)
    columns = {
        "r1/force/x": force + 0.05 * rng.normal(size=len(time)),
        "r1/position/x": np.asarray(position) + 0.01 * rng.normal(size=len(time)),
        "r1/linear_velocity/x": np.asarray(speed) + 0.02 * rng.normal(size=len(time)),
        "truth/mass": np.asarray(mass, float),
    }
    return Log(time, columns, "cart.csv")


def features(log, block=25):
    """Inputs for a machine that learns: impulse, change of speed and distance over the last half second."""
    force, speed = log.columns["r1/force/x"], log.columns["r1/linear_velocity/x"]
    impulse = np.convolve(force, np.ones(block))[: len(force)]
    change = speed - np.concatenate([speed[:1].repeat(block), speed[:-block]])
    distance = np.convolve(speed, np.ones(block))[: len(speed)]
    return np.stack([impulse, change, distance], axis=1)[block:]


def shown(name, one):
    """A quantity with its 95 % interval; in brackets where something speaks against it."""
    if one.status == "doubtful":
        return f"{name} ({one.doubtful_value:.3f} ± {1.96 * one.doubtful_std:.3f})"
    return f"{name} {one.value:.3f} ± {1.96 * one.std:.3f}" if one.status == "known" else f"{name} {one.status}"


def main():
    log = push(np.where(np.arange(1000) < 500, 2.0, 2.5))
    write(log, "cart.csv")
    for method in ("adaptive", "ekf", "ukf", "msckf", "swls"):
        found = identify_own(log, ROBOT, method)
        answers = found.robots["cart"]
        print(f"{method:<9} {', '.join(map(shown, answers, answers.values()))}   (truth 2.5, 0.8)")
        for event in found.events:
            print(f"          at {event.time:.1f} s: {event.message}")
        for reason in answers["mass"].trust.reasons:
            print(f"          {reason.sentence}")
        if method == "adaptive":
            write_report(found, "cart.html")

    # Machines that learn need examples with the answer: carts of many masses, simulated by the model itself.
    lessons = [push(np.full(500, m), seed=k) for k, m in enumerate(np.random.default_rng(0).uniform(1.5, 3.0, 24))]
    inputs = np.concatenate([features(one) for one in lessons])
    masses = np.concatenate([one.columns["truth/mass"][25:] for one in lessons])[:, None]
    nodes = RandomFeatures.for_inputs(jax.random.key(0), 100, inputs, spread=1.0)
    online = OnlineElm(nodes, regularisation=1e-4)
    learnt = online.init(outputs=1)
    for k in range(0, len(inputs), 475):
        learnt = online.learn(learnt, inputs[k : k + 475], masses[k : k + 475])
    test = push(np.full(500, 2.2), seed=99)
    batch = fit_relm(nodes, inputs, masses, 1e-4).predict(features(test))
    print(f"relm      mass {float(jnp.median(batch)):.2f}   (truth 2.2, another run)")
    print(f"oselm     mass {float(jnp.median(online.predict(learnt, features(test)))):.2f}")


if __name__ == "__main__":
    main()
