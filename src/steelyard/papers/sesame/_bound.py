"""The bound on the mass: of a filter that knows everything but the mass itself."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.estimators import ExtendedKalman, Guess, Noise, Sample
from steelyard.models import CommandedMultirotor, CommandedState, Multirotor, MultirotorState
from steelyard.papers.sesame._data import Flown
from steelyard.papers.sesame._samples import as_it_was_driven, sensor_noise
from steelyard.papers.sesame._tuning import FILTERS
from steelyard.worlds import SESAME_AIRFRAME, turning_times

_LOG_MASS, _LOSS = 9, 10


def attainable(flown: Flown) -> np.ndarray:
    """Relative standard deviation of the mass at every row, of a filter that knows drag, lag, noise, changes.

    Its covariance follows the recursion of the posterior Cramér-Rao bound along the flight [tichavsky98]: a method
    that does not know them can at best come near.
    """
    flight, columns = flown
    moments = np.zeros(len(columns["time"]))
    moments[np.searchsorted(columns["time"], turning_times(flight.profile, SESAME_AIRFRAME.duration))] = 1.0
    jumps, flows = (moments, 0.0 * moments) if flight.profile != "ramp" else (0.0 * moments, moments)
    changes = np.stack([FILTERS.jump**2 * jumps, FILTERS.flow**2 * flows], axis=1)
    return np.asarray(_deviations(as_it_was_driven(columns), jnp.asarray(changes)))


@eqx.filter_jit
def _deviations(samples: Sample, changes: Float[Array, "time 2"]) -> Float[Array, " time"]:
    oracle = _oracle()
    first = jax.tree.map(lambda leaf: leaf[0], samples.measurement)
    log_mass = jnp.log(jnp.asarray(SESAME_AIRFRAME.mass))
    body = MultirotorState(first.attitude, first.position, first.velocity, log_mass, jnp.zeros(0), jnp.zeros(1))
    state = CommandedState(body, jnp.asarray(9.81 * SESAME_AIRFRAME.mass), jnp.zeros(0))
    std = jnp.asarray([*sensor_noise(), 0.4, 0.0, 0.0])

    def row(belief, given):
        sample, variances = given
        # The change is given before the row in which its effect first shows.
        P = belief.covariance.at[_LOG_MASS, _LOG_MASS].add(variances[0]).at[_LOSS, _LOSS].add(variances[1])
        belief = oracle.step(eqx.tree_at(lambda b: b.covariance, belief, P), sample)
        return belief, belief.std[_LOG_MASS]

    return jax.lax.scan(row, oracle.init(Guess(state, std)), (samples, changes))[1]


def _oracle() -> ExtendedKalman:
    airframe = SESAME_AIRFRAME
    gust = airframe.motor_noise * 2.0 * np.sqrt(9.81 * airframe.mass / 4 * 18.8)  # four rotors at hover, N
    noise = Noise(
        measurement=jnp.asarray(sensor_noise()),
        control=jnp.asarray([1e-6, gust] + [airframe.rates_noise / np.sqrt(2)] * 3),
        drift=jnp.zeros(12),
        blind=jnp.ones(5),
    )
    body = Multirotor(drag=(airframe.drag, airframe.quadratic_drag))
    return ExtendedKalman(CommandedMultirotor(body, airframe.motor_lag), noise)
