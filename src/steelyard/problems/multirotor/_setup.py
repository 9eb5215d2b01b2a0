"""A multirotor as its filters see it: a model with its unknowns, where to start, and what is random."""

import dataclasses

import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.estimators import Guess, Noise
from steelyard.geometry import SO3, tangent_names
from steelyard.models import CommandedMultirotor, CommandedState, Model, Multirotor, MultirotorState
from steelyard.problems.multirotor._noise import Figures
from steelyard.problems.multirotor._reading import Flight

MASS_PRIOR = 0.4
"""Standard deviation of the first guess of the logarithm of the mass."""
DRAG_PRIOR = (0.5, 0.2)
"""Standard deviation of the linear (N s/m) and quadratic (N s²/m²) drag coefficient before the flight."""
DRAG_DRIFT = 0.002
"""How fast drag may wander, in its units per √s."""
LOSS_DRIFT = 0.001
"""How fast a flow may wander, as a share of the mass, 1/s per √s; also how large it may be at first, 1/s."""
LAG_PRIOR = (0.05, 0.7)
"""Motors' usual time constant, s, and the standard deviation of its logarithm before the flight."""


@dataclasses.dataclass(frozen=True)
class Plant:
    """What every Kalman-type method needs."""

    model: Model
    noise: Noise
    guess: Guess
    mass: float
    """First guess, kg."""

    def coordinate(self, name: str) -> int:
        """Where a scalar unknown is among the tangent coordinates: `log_mass`, `loss/0`."""
        return next(k for k, path in enumerate(tangent_names(self.guess.state)) if f"/{path}".endswith(f"/{name}"))


def set_up(flight: Flight, figures: Figures, config: Config, mass_drift: float, may_spray: bool) -> Plant:
    """The body alone where the thrust that acted is logged; behind its motors where only the command is."""
    drag = np.zeros(2 if drag_is_unknown(config) else 0)
    loss = np.zeros(1 if may_spray else 0)
    mass = first_mass(flight, config)
    state = MultirotorState(
        attitude=SO3(jnp.asarray(_first(flight.attitude, [1.0, 0.0, 0.0, 0.0]))),
        position=_first(flight.position, np.zeros(3)),
        velocity=_first(flight.velocity, np.zeros(3)),
        log_mass=np.asarray(np.log(mass)),
        drag=drag,
        loss=loss,
    )
    x, v, theta = figures.position, figures.linear_velocity, figures.attitude
    given = (config.multirotor.drag or 0.0, config.multirotor.quadratic_drag or 0.0)
    body = Multirotor(drag=given, gravity=config.gravity)
    moving = [theta] * 3 + [x] * 3 + [max(v, 0.1)] * 3
    std = [*moving, MASS_PRIOR, *DRAG_PRIOR[: drag.size], *[LOSS_DRIFT * mass] * loss.size]
    drift = [0.0] * 9 + [mass_drift] + [DRAG_DRIFT] * drag.size + [LOSS_DRIFT * mass] * loss.size
    reading = jnp.asarray([theta] * 3 + [x] * 3 + [v] * 3)
    weight = 9.81 * mass
    if not flight.commanded:
        noise = Noise(
            measurement=reading,
            control=jnp.asarray([figures.thrust] + [figures.rates] * 3),
            drift=jnp.asarray(drift),
            blind=jnp.asarray([0.5 * weight, 1.0, 1.0, 1.0]),
        )
        return Plant(body, noise, Guess(state, jnp.asarray(std)), mass)
    lag = config.multirotor.motor_lag
    unknown = [] if lag is not None else [LAG_PRIOR[1]]
    log_lag = np.full(len(unknown), np.log(LAG_PRIOR[0]))
    noise = Noise(
        measurement=reading,
        control=jnp.asarray([1e-4 * weight, figures.thrust] + [figures.rates] * 3),
        drift=jnp.asarray(drift + [0.0] * (1 + len(unknown))),
        blind=jnp.asarray([0.5 * weight, figures.thrust, 1.0, 1.0, 1.0]),
    )
    thrust = np.asarray(_first(flight.thrust[:, None], [weight])[0])
    guess = Guess(CommandedState(state, thrust, log_lag), jnp.asarray([*std, 0.1 * weight, *unknown]))
    return Plant(CommandedMultirotor(body, LAG_PRIOR[0] if lag is None else lag), noise, guess, mass)


def drag_is_unknown(config: Config) -> bool:
    """Whether drag is to be found along with the mass: unless it is stated, or its estimation is off."""
    own = config.multirotor
    return own.estimate_drag and own.drag is None and own.quadratic_drag is None


def first_mass(flight: Flight, config: Config) -> float:
    """The stated guess; else the mass that the first second's impulse suggests, kg."""
    if config.guess.mass is not None:
        return config.guess.mass
    g = np.asarray(config.gravity)
    thrust = np.nan_to_num(flight.thrust)
    early = flight.time <= flight.time[0] + 1.0
    heard = np.flatnonzero(early & np.isfinite(flight.velocity).all(axis=1))
    weight = max(float(thrust[early].mean()), 1e-3)
    if heard.size < 2 or flight.time[heard[-1]] - flight.time[heard[0]] < 0.3:
        return weight / max(float(np.linalg.norm(g)), 1.0)
    first, last = heard[0], heard[-1]
    impulse = np.linalg.norm(
        flight.velocity[last] - flight.velocity[first] - g * (flight.time[last] - flight.time[first])
    )
    given = np.sum(thrust[first : last + 1][1:] * np.diff(flight.time[first : last + 1]))
    return float(np.clip(given / max(impulse, 1e-6), 0.2 * weight / 9.81, 5.0 * weight / 9.81))


def _first(values: np.ndarray, spare) -> np.ndarray:
    heard = np.flatnonzero(np.isfinite(values).all(axis=1))
    return values[heard[0]] if heard.size else np.asarray(spare, float)
