"""Every estimator of the package with a model, a guess and a log: a new one is added here and inherits every test."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxlie import MatrixLieGroup
from small_models import ElmModel, Hover, HoverState

from steelyard import estimators as e
from steelyard import models as m
from steelyard.geometry import SO2, SO3
from steelyard.monitor import ChangeWatch

ROWS = 40
WATCH_SIZE = 4  # candidates: enough to be replaced within a log


class Cart(m.Model):
    """A double integrator that is pushed by a known acceleration and an unknown constant one: linear and exact."""

    def dynamics(self, state, control, dt):
        a = control + state["push"]
        return {
            "position": state["position"] + dt * state["velocity"] + 0.5 * dt**2 * a,
            "push": state["push"],
            "velocity": state["velocity"] + dt * a,
        }

    def observe(self, state, control):
        return {"position": state["position"], "velocity": state["velocity"]}

    def idle(self, state):
        return jnp.zeros(())


def cart_matrices(dt: float) -> tuple[np.ndarray, np.ndarray]:
    """`F` and `G` of the cart, written by hand; the order of states is position, push, velocity."""
    return np.array([[1, dt**2 / 2, dt], [0, 1, 0], [0, dt, 1]]), np.array([dt**2 / 2, 0, dt])


CART_H = np.array([[1.0, 0, 0], [0, 0, 1.0]])
PUSH = 1
CART_SEEN = (0, 2)
"""Position and velocity: what moves, and not the parameter."""


class Line(m.Model):
    """Two parameters, seen through a regressor, and the first of them also directly."""

    def dynamics(self, state, control, dt):
        return state

    def observe(self, state, control):
        return {"direct": state[0], "through": state @ control}

    def idle(self, state):
        return jnp.zeros(2)


@dataclasses.dataclass(frozen=True)
class Case:
    """An estimator at work."""

    estimator: e.Estimator
    guess: e.Guess
    samples: Any
    """One log: leaves have a leading axis of time."""
    noise: Callable[[e.Estimator], Any]
    """Finds its standard deviations of the measurement."""

    def step(self, belief, sample, estimator: e.Estimator | None = None):
        """One step, of the estimator or of one that differs from it in its numbers only."""
        return one_step(estimator or self.estimator, belief, sample)

    @property
    def model(self) -> m.Model:
        inner = self.estimator
        while not hasattr(inner, "model"):
            inner = getattr(inner, "estimator", None) or inner.filter
        return inner.model

    @functools.cached_property
    def beliefs(self) -> list:
        """The belief before the first row and after every row, by single steps."""
        beliefs = [self.estimator.init(self.guess)]
        for row in range(ROWS):
            beliefs.append(self.step(beliefs[-1], self.sample(row)))
        return beliefs

    def sample(self, row: int):
        return jax.tree.map(lambda leaf: leaf[row], self.samples)

    def middle(self):
        """A belief from within the log, and the sample that comes next."""
        return self.beliefs[ROWS // 2], self.sample(ROWS // 2)

    def sensors(self, measurement) -> list[slice]:
        """Where each sensor's coordinates are in the innovation."""
        leaves = jax.tree.leaves(measurement, is_leaf=is_group)
        sizes = [leaf.tangent_dim if is_group(leaf) else np.size(leaf) for leaf in leaves]
        ends = np.cumsum(sizes)
        return [slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True)]


@eqx.filter_jit
def one_step(estimator: e.Estimator, belief, sample):
    """Compiled once for each case: all theorems about single steps share it."""
    return estimator.step(belief, sample)


def spoil(measurement, sensor: int, value: float):
    """The measurement with one sensor reading nothing but `value`."""
    leaves, structure = jax.tree.flatten(measurement, is_leaf=is_group)
    leaves[sensor] = jax.tree.map(lambda leaf: jnp.full_like(leaf, value), leaves[sensor])
    return structure.unflatten(leaves)


def filled(tree, value: float):
    return jax.tree.map(lambda leaf: jnp.full_like(leaf, value), tree)


def is_group(leaf) -> bool:
    return isinstance(leaf, MatrixLieGroup)


def uneven(rng: np.random.Generator, mean: float, rows: int = ROWS) -> np.ndarray:
    """Time steps between a half and one and a half of `mean`, the first one zero."""
    return np.concatenate([[0.0], rng.uniform(0.5 * mean, 1.5 * mean, rows - 1)])


