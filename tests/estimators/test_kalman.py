"""The extended Kalman filter is the Kalman filter where the model is linear, and geometry where it turns."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from filterpy.kalman import KalmanFilter
from registry import CART_GUESS, CART_H, CART_NOISE, Cart, assert_close, cart_log, cart_matrices
from small_models import Hover

from steelyard import estimators as e
from steelyard import models as m
from steelyard.estimators import Shadows, correct, linearise_dynamics, linearise_observation
from steelyard.estimators._linearise import Observation
from steelyard.geometry import SO3, local, retract

CART = e.ExtendedKalman(Cart(), CART_NOISE)


def state_vector(state) -> np.ndarray:
    return np.array(jax.tree.leaves(state))


def test_on_a_linear_model_it_is_the_textbook_filter():
    samples = cart_log(seed=3)
    run = e.replay(CART, CART.init(CART_GUESS), samples).recorded
    referee = KalmanFilter(dim_x=3, dim_z=2)
    referee.P, referee.H, referee.R = np.eye(3), CART_H, np.diag([0.1, 0.2]) ** 2
    for row in range(registry.ROWS):
        F, G = cart_matrices(float(samples.dt[row]))
        Q = 0.25 * np.outer(G, G) + np.diag([0.0, 0.02, 0.0]) ** 2 * float(samples.dt[row])
        referee.predict(u=np.array([[samples.control[row]]]), B=G[:, None], F=F, Q=Q)
        reading = np.array([[samples.measurement["position"][row]], [samples.measurement["velocity"][row]]])
        referee.update(reading)
        state, P, innovation, nis = jax.tree.map(
            lambda leaf, row=row: leaf[row],
            (run.state, run.covariance, run.innovation, jax.vmap(lambda i: i.nis)(run.innovation)),
        )
        np.testing.assert_allclose(state_vector(state), referee.x[:, 0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(P, referee.P, rtol=1e-10, atol=1e-14)
        # Scalars one by one tell the same likelihood as all at once.
        np.testing.assert_allclose(innovation.log_likelihood, referee.log_likelihood, rtol=1e-10)
        np.testing.assert_allclose(nis, referee.y[:, 0] @ referee.SI @ referee.y[:, 0], rtol=1e-9)


@pytest.fixture(scope="module")
def observations() -> tuple[np.ndarray, Observation]:
    """Random covariances and measurements of 4 channels of 6 states, a batch of 50."""
    rng = np.random.default_rng(1)
    A = rng.standard_normal((50, 6, 6))
    H, R, y = rng.standard_normal((50, 4, 6)), rng.uniform(0.01, 2.0, (50, 4)), rng.standard_normal((50, 4))
    present = rng.uniform(size=(50, 4)) < 0.8
    made = jax.vmap(Observation)(*map(jnp.asarray, (np.where(present, y, 0.0), H, R, present)))
    return A @ np.swapaxes(A, 1, 2), made


@pytest.fixture(scope="module")
def corrected():
    return jax.jit(jax.vmap(lambda P, o: correct(P, o, Shadows.none(6))))


def test_scalars_one_by_one_are_the_joint_update(observations, corrected):
    P, o = observations
    found = corrected(jnp.asarray(P), o)
    for k in range(50):
        heard = np.asarray(o.present[k])
        H, y, R = np.asarray(o.H[k])[heard], np.asarray(o.residual[k])[heard], np.diag(np.asarray(o.R[k])[heard])
        S = H @ P[k] @ H.T + R
        K = np.linalg.solve(S, H @ P[k]).T
        np.testing.assert_allclose(found.delta[k], K @ y, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(found.covariance[k], P[k] - K @ S @ K.T, rtol=1e-8, atol=1e-10)


def test_the_order_of_channels_does_not_matter(observations, corrected):
    P, o = observations
    turned = jax.tree.map(lambda leaf: leaf[:, ::-1], o)
    forward, backward = corrected(jnp.asarray(P), o), corrected(jnp.asarray(P), turned)
    assert_close((forward.delta, forward.covariance), (backward.delta, backward.covariance), 1e-8, 1e-10)


def test_channels_may_name_the_few_coordinates_that_they_see(observations):
    P, o = observations
    seen = np.array([[0, 3], [5, 1], [2, 4], [3, 0]])
    H = np.zeros(o.H.shape)
    np.put_along_axis(H, np.tile(seen, (50, 1, 1)), np.asarray(o.H)[:, :, :2], axis=2)
    few = eqx.tree_at(lambda o: o.H, o, jnp.asarray(H))
    pushed = Shadows(jnp.eye(6)[:, :2], jnp.zeros(2), jnp.zeros(2))
    told, found = (jax.vmap(lambda P, o, s=s: correct(P, o, pushed, 2.0, s))(jnp.asarray(P), few) for s in (None, seen))
    assert_close(told, found, 1e-9, 1e-12)


def test_two_half_steps_are_a_whole_one():
    quiet = e.ExtendedKalman(
        Cart(), eqx.tree_at(lambda n: (n.control, n.drift), CART_NOISE, (jnp.zeros(1), jnp.zeros(3)))
    )
    predict = jax.jit(lambda belief, dt: quiet.predict(belief, jnp.asarray(0.7), dt))
    start = quiet.init(CART_GUESS)
    whole, halves = predict(start, 0.3), predict(predict(start, 0.1), 0.2)
    assert_close((whole.state, whole.covariance), (halves.state, halves.covariance))


def test_a_gap_in_one_channel_widens_what_only_it_tells():
    samples = cart_log(seed=4)
    measurement = samples.measurement | {"position": samples.measurement["position"].at[20:].set(jnp.nan)}
    with_gap = e.Sample(samples.dt, samples.control, measurement)
    full, gap = (e.replay(CART, CART.init(CART_GUESS), log).belief.std for log in (samples, with_gap))
    assert gap[0] > 2 * full[0]  # the position
    assert gap[2] < 1.2 * full[2]  # the velocity, which has a channel of its own


def test_precise_sensors_after_a_vague_guess_leave_a_covariance():
    """A ratio of 1e12 between prior and sensor variance: a subtraction that keeps four digits."""
    sharp = e.ExtendedKalman(Cart(), eqx.tree_at(lambda n: n.measurement, CART_NOISE, jnp.array([1e-4, 1e-4])))
    guess = e.Guess(CART_GUESS.state, jnp.full(3, 100.0))
    run = e.replay(sharp, sharp.init(guess), cart_log(seed=5)).recorded
    assert np.linalg.eigvalsh(run.covariance).min() > 0


HOVER = e.ExtendedKalman(Hover(), registry.HOVER_NOISE)


def test_nothing_is_learnt_from_a_channel_whose_input_is_lost():
    """An accelerometer without the thrust says nothing about the weight, however long it is read."""
    samples = registry.hover_log(seed=1)
    blind = e.Sample(samples.dt, jnp.full_like(samples.control, jnp.nan), samples.measurement)
    run = e.replay(HOVER, HOVER.init(registry.HOVER_GUESS), blind)
    assert_close(run.belief.state, registry.HOVER_GUESS.state)
    assert float(run.belief.std[0]) >= float(registry.HOVER_GUESS.std[0])
    assert np.all(np.asarray(run.recorded.status) == e.Status.BLIND | e.Status.COASTED)


def test_noise_of_an_input_is_noise_of_what_depends_on_it():
    """The innovation's variance: of the state, of the sensor, and of the thrust through `g / hover_thrust`."""
    sample = jax.tree.map(lambda leaf: leaf[0], registry.hover_log(seed=2))
    found = registry.one_step(HOVER, HOVER.init(registry.HOVER_GUESS), sample).innovation.variance[0]
    slope = 9.81 / 0.5
    np.testing.assert_allclose(found, (slope * sample.control * 0.3) ** 2 + 0.5**2 + (slope * 0.01) ** 2, rtol=1e-12)


