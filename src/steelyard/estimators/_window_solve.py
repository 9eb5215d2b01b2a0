"""Least squares over a window of states, solved as an iterated smoother."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import differentiate, local, product, retract, tangent_size
from steelyard.models import Control, Increment, Measurement, Model, Numbers, State


class Prior(eqx.Module):
    """The prior on the state at the start of the window, from all rows before it."""

    origin: State
    """Where it was linearised, and stays so: its numbers are tangent coordinates here."""
    mean: Float[Numbers, " state"]
    covariance: Float[Numbers, "state state"]


class Moments(eqx.Module):
    """The measured rows of a window, oldest first, or one of them: what is known, then what is sought."""

    increment: Increment
    """From the moment before to this one."""
    increment_covariance: Float[Numbers, "*window increment increment"]
    drift: Float[Numbers, "*window state"]
    """Variance of the random walk on the way."""
    control: Control
    """The one that led here."""
    measurement: Measurement
    """What was read; where a channel was silent, any finite number."""
    precision: Float[Numbers, "*window meas"]
    """One over the variance of each channel's noise; zero where it was silent."""
    state: State
    slip: Float[Numbers, "*window increment"]
    """By how much the increment is off: the noise of the inputs."""
    walk: Float[Numbers, "*window state"]
    """The random walk that happened on the way, all of it at the end."""


class Window(eqx.Module):
    """The problem of [sesame, Eq. (21)], with the best answer so far.

    The unknowns are the state before the window and, for every moment, the noise on the way there; states follow:
    `x_k = travel(x_{k-1}, increment ⊞ slip) ⊞ walk`. So the squares to be made small are those of noises, each with the
    covariance it came with. [sesame, Eq. (54)] has residuals of states instead, whose weight is the inverse of a
    covariance that need not have one (four inputs drive nine states), multiplies by the wrong end's mass, and leaves
    the noise of the mass within a span out.
    """

    prior: Prior
    offset: Float[Numbers, " state"]
    """The state before the window, from the prior's origin."""
    moments: Moments
    covariance: Float[Numbers, "state state"]
    """Of the newest state, in tangent coordinates there."""

    @property
    def newest(self) -> State:
        """The state at the last moment."""
        return jax.tree.map(lambda leaf: leaf[-1], self.moments.state)


class _Linear(eqx.Module):
    """One moment, linearised along the present answer."""

    state: State
    F: Float[Array, "state state"]
    """By the state before."""
    G: Float[Array, "state increment"]
    """By the slip."""
    D: Float[Array, "state state"]
    """By the walk."""
    H: Float[Array, "meas state"]
    residual: Float[Array, " meas"]


class _Filtered(eqx.Module):
    """The correction of a state by all moments up to it, and the covariance after it."""

    delta: Float[Array, " state"]
    covariance: Float[Array, "state state"]


class _Trace(eqx.Module):
    """What the backward pass needs of one moment."""

    noise_gain: Float[Array, "increment state"]
    """From the adjoint to the slip."""
    walk_gain: Float[Array, "state state"]
    """From the adjoint to the walk."""
    seen: Float[Array, "meas state"]
    """Covariance of the state with each channel, before that channel was taken in."""
    certainty: Float[Array, " meas"]
    """One over the variance of each innovation."""
    innovation: Float[Array, " meas"]


def slide(model: Model, window: Window, moment: Moments, loss: float) -> Window:
    """The window one moment later: the oldest one joins the prior, linearised where its state is best known."""
    oldest = jax.tree.map(lambda leaf: leaf[:1], window.moments)
    state, start, _ = _start(window)
    linear = _linearise(model, state, oldest)
    passed, _ = _filter(start, linear, oldest, loss)
    moments = jax.tree.map(
        lambda rows, new: jnp.concatenate([rows[1:], jnp.asarray(new)[None]]), window.moments, moment
    )
    origin = jax.tree.map(lambda leaf: leaf[0], linear.state)
    prior = Prior(origin, passed.delta, passed.covariance)
    return Window(prior, jnp.zeros_like(window.offset), moments, window.covariance)


def solve(model: Model, window: Window, loss: float, iterations: int) -> Window:
    """Gauss-Newton steps from the answer at hand, [sesame, Eq. (21)].

    Each is a Kalman filter forwards and its adjoint backwards, [bell94], in the form of [bierman73], which needs
    vectors only on its way back and inverts nothing: exactly the step of the normal equations, in time and space
    linear in the window. Steps are not damped: a window starts from the answer to the one before.
    """

    def step(window, _):
        return _improve(model, window, loss), None

    window, _ = jax.lax.scan(step, window, None, length=iterations)

    def arrive(state, moment):
        state = retract(model.travel(state, retract(moment.increment, moment.slip)), moment.walk)
        return state, state

    _, states = jax.lax.scan(arrive, retract(window.prior.origin, window.offset), window.moments)
    return eqx.tree_at(lambda w: w.moments.state, window, states)


