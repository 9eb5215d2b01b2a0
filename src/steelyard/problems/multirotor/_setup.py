"""A multirotor as its filters see it: a model with its unknowns, where to start, and what is random."""

import dataclasses

import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.estimators import Guess, Noise
from steelyard.geometry import SO3, tangent_names
from steelyard.models import CommandedMultirotor, CommandedState, Model, Multirotor, MultirotorState
from steelyard.problems.multirotor._noise import NoiseLevels
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class ModelSetup:
    """What every Kalman-type method needs."""

    model: Model
    noise: Noise
    guess: Guess
    mass: float
    """First guess, kg."""

    def coordinate(self, name: str) -> int:
        """Where a scalar unknown is among the tangent coordinates: `log_mass`, `loss/0`."""
        return next(k for k, path in enumerate(tangent_names(self.guess.state)) if f"/{path}".endswith(f"/{name}"))


def set_up(record: FlightRecord, levels: NoiseLevels, config: Config, mass_drift: float, may_flow: bool) -> ModelSetup:
    """The body alone where the thrust that acted is logged; behind its motors where only the command is."""
    drag = np.zeros(2 if drag_is_unknown(config) else 0)
    loss = np.zeros(1 if may_flow else 0)
    mass = first_mass(record, config)
    state = MultirotorState(
        attitude=SO3(jnp.asarray(_first(record.attitude, [1.0, 0.0, 0.0, 0.0]))),
        position=_first(record.position, np.zeros(3)),
        velocity=_first(record.velocity, np.zeros(3)),
        log_mass=np.asarray(np.log(mass)),
        drag=drag,
        loss=loss,
    )
    x, v, theta = levels.position, levels.linear_velocity, levels.attitude
    given = (config.multirotor.drag or 0.0, config.multirotor.quadratic_drag or 0.0)
    body = Multirotor(drag=given, gravity=config.gravity)
    moving = [theta] * 3 + [x] * 3 + [max(v, 0.1)] * 3
    std = [*moving, TUNING.mass_prior, *TUNING.drag_prior[: drag.size], *[TUNING.loss_drift * mass] * loss.size]
    drift = [0.0] * 9 + [mass_drift] + [TUNING.drag_drift] * drag.size + [TUNING.loss_drift * mass] * loss.size
    reading = jnp.asarray([theta] * 3 + [x] * 3 + [v] * 3)
    weight = 9.81 * mass
    if not record.commanded:
        noise = Noise(
            measurement=reading,
            control=jnp.asarray([levels.thrust] + [levels.rates] * 3),
            drift=jnp.asarray(drift),
            blind=jnp.asarray([0.5 * weight, 1.0, 1.0, 1.0]),
        )
        return ModelSetup(body, noise, Guess(state, jnp.asarray(std)), mass)
    lag = config.multirotor.motor_lag
    unknown = [] if lag is not None else [TUNING.lag_prior[1]]
    log_lag = np.full(len(unknown), np.log(TUNING.lag_prior[0]))
    noise = Noise(
        measurement=reading,
        control=jnp.asarray([1e-4 * weight, levels.thrust] + [levels.rates] * 3),
        drift=jnp.asarray(drift + [0.0] * (1 + len(unknown))),
        blind=jnp.asarray([0.5 * weight, levels.thrust, 1.0, 1.0, 1.0]),
    )
    thrust = np.asarray(_first(record.thrust[:, None], [weight])[0])
    guess = Guess(CommandedState(state, thrust, log_lag), jnp.asarray([*std, 0.1 * weight, *unknown]))
    return ModelSetup(CommandedMultirotor(body, TUNING.lag_prior[0] if lag is None else lag), noise, guess, mass)


def drag_is_unknown(config: Config) -> bool:
    """Whether drag is to be found along with the mass: unless it is stated, or its estimation is off."""
    own = config.multirotor
    return own.estimate_drag and own.drag is None and own.quadratic_drag is None


def first_mass(record: FlightRecord, config: Config) -> float:
    """The stated guess; else the mass that the first second's impulse suggests, kg."""
    if config.guess.mass is not None:
        return config.guess.mass
    g = np.asarray(config.gravity)
    given = np.isfinite(record.thrust)
    thrust = np.interp(record.time, record.time[given], record.thrust[given]) if given.any() else np.zeros(len(given))
    early = record.time <= record.time[0] + TUNING.first_mass_span
    heard = np.flatnonzero(early & np.isfinite(record.velocity).all(axis=1))
    weight = max(float(thrust[early].mean()), 1e-3)
    if heard.size < 2 or record.time[heard[-1]] - record.time[heard[0]] < 0.3:
        return weight / max(float(np.linalg.norm(g)), 1.0)
    first, last = heard[0], heard[-1]
    impulse = np.linalg.norm(
        record.velocity[last] - record.velocity[first] - g * (record.time[last] - record.time[first])
    )
    given = np.sum(thrust[first : last + 1][1:] * np.diff(record.time[first : last + 1]))
    return float(np.clip(given / max(impulse, 1e-6), 0.2 * weight / 9.81, 5.0 * weight / 9.81))


def _first(values: np.ndarray, spare) -> np.ndarray:
    heard = np.flatnonzero(np.isfinite(values).all(axis=1))
    return values[heard[0]] if heard.size else np.asarray(spare, float)