CART_NOISE = e.Noise(jnp.array([0.1, 0.2]), jnp.array([0.5]), jnp.array([0.0, 0.02, 0.0]), jnp.array([3.0]))
CART_GUESS = e.Guess({k: jnp.zeros(()) for k in ("position", "push", "velocity")}, jnp.array([1.0, 1.0, 1.0]))


def cart_log(seed: int, rows: int = ROWS, mean_dt: float = 0.1, jump: float = 0.0) -> e.Sample:
    """A cart that the filter's own model describes; its push jumps by `jump` half way."""
    rng = np.random.default_rng(seed)
    x, dts = rng.standard_normal(3), uneven(rng, mean_dt, rows)
    controls, measured = rng.standard_normal(rows), np.empty((rows, 2))
    for row, (dt, u) in enumerate(zip(dts, controls, strict=True)):
        F, G = cart_matrices(dt)
        x = F @ x + G * (u + 0.5 * rng.standard_normal())
        x[PUSH] += 0.02 * np.sqrt(dt) * rng.standard_normal() + jump * (row == rows // 2)
        measured[row] = CART_H @ x + np.array([0.1, 0.2]) * rng.standard_normal(2)
    readings = {"position": measured[:, 0], "velocity": measured[:, 1]}
    return jax.tree.map(jnp.asarray, e.Sample(dts, controls, readings))


def line_log(seed: int, rows: int = ROWS) -> e.Sample:
    rng = np.random.default_rng(seed)
    controls = rng.standard_normal((rows, 2))
    theta = np.array([1.5, -0.7])
    through = controls @ theta + 0.3 * rng.standard_normal(rows)
    readings = {"direct": theta[0] + rng.standard_normal(rows), "through": through}
    return jax.tree.map(jnp.asarray, e.Sample(uneven(rng, 0.2, rows), controls, readings))


LINE_NOISE = e.Noise(jnp.array([1.0, 0.3]), jnp.zeros(2), jnp.zeros(2), jnp.ones(2))
LINE_GUESS = e.Guess(jnp.zeros(2), jnp.array([2.0, 3.0]))


def machine() -> ElmModel:
    """An extreme learning machine as a model: six nodes, three inputs."""
    return ElmModel(e.RandomFeatures.draw(jax.random.key(1), 6, np.zeros(3), np.ones(3)))


def lesson_log(seed: int, rows: int = ROWS) -> e.Sample:
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((rows, 3))
    targets = np.tanh(inputs @ np.array([1.0, -0.5, 0.2]))[:, None] + 0.1 * rng.standard_normal((rows, 1))
    return jax.tree.map(jnp.asarray, e.Sample(uneven(rng, 0.2, rows), inputs, targets))


MACHINE_NOISE = e.Noise(jnp.array([0.1]), jnp.zeros(3), jnp.zeros(6), jnp.ones(3))
MACHINE_GUESS = e.Guess(jnp.zeros((6, 1)), jnp.full(6, 3.0))


def hover_log(seed: int, rows: int = ROWS) -> e.Sample:
    rng = np.random.default_rng(seed)
    thrust = 0.6 + 0.05 * rng.standard_normal(rows)
    accelerations = 9.81 * (thrust / 0.6 - 1.0) + 0.5 * rng.standard_normal(rows)
    return jax.tree.map(jnp.asarray, e.Sample(uneven(rng, 0.05, rows), thrust, accelerations))


HOVER_NOISE = e.Noise(jnp.array([0.5]), jnp.array([0.01]), jnp.array([0.01]), jnp.array([0.3]))
HOVER_GUESS = e.Guess(HoverState(jnp.log(jnp.asarray(0.5, float))), jnp.array([0.3]))


ROTOR_NOISE = e.Noise(
    jnp.array([0.01] * 3 + [0.01] * 3 + [0.03] * 3),
    jnp.array([0.3, 0.01, 0.01, 0.01]),
    jnp.array([0.0] * 9 + [0.003]),
    jnp.array([5.0, 1.0, 1.0, 1.0]),
)
ROTOR_STD = jnp.array([0.01] * 3 + [0.01] * 3 + [0.03] * 3 + [0.3])
LOG_MASS = 9


def rotor_state(attitude=None, position=(0.0, 0.0, 1.0), velocity=(1.0, 0.5, -0.2), mass=1.2) -> m.MultirotorState:
    attitude = SO3.identity() if attitude is None else attitude
    position, velocity, mass = (jnp.asarray(number, float) for number in (position, velocity, mass))
    return m.MultirotorState(attitude, position, velocity, jnp.log(mass), jnp.zeros(0), jnp.zeros(0))


def rotor_log(seed: int, rows: int = ROWS, mass: float = 1.0, mean_dt: float = 0.01) -> e.Sample:
    """A multirotor under smooth random inputs, read with the noise that its filter expects."""
    rng = np.random.default_rng(seed)
    dts = uneven(rng, mean_dt, rows)
    phase = np.cumsum(dts)[:, None] * np.array([9.0, 5.0, 7.0]) + rng.uniform(0, 6, 3)
    thrust = 9.81 * mass * (1.0 + 0.3 * np.sin(phase[:, 0]))
    controls = jax.vmap(m.MultirotorControl)(jnp.asarray(thrust), jnp.asarray(np.cos(phase)))
    draws = jnp.asarray(rng.standard_normal((rows, 13)))
    plant = m.Multirotor(drag=(0.3, 0.08))

    def row(state, given):
        dt, u, draw = given
        acted = m.MultirotorControl(u.thrust + 0.3 * draw[9], u.rates + 0.01 * draw[10:])
        state = plant.dynamics(state, acted, dt)
        turn = SO3.exp(0.01 * draw[:3])
        position, velocity = state.position + 0.01 * draw[3:6], state.velocity + 0.03 * draw[6:9]
        return state, m.MultirotorReading(state.attitude @ turn, position, velocity)

    _, readings = jax.jit(lambda *given: jax.lax.scan(row, rotor_state(mass=mass), given))(
        jnp.asarray(dts), controls, draws
    )
    return e.Sample(jnp.asarray(dts), controls, readings)


PLANAR_ROBOTS = 2
PLANAR_NOISE = e.Noise(
    jnp.full(2 * PLANAR_ROBOTS, 0.05),
    jnp.full(2 * PLANAR_ROBOTS, 0.1),
    jnp.zeros(6 + 2 * PLANAR_ROBOTS),
    jnp.full(2 * PLANAR_ROBOTS, 4.0),
)
PLANAR_STD = jnp.array([0.01] + [0.1] * 3 + [0.2] * (2 * PLANAR_ROBOTS) + [0.3, 0.3])


def planar_state(mass: float = 4.0, arm: float = 1.1) -> m.PlanarLoadState:
    angles = np.linspace(0.0, 2.0, PLANAR_ROBOTS)
    contacts = jnp.asarray(arm * np.stack([np.cos(angles), np.sin(angles)], axis=1))
    log_mass, log_inertia = jnp.log(jnp.asarray(mass, float)), jnp.log(jnp.asarray(2.0))
    spin, velocity = jnp.asarray(0.5), jnp.asarray([0.3, -0.2])
    return m.PlanarLoadState(SO2.identity(), spin, velocity, contacts, log_mass, log_inertia, jnp.zeros(0))


def planar_log(seed: int, rows: int = ROWS, mean_dt: float = 0.05) -> e.Sample:
    """A load that its own model moves, under smooth random forces."""
    rng = np.random.default_rng(seed)
    dts, shape = uneven(rng, mean_dt, rows), (rows, PLANAR_ROBOTS, 2)
    phase = np.cumsum(dts)[:, None, None] * rng.uniform(1, 4, shape[1:]) + rng.uniform(0, 6, shape[1:])
    forces, draws = jnp.asarray(3.0 * np.sin(phase)), jnp.asarray(rng.standard_normal((2, *shape)))
    load = m.PlanarLoad()

    def row(state, given):
        dt, force, acted, seen = given
        state = load.dynamics(state, force + 0.1 * acted, dt)
        return state, load.observe(state, force) + 0.05 * seen

    start = planar_state(mass=5.0, arm=1.0)
    given = (jnp.asarray(dts), forces, *draws)
    _, readings = jax.jit(lambda *given: jax.lax.scan(row, start, given))(*given)
    return e.Sample(given[0], forces, readings)


def measured(estimator) -> Any:
    return estimator.noise.measurement


def filter_measured(estimator) -> Any:
    return estimator.filter.noise.measurement


def build(name: str, seed: int = 0) -> Case:
    """The case of this name, over the log of this seed."""
    cart = e.ExtendedKalman(Cart(), CART_NOISE)
    cart_watch = ChangeWatch(cart, (PUSH,), (2.0,), spacing=0.3, candidates=WATCH_SIZE)
    line = e.RecursiveLeastSquares(Line(), LINE_NOISE, memory=3.0)
    rotor = e.ExtendedKalman(m.Multirotor(drag=(0.3, 0.08)), ROTOR_NOISE)
    rotor_watch = ChangeWatch(rotor, (LOG_MASS,), (0.3,), spacing=0.05, candidates=WATCH_SIZE)
    hover = e.ExtendedKalman(Hover(), HOVER_NOISE)
    hover_watch = ChangeWatch(hover, (0,), (0.5,), spacing=0.2, candidates=WATCH_SIZE)
    unscented_cart = e.UnscentedKalman(Cart(), CART_NOISE)
    unscented_hover = e.UnscentedKalman(Hover(), HOVER_NOISE)
    clones_cart = e.MultiStateKalman(Cart(), CART_NOISE, window=4, cloned=CART_SEEN)
    clones_rotor = e.MultiStateKalman(rotor.model, ROTOR_NOISE, window=3, cloned=tuple(range(LOG_MASS)))
    window_cart = e.SlidingWindow(Cart(), CART_NOISE, window=4)
    window_rotor = e.SlidingWindow(rotor.model, ROTOR_NOISE, window=3)
    on_cart, on_line, on_hover = (CART_GUESS, cart_log), (LINE_GUESS, line_log), (HOVER_GUESS, hover_log)
    on_rotor = (e.Guess(rotor_state(), ROTOR_STD), rotor_log)
    planar = e.ExtendedKalman(m.PlanarLoad(), PLANAR_NOISE)
    on_planar = (e.Guess(planar_state(), PLANAR_STD), planar_log)
    estimator, (guess, log), noise = {
        "kalman-planar": (planar, on_planar, measured),
        "kalman-cart": (cart, on_cart, measured),
        "changes-cart": (cart_watch, on_cart, filter_measured),
        "squares-line": (line, on_line, measured),
        "squares-machine": (
            e.RecursiveLeastSquares(machine(), MACHINE_NOISE, memory=8.0),
            (MACHINE_GUESS, lesson_log),
            measured,
        ),
        "changes-hover": (hover_watch, on_hover, filter_measured),
        "unscented-cart": (unscented_cart, on_cart, measured),
        "unscented-hover": (unscented_hover, on_hover, measured),
        "clones-cart": (clones_cart, on_cart, measured),
        "clones-multirotor": (clones_rotor, on_rotor, measured),
        "window-cart": (window_cart, on_cart, measured),
        "window-multirotor": (window_rotor, on_rotor, measured),
        "changes-multirotor": (rotor_watch, on_rotor, filter_measured),
    }[name]
    return Case(estimator, guess, log(seed), noise)


CASES = (
    "kalman-cart",
    "kalman-planar",
    "changes-cart",
    "squares-line",
    "squares-machine",
    "changes-hover",
    "unscented-cart",
    "unscented-hover",
    "clones-cart",
    "clones-multirotor",
    "window-cart",
    "window-multirotor",
    "changes-multirotor",
)


def deaf(case: Case, sensor: slice) -> e.Estimator:
    """The same estimator, told that this sensor's noise is enormous."""
    return eqx.tree_at(case.noise, case.estimator, case.noise(case.estimator).at[sensor].set(1e9))


def assert_close(left, right, rtol: float = 1e-12, atol: float = 1e-12):
    """Two trees of the same structure hold the same numbers; NaN equals NaN."""
    assert jax.tree.structure(left) == jax.tree.structure(right)
    for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=rtol, atol=atol)


def smallest_eigenvalue(matrix) -> float:
    return float(np.linalg.eigvalsh(np.asarray(0.5 * (matrix + matrix.T)))[0])
