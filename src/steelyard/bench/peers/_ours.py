"""Ours on the same flights: the very filter of the others, and what `identify` makes of the log."""

import functools
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from steelyard.bench.peers._filters import mass_estimate, start
from steelyard.bench.peers._flight import GRAVITY, Flight, MassEstimate
from steelyard.bench.peers._tuning import PEERS
from steelyard.estimators import ExtendedKalman, Guess, KalmanBelief, Noise, Sample, replay
from steelyard.models import Model
from steelyard.problems import identify


class InverseMass(Model):
    """Velocity and inverse mass under a known force."""

    def dynamics(self, state: Any, control: Any, dt: Any) -> Any:
        """Linear in the state."""
        u = state["inverse_mass"]
        return {"inverse_mass": u, "velocity": state["velocity"] + dt * (jnp.asarray(GRAVITY) + u * control)}

    def observe(self, state: Any, control: Any) -> Any:
        """The velocity."""
        return state["velocity"]

    def idle(self, state: Any) -> Any:
        """No force."""
        return jnp.zeros(3)


@functools.cache
def _filter(dt: float) -> ExtendedKalman:
    drift = [0.0, *[PEERS.acceleration_std * np.sqrt(dt)] * 3]
    noise = Noise(jnp.full(3, PEERS.velocity_std), jnp.zeros(3), jnp.array(drift), jnp.ones(3))
    return ExtendedKalman(InverseMass(), noise, gate=jnp.inf)


@eqx.filter_jit
def _start(estimator: ExtendedKalman, guess: Guess) -> KalmanBelief:
    return estimator.init(guess)


def _last(belief: Any) -> tuple[()]:
    return ()


def by_our_filter(flight: Flight) -> MassEstimate:
    """The filter of the others in machine code, Jacobians by autodiff."""
    estimator, (mean, covariance) = _filter(round(flight.dt, 9)), start(flight)
    state = {"inverse_mass": np.asarray(mean[3]), "velocity": mean[:3]}
    belief = _start(estimator, Guess(state, np.sqrt(np.diag(covariance))[[3, 0, 1, 2]]))
    samples = Sample(np.full(len(flight.time) - 1, flight.dt), flight.force[1:], flight.velocity[1:])
    after = replay(estimator, belief, samples, _last, "native").belief
    order = [1, 2, 3, 0]
    mean = np.append(after.state["velocity"], after.state["inverse_mass"])
    return mass_estimate(mean, np.asarray(after.covariance)[np.ix_(order, order)])


def by_identify(flight: Flight) -> MassEstimate | None:
    """`steelyard identify --as multirotor`, no noise stated; None where it does not say."""
    answers = identify(flight.log.without_truth(), "multirotor", flight.config)
    mass = answers[flight.log.robots[0]].mass
    return None if mass.value is None or mass.std is None else MassEstimate(float(mass.value), float(mass.std))
