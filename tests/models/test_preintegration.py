"""Rows gathered into one increment lead where they lead one by one, whatever the state was at their start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_models import Hover, HoverState

from steelyard.geometry import SO3, local
from steelyard.models import (
    Model,
    Multirotor,
    MultirotorControl,
    MultirotorIncrement,
    MultirotorState,
)

ROWS = 30


def states(rng: np.random.Generator, count: int, unknowns: bool) -> MultirotorState:
    def one(q, p, v, log_mass, drag, loss):
        return MultirotorState(SO3(q / jnp.sqrt(q @ q)), p, v, log_mass, drag, loss)

    shapes = ((4,), (3,), (3,), (), (2 * unknowns,), (1 * unknowns,))
    return jax.vmap(one)(*(jnp.asarray(rng.standard_normal((count, *shape))) for shape in shapes))


def controls(rng: np.random.Generator, count: int) -> MultirotorControl:
    thrust, rates = 10 + 3 * rng.standard_normal(count), 2 * rng.standard_normal((count, 3))
    return jax.vmap(MultirotorControl)(jnp.asarray(thrust), jnp.asarray(rates))


@jax.jit
def stepped(model: Model, state, us, dts):
    return jax.lax.scan(lambda x, row: (model.dynamics(x, *row), None), state, (us, dts))[0]


@jax.jit
def travelled(model: Model, state, us, dts):
    gathered, _ = jax.lax.scan(lambda i, row: (model.gather(i, *row), None), model.begin(state), (us, dts))
    return model.travel(state, gathered)


@pytest.mark.parametrize("unknowns", [False, True])
@pytest.mark.parametrize("dt", [0.0, 0.01, 0.3])
def test_one_row_is_the_dynamics(unknowns, dt):
    rng = np.random.default_rng(1)
    model = Multirotor(drag=(0.3, 0.08), gravity=(0.1, -0.2, -9.8))

    @jax.jit
    @jax.vmap
    def both(x, u):
        return model.dynamics(x, u, dt), model.travel(x, model.gather(model.begin(x), u, dt))

    expected, found = both(states(rng, 50, unknowns), controls(rng, 50))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def test_many_rows_are_exact_in_turning_and_thrust():
    rng = np.random.default_rng(2)
    x = jax.tree.map(lambda leaf: leaf[0], states(rng, 1, False))
    us, dts = controls(rng, ROWS), jnp.asarray(rng.uniform(0.0, 0.02, ROWS))
    difference = local(stepped(Multirotor(), x, us, dts), travelled(Multirotor(), x, us, dts))
    np.testing.assert_allclose(difference, 0.0, atol=1e-12)


@pytest.mark.parametrize("unknowns", [False, True])
def test_drag_and_loss_are_of_second_order_in_the_span(unknowns):
    """Half the span, an eighth of the error: the rows are the same share of it."""
    rng = np.random.default_rng(3)
    x = jax.tree.map(lambda leaf: leaf[0], states(rng, 1, unknowns))
    us, model = controls(rng, ROWS), Multirotor(drag=(0.3, 0.08))
    smooth = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[0], leaf.shape), us)
    errors = []
    for span in (0.05, 0.025, 0.0125):
        dts = jnp.full(ROWS, span / ROWS)
        errors.append(np.linalg.norm(local(stepped(model, x, smooth, dts), travelled(model, x, smooth, dts))))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    np.testing.assert_allclose(orders, 3.0, atol=0.3)


def test_the_same_increment_serves_every_start():
    """Gathered once; its rows are not run again."""
    rng = np.random.default_rng(4)
    xs, us, dts = states(rng, 20, False), controls(rng, ROWS), jnp.full(ROWS, 0.01)
    model = Multirotor()
    start = jax.tree.map(lambda leaf: leaf[0], xs)
    gathered, _ = jax.lax.scan(lambda i, row: (model.gather(i, *row), None), model.begin(start), (us, dts))
    found = jax.vmap(lambda x: local(stepped(model, x, us, dts), model.travel(x, gathered)))(xs)
    np.testing.assert_allclose(found, 0.0, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, 3.1, 3.2, 6.0])
def test_half_a_turn_twice_is_the_turn(angle):
    turn = SO3.exp(jnp.array([0.0, 0.6, -0.8]) * angle)
    half = MultirotorIncrement(turn, jnp.zeros(3), jnp.zeros(3), jnp.zeros(())).half_turn
    np.testing.assert_allclose((half @ half).wxyz, turn.wxyz, atol=1e-12)


def test_by_default_it_is_the_mean_control_over_the_time():
    """Rows in which no time passes do not count, first or last, and nothing is divided by zero."""
    model, start = Hover(), HoverState(jnp.log(jnp.asarray(0.5)))
    us, dts = jnp.array([7.0, 1.0, 2.0, 9.0]), jnp.array([0.0, 0.1, 0.3, 0.0])
    increment = model.begin(start)
    for u, dt in zip(us, dts, strict=True):
        increment = model.gather(increment, u, dt)
        assert np.isfinite(increment.control)
    np.testing.assert_allclose((increment.control, increment.span), (1.75, 0.4), rtol=1e-15)