@pytest.fixture(scope="module")
def turning():
    """Random states and controls of a multirotor that has every unknown."""
    rng = np.random.default_rng(2)

    def states(q, p, v, mass, drag, loss):
        return m.MultirotorState(SO3(q / jnp.sqrt(q @ q)), p, v, mass, drag, loss)

    shapes = ((4,), (3,), (3,), (), (2,), (1,))
    drawn = jax.vmap(states)(*(jnp.asarray(rng.standard_normal((20, *shape))) for shape in shapes))
    thrust, rates = 10 + rng.standard_normal(20), 2 * rng.standard_normal((20, 3))
    return drawn, jax.vmap(m.MultirotorControl)(jnp.asarray(thrust), jnp.asarray(rates))


def differences(f, origin, at, size: int, h: float = 1e-6):
    """The derivative of `f` about `at` by central differences on the manifold."""
    steps = h * jnp.eye(size)
    ahead, behind = (
        jax.vmap(lambda d, sign=sign: local(origin, f(retract(at, sign * d))))(steps) for sign in (1.0, -1.0)
    )
    return (ahead - behind).T / (2 * h)


def test_its_jacobians_are_differences_on_the_manifold(turning):
    model, dt = m.Multirotor(gravity=(0.1, -0.2, -9.8)), 0.05
    noise = e.Noise(jnp.ones(9), jnp.zeros(4), jnp.zeros(13), jnp.zeros(4))

    @jax.jit
    @jax.vmap
    def both(state, control):
        transition = linearise_dynamics(model, noise, state, control, dt)
        F = differences(lambda x: model.dynamics(x, control, dt), transition.state, state, 13)
        reading = model.observe(state, control)
        observation = linearise_observation(model, noise, state, control, reading, jnp.asarray(False))
        H = differences(lambda x: model.observe(x, control), reading, state, 13)
        return (transition.F, observation.H), (F, H)

    ours, referee = both(*turning)
    assert_close(ours, referee, rtol=1e-7, atol=1e-7)


