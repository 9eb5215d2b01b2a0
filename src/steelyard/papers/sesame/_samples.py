"""A flight's columns as samples: as the paper's model takes them, and as the vehicle truly is driven."""

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Sample
from steelyard.geometry import SO3
from steelyard.models import CommandedControl, MultirotorControl, MultirotorReading, common_rotor_bench
from steelyard.worlds import SESAME_AIRFRAME

Columns = dict[str, np.ndarray]


def as_the_paper_says(columns: Columns) -> Sample:
    """[sesame, Eqs. (44)-(46)]: the thrust that was asked for is taken for the one that acted."""
    return _samples(columns, MultirotorControl(_before(columns["r1/thrust"]), _rates(columns)))


def as_it_was_driven(columns: Columns) -> Sample:
    """Commands through the bench's map, for a model that has motors."""
    rotor = common_rotor_bench().thrust(jnp.asarray(columns["r1/throttle/1"] / 100.0))
    thrust = _before(4.0 * np.asarray(rotor))
    return _samples(columns, CommandedControl(thrust, np.zeros_like(thrust), _rates(columns)))


def sensor_noise() -> list[float]:
    """Of attitude, position and velocity, in the order of a reading."""
    airframe = SESAME_AIRFRAME
    return [airframe.attitude_noise] * 3 + [airframe.position_noise] * 3 + [airframe.velocity_noise] * 3


def _samples(columns: Columns, control: MultirotorControl | CommandedControl) -> Sample:
    attitude = SO3(jnp.asarray(_signal(columns, "attitude", "wxyz")))
    reading = MultirotorReading(
        attitude, _signal(columns, "position", "xyz"), _signal(columns, "linear_velocity", "xyz")
    )
    return jax.tree.map(jnp.asarray, Sample(np.diff(columns["time"], prepend=columns["time"][:1]), control, reading))


def _rates(columns: Columns) -> np.ndarray:
    """Over the interval that ends at each row."""
    rates = _signal(columns, "rates", "xyz")
    return 0.5 * (_before(rates) + rates)


def _signal(columns: Columns, name: str, axes: str) -> np.ndarray:
    return np.stack([columns[f"r1/{name}/{axis}"] for axis in axes], axis=1)


def _before(u: np.ndarray) -> np.ndarray:
    """A command acts from its row until the next."""
    return np.concatenate([u[:1], u[:-1]])
