"""The scenario of the filters: a simulated flight, the ten-state mass filter, and its peer."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.bench._filterpy import FilterpyMass
from steelyard.config import Config
from steelyard.estimators import Belief, ExtendedKalman, Guess, Noise, Sample
from steelyard.geometry import SO3
from steelyard.logs import Log
from steelyard.models import Multirotor, MultirotorState
from steelyard.problems import read_flight_record
from steelyard.worlds import MultirotorScenario, simulate


@dataclasses.dataclass(frozen=True)
class RaceScenario:
    """Everything both runners need."""

    estimator: ExtendedKalman
    belief: Belief
    samples: Sample
    """With a leading axis of time."""

    def peer(self) -> FilterpyMass:
        """The peer at the start."""
        noise, state = self.estimator.noise, self.belief.state
        return FilterpyMass(
            np.asarray(noise.measurement),
            np.asarray(noise.control),
            np.asarray(noise.drift),
            np.asarray(self.belief.std),
            np.asarray(state.attitude.wxyz),
            np.asarray(state.position),
            np.asarray(state.velocity),
            float(state.log_mass),
        )

    def peer_rows(self) -> list[tuple]:
        """The samples as the peer takes them."""
        control, reading = self.samples.control, self.samples.measurement
        columns = (self.samples.dt, control.thrust, control.rates, reading.attitude.wxyz, reading.position)
        return list(zip(*map(np.asarray, (*columns, reading.velocity)), strict=True))


def lay_out(seconds: float = 10.0) -> RaceScenario:
    """A constant-mass flight without drag, so that ten states are the whole truth."""
    flight = MultirotorScenario(profile="constant", duration=seconds, drag=0.0, quadratic_drag=0.0)
    columns = simulate(flight, seed=1)
    record = read_flight_record(Log(columns.pop("time"), columns, "bench"), "r1", Config())
    none = jnp.zeros(0)
    state = MultirotorState(
        SO3(jnp.asarray(record.attitude[0])),
        jnp.asarray(record.position[0]),
        jnp.asarray(record.velocity[0]),
        jnp.log(jnp.asarray(1.2)),
        none,
        none,
    )
    noise = Noise(
        measurement=jnp.array([0.01] * 6 + [0.03] * 3),
        control=jnp.array([0.3] + [0.01] * 3),
        drift=jnp.array([0.0] * 9 + [0.02]),
        blind=jnp.ones(4),
    )
    estimator = ExtendedKalman(Multirotor(), noise)
    belief = estimator.init(Guess(state, jnp.array([0.01] * 6 + [0.03] * 3 + [0.3])))
    return RaceScenario(estimator, belief, jax.tree.map(jnp.asarray, record.samples()))
