from typing import NamedTuple

import equinox as eqx
import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import geometry as g


class Flight(eqx.Module):
    attitude: g.SO3
    velocity: jax.Array
    log_mass: jax.Array
    name: str = eqx.field(static=True, default="r1")


class Pair(NamedTuple):
    heading: g.SO2
    contact: g.SE2


def flight(x):
    return Flight(g.SO3.exp(x[:3]), x[3:6], x[6])


STATES = {
    "a module": flight,
    "a dict of a pose and a matrix": lambda x: {"pose": g.group_exp(g.SE3, x[:6]), "gains": x[6:10].reshape(2, 2)},
    "a tuple of planar groups and a module": lambda x: (
        Pair(g.SO2.exp(x[:1]), g.group_exp(g.SE2, x[1:4])),
        flight(x[3:10]),
    ),
    "one group": lambda x: g.SO3.exp(x[:3]),
    "one array": lambda x: x,
}


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_retract_and_local_undo_each_other(make, draw, holds):
    n = g.tangent_size(make(jnp.zeros(11)))

    def theorem(x, y, step):
        p, q = make(x), make(y)
        delta = 0.5 * step[:n]
        reached = g.retract(p, g.local(p, q))
        return [
            (g.local(q, reached), jnp.zeros(n)),
            (g.local(p, g.retract(p, delta)), delta),
            (g.local(p, p), jnp.zeros(n)),
        ]

    holds(theorem, draw.arrays(11, scale=0.5), draw.arrays(11, scale=0.5), draw.arrays(11), tolerance=1e-11)


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_local_of_retract_has_the_identity_as_derivative_at_no_step(make, quick_jit):
    point = make(0.03 * jnp.arange(11.0))
    zero = jnp.zeros(g.tangent_size(point))

    def there_and_back(delta):
        return g.local(point, g.retract(point, delta))

    both = quick_jit(lambda x: (jax.jacfwd(there_and_back)(x), jax.jacrev(there_and_back)(x)))
    for derivative in both(zero):
        np.testing.assert_allclose(derivative, np.eye(len(zero)), atol=1e-12)


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_every_tangent_coordinate_has_its_own_name(make):
    point = make(jnp.ones(11))
    names = g.tangent_names(point)
    assert len(names) == len(set(names)) == g.tangent_size(point)


def test_groups_step_on_the_right_and_arrays_add():
    delta = 0.1 * jnp.arange(7.0)
    start = flight(jnp.linspace(0.1, 0.7, 7))
    end = g.retract(start, delta)
    np.testing.assert_allclose(
        end.attitude.as_matrix(), (start.attitude @ g.SO3.exp(delta[:3])).as_matrix(), atol=1e-12
    )
    np.testing.assert_allclose(end.velocity, start.velocity + delta[3:6])
    np.testing.assert_allclose(end.log_mass, start.log_mass + delta[6])
    assert end.name == "r1"


def test_names_follow_the_path_to_a_coordinate():
    x = jnp.zeros(11)
    assert g.tangent_names(flight(x)) == [
        *("attitude/0", "attitude/1", "attitude/2"),
        *("velocity/0", "velocity/1", "velocity/2"),
        "log_mass",
    ]
    assert g.tangent_names({"a": [jnp.zeros((1, 2)), jnp.zeros(())]}) == ["a/0/0/0", "a/0/0/1", "a/1"]
    assert g.tangent_names(Pair(g.SO2.identity(), g.SE2.identity()))[:2] == ["heading", "contact/0"]


def test_a_covariance_moves_with_many_points_at_once(draw, quick_jit):
    steps = draw.arrays(7, scale=0.1)
    start = flight(jnp.linspace(0.1, 0.7, 7))
    cloud = quick_jit(jax.vmap(g.retract, in_axes=(None, 0)))(start, steps)
    back = quick_jit(jax.vmap(g.local, in_axes=(None, 0)))(start, cloud)
    np.testing.assert_allclose(back, steps, atol=1e-12)


def test_size_is_known_while_tracing_and_nothing_has_no_coordinates():
    assert jax.jit(lambda p: jnp.zeros(g.tangent_size(p)))(flight(jnp.zeros(7))).shape == (7,)
    assert g.tangent_size({}) == 0
    assert g.local({}, {}).shape == (0,)
    assert g.retract({}, jnp.zeros(0)) == {}


def test_a_leaf_that_cannot_take_a_step_is_named():
    with pytest.raises(TypeError, match="static field"):
        g.tangent_size({"count": jnp.array(3)})


def test_a_step_of_the_wrong_size_is_refused_with_the_names_of_its_coordinates():
    with pytest.raises(ValueError, match=r"has 7: attitude/0, .*log_mass"):
        g.retract(flight(jnp.zeros(7)), jnp.zeros(6))


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_lift_and_lower_are_the_derivatives_of_retract_and_local(make, key):
    point = make(0.5 * jax.random.normal(key, (10,)))
    zero = jnp.zeros(g.tangent_size(point))
    numbers = jax.jacfwd(lambda delta: jax.flatten_util.ravel_pytree(g.retract(point, delta))[0])(zero)
    lifted = jax.jacfwd(lambda delta: jax.flatten_util.ravel_pytree(g.lift(point, delta))[0])(zero)
    np.testing.assert_allclose(lifted, numbers, atol=1e-12)
    back = jax.vmap(lambda delta: g.lower(point, g.lift(point, delta)))(jnp.eye(zero.size))
    np.testing.assert_allclose(back, jnp.eye(zero.size), atol=1e-12)


@pytest.mark.parametrize("make", STATES.values(), ids=STATES.keys())
def test_differentiate_is_the_derivative_of_a_step_seen_in_tangent_coordinates(make, key):
    x, y = 0.5 * jax.random.normal(key, (2, 12))
    point, step = make(x), 0.3 * y[: g.tangent_size(make(x))]

    def function(point):
        return g.retract(point, step * g.tangent_size(point) / 4)

    value, jacobian = g.differentiate(function, point)
    slow = jax.jacfwd(lambda delta: g.local(value, function(g.retract(point, delta))))(jnp.zeros(step.size))
    np.testing.assert_allclose(jacobian, slow, atol=1e-10)