def _improve(model: Model, window: Window, loss: float) -> Window:
    """One Gauss-Newton step; states are left to whoever needs them."""
    state, start, D = _start(window)
    linear = _linearise(model, state, window.moments)
    end, traces = _filter(start, linear, window.moments, loss)
    adjoint, (slip, walk) = jax.lax.scan(_return, jnp.zeros_like(end.delta), (linear, traces), reverse=True)
    offset = window.prior.mean + product(window.prior.covariance, product(D.T, adjoint))
    moments = eqx.tree_at(lambda m: (m.slip, m.walk), window.moments, (slip, walk))
    return Window(window.prior, offset, moments, end.covariance)


def _start(window: Window) -> tuple[State, _Filtered, Float[Array, "state state"]]:
    """The state before the window, the prior's correction of it, and the derivative by the prior's coordinates."""
    prior = window.prior
    state, D = differentiate(lambda z: retract(prior.origin, z), window.offset)
    P = product(product(D, prior.covariance), D.T)
    return state, _Filtered(product(D, prior.mean - window.offset), P), D


def _linearise(model: Model, state: State, moments: Moments) -> _Linear:
    """Every moment along the present answer, which begins at `state`: most of what a window costs.

    Roads not taken: derivatives by parts (slip, travel, walk) and their products, and all moments side by side; a
    compiler that fuses works them out again wherever they are used, and both took longer.
    """

    def of(state: State, moment: Moments) -> tuple[State, _Linear]:
        def arrive(state, slip):
            return retract(model.travel(state, retract(moment.increment, slip)), moment.walk)

        n = tangent_size(state)
        unwalked = model.travel(state, retract(moment.increment, moment.slip))
        after, jacobian = differentiate(arrive, state, moment.slip)
        _, D = differentiate(lambda walk: retract(unwalked, walk), moment.walk)
        # The derivative of the difference itself, not of what is expected: they differ where a reading turns.
        residual, by_state = differentiate(lambda x: local(model.observe(x, moment.control), moment.measurement), after)
        return after, _Linear(after, jacobian[:, :n], jacobian[:, n:], D, -by_state, residual)

    return jax.lax.scan(of, state, moments)[1]


def _filter(start: _Filtered, linear: _Linear, moments: Moments, loss: float) -> tuple[_Filtered, _Trace]:
    """A Kalman filter on what is left of the noises."""

    def take_in(so_far, channel):
        P, delta = so_far
        h, y, p = channel
        Ph = product(P, h)
        certainty = p / (1.0 + p * jnp.sum(h * Ph))
        innovation = y - jnp.sum(h * delta)
        so_far = P - certainty * jnp.outer(Ph, Ph), delta + certainty * innovation * Ph
        return so_far, (Ph, certainty, innovation)

    def of(before: _Filtered, given: tuple[_Linear, Moments]) -> tuple[_Filtered, _Trace]:
        at, moment = given
        QG, QD = product(moment.increment_covariance, at.G.T), moment.drift[:, None] * at.D.T
        P = product(product(at.F, before.covariance), at.F.T) + product(at.G, QG) + product(at.D, QD)
        P = 0.5 * (P + P.T)
        delta = product(at.F, before.delta) - product(at.G, moment.slip) - product(at.D, moment.walk)
        off = jnp.abs(at.residual) * jnp.sqrt(moment.precision)
        precision = moment.precision * jnp.minimum(1.0, loss / off)  # Huber's loss, as weights
        (P, delta), seen = jax.lax.scan(take_in, (P, delta), (at.H, at.residual, precision))
        return _Filtered(delta, P), _Trace(QG, QD, *seen)

    return jax.lax.scan(of, start, (linear, moments))


def _return(
    adjoint: Float[Array, " state"], given: tuple[_Linear, _Trace]
) -> tuple[Float[Array, " state"], tuple[Float[Array, " increment"], Float[Array, " state"]]]:
    """The adjoint before a moment from the one after it, and the noises that follow from it."""
    at, trace = given

    def let_out(adjoint, channel):
        h, Ph, certainty, innovation = channel
        return adjoint + certainty * (innovation - jnp.sum(Ph * adjoint)) * h, None

    channels = (at.H, trace.seen, trace.certainty, trace.innovation)
    adjoint, _ = jax.lax.scan(let_out, adjoint, channels, reverse=True)
    return product(at.F.T, adjoint), (product(trace.noise_gain, adjoint), product(trace.walk_gain, adjoint))