def test_input_noise_enters_where_the_input_does(turning):
    model, dt = m.Multirotor(), 0.05
    std = np.array([0.3, 0.01, 0.02, 0.03])
    noise = e.Noise(jnp.ones(9), jnp.asarray(std), jnp.zeros(13), jnp.zeros(4))

    @jax.jit
    @jax.vmap
    def both(state, control):
        transition = linearise_dynamics(model, noise, state, control, dt)
        G = differences(lambda u: model.dynamics(state, u, dt), transition.state, control, 4)
        return transition.Q, G

    Q, G = map(np.asarray, both(*turning))
    np.testing.assert_allclose(Q, (G * std**2) @ np.swapaxes(G, 1, 2), rtol=1e-6, atol=1e-9)


def test_turning_the_world_turns_the_answer_and_not_the_mass():
    yaw = SO3.from_z_radians(jnp.asarray(0.8))
    samples = registry.rotor_log(seed=6, mass=1.3)
    rotor = e.ExtendedKalman(m.Multirotor(drag=(0.3, 0.08)), registry.ROTOR_NOISE)
    read = samples.measurement
    turned = e.Sample(samples.dt, samples.control, jax.vmap(lambda r: _turn(yaw, r))(read))
    starts = [rotor.init(e.Guess(state, registry.ROTOR_STD)) for state in (registry.rotor_state(),) * 2]
    starts[1] = eqx.tree_at(lambda b: b.state, starts[1], _turn(yaw, starts[1].state))
    stack = jax.tree.map(lambda *leaves: jnp.stack(leaves), *starts)
    logs = jax.tree.map(lambda *leaves: jnp.stack(leaves), samples, turned)
    beliefs = e.campaign(rotor, stack, logs, keep=lambda b: b.status).belief
    plain, other = (jax.tree.map(lambda leaf, k=k: leaf[k], beliefs) for k in (0, 1))

    R = np.asarray(yaw.as_matrix())
    T = np.eye(10)
    T[3:6, 3:6] = T[6:9, 6:9] = R
    np.testing.assert_allclose(other.state.log_mass, plain.state.log_mass, atol=1e-10)
    np.testing.assert_allclose(other.state.velocity, R @ plain.state.velocity, atol=1e-10)
    np.testing.assert_allclose(other.state.attitude.as_matrix(), R @ plain.state.attitude.as_matrix(), atol=1e-10)
    np.testing.assert_allclose(other.covariance, T @ plain.covariance @ T.T, rtol=1e-8, atol=1e-12)


def _turn(yaw: SO3, thing):
    """A state or a reading as seen from a world that is turned by `yaw`."""
    return eqx.tree_at(
        lambda s: (s.attitude, s.position, s.velocity),
        thing,
        (yaw @ thing.attitude, yaw @ thing.position, yaw @ thing.velocity),
    )
