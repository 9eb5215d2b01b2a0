"""The ways to weigh a multirotor: for each method an estimator, a start, the samples, and what to keep."""

import dataclasses
from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.estimators import (
    Belief,
    Estimator,
    ExtendedKalman,
    Guess,
    Innovation,
    MultiStateKalman,
    Noise,
    RecursiveLeastSquares,
    Sample,
    SlidingWindow,
    UnscentedKalman,
)
from steelyard.models import CommandedState, ImpulseState, MultirotorImpulse, Numbers
from steelyard.monitor import Change, ChangeWatch, no_change
from steelyard.problems.multirotor._impulses import impulses
from steelyard.problems.multirotor._noise import Figures
from steelyard.problems.multirotor._reading import Flight
from steelyard.problems.multirotor._setup import (
    DRAG_PRIOR,
    LAG_PRIOR,
    MASS_PRIOR,
    Plant,
    drag_is_unknown,
    first_mass,
    set_up,
)

WALK = 0.02
"""How fast the logarithm of the mass wanders in the paper's filters, per √s."""


class Track(eqx.Module):
    """What a run keeps of every row, whatever the method."""

    log_mass: Float[Numbers, "*batch"]
    log_mass_std: Float[Numbers, "*batch"]
    mass_rate: Float[Numbers, "*batch"]
    """kg/s; zero where the method knows of none."""
    drag: Float[Numbers, "*batch drag"]
    """Linear, then quadratic."""
    drag_std: Float[Numbers, "*batch drag"]
    log_lag: Float[Numbers, "*batch lag"]
    """Of the motors' time constant, where it is estimated."""
    log_lag_std: Float[Numbers, "*batch lag"]
    innovation: Innovation
    status: Int[Numbers, "*batch"]
    change: Change


@dataclasses.dataclass(frozen=True)
class Weighing:
    """A method made ready for a flight."""

    estimator: Estimator
    belief: Belief
    samples: Sample
    keep: Callable[[Belief], Track]
    channels: tuple[str, ...]
    """Names of the innovations."""


@eqx.filter_jit
def _start(estimator: Estimator, guess: Guess) -> Belief:
    return estimator.init(guess)


def adaptive(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """Ours: a quiet filter that follows a slow loss and reopens at a jump."""
    drift = config.multirotor.mass_drift
    plant = set_up(flight, figures, config, 5e-4 if drift is None else drift, may_spray=True)
    estimator = ChangeWatch(
        ExtendedKalman(plant.model, plant.noise),
        watch=(plant.coordinate("log_mass"), plant.coordinate("loss/0")),
        jump_std=(0.3, 0.08 * plant.mass),
        threshold=10.0,
        bend=0.5,
    )
    return _ready(estimator, plant, flight, _keep_watched)


def ekf(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """The paper's filter, [sesame, Eqs. (3)-(8)]: the mass walks at random, fast enough for a step in a second."""
    plant = _walking(flight, figures, config)
    return _ready(ExtendedKalman(plant.model, plant.noise), plant, flight, _keep_filtered)


def ukf(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """The paper's filter by points instead of derivatives, [sesame, Eqs. (15)-(17)]; all else as in `ekf`."""
    plant = _walking(flight, figures, config)
    return _ready(UnscentedKalman(plant.model, plant.noise), plant, flight, _keep_filtered)


def msckf(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """The paper's filter with clones of its last rows, all but the parameters, [sesame, Eqs. (9)-(14), (49)]."""
    plant = _walking(flight, figures, config)
    estimator = MultiStateKalman(plant.model, plant.noise, _window(flight, config), cloned=tuple(range(9)))
    return _ready(estimator, plant, flight, _keep_filtered)


def swls(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """Least squares over the last rows, the rest a prior, [sesame, Eqs. (18)-(23), (50)-(54)]; all else as in `ekf`."""
    plant = _walking(flight, figures, config)
    return _ready(SlidingWindow(plant.model, plant.noise, _window(flight, config)), plant, flight, _keep_filtered)


def _window(flight: Flight, config: Config) -> int:
    """Rows to look back on; a flight must have as many."""
    rows, window = len(flight.time), config.multirotor.window
    if rows < window:
        raise BadInput(
            f"{flight.robot}'s flight has {rows} rows, fewer than the {window} of the window; give a longer flight, or "
            "a smaller [multirotor] window."
        )
    return window


def rls(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """Least squares on the impulse of blocks of a quarter second, the past fading over two seconds."""
    flight = flight.acted(config.multirotor.motor_lag or LAG_PRIOR[0])
    samples = impulses(flight, config, block=0.25)
    mass = float(first_mass(flight, config))
    state = ImpulseState(jnp.asarray(1.0 / mass), jnp.zeros(2))
    drag_std = np.array(DRAG_PRIOR) / mass if drag_is_unknown(config) else np.full(2, 1e-9)
    guess = Guess(state, jnp.array([MASS_PRIOR / mass, *drag_std]))
    noise = Noise(jnp.full(3, np.sqrt(2.0) * figures.linear_velocity), jnp.zeros(9), jnp.zeros(3), jnp.ones(9))
    estimator = RecursiveLeastSquares(MultirotorImpulse(), noise, memory=2.0, gate=8.0)
    return Weighing(estimator, _start(estimator, guess), samples, _keep_regressed, tuple(f"impulse/{a}" for a in "xyz"))


def _walking(flight: Flight, figures: Figures, config: Config) -> Plant:
    """A vehicle whose mass walks at random."""
    drift = config.multirotor.mass_drift
    return set_up(flight, figures, config, WALK if drift is None else drift, may_spray=False)


def _ready(estimator: Estimator, plant: Plant, flight: Flight, keep: Callable[[Belief], Track]) -> Weighing:
    return Weighing(estimator, _start(estimator, plant.guess), flight.samples(), keep, _CHANNELS)


METHODS: dict[str, Callable[[Flight, Figures, Config], Weighing]] = {
    "adaptive": adaptive,
    "ekf": ekf,
    "ukf": ukf,
    "msckf": msckf,
    "swls": swls,
    "rls": rls,
}

_CHANNELS = tuple(f"{signal}/{axis}" for signal in ("attitude", "position", "linear_velocity") for axis in "xyz")


def _keep_filtered(belief: Belief) -> Track:
    return _keep(belief, no_change())


def _keep_watched(belief: Belief) -> Track:
    return _keep(belief, belief.change)


def _keep(belief: Belief, change: Change) -> Track:
    state, std = belief.state, belief.std
    body, log_lag = (state.body, state.log_lag) if isinstance(state, CommandedState) else (state, jnp.zeros(0))
    return Track(
        log_mass=body.log_mass,
        log_mass_std=std[9],
        mass_rate=-jnp.sum(body.loss),
        drag=body.drag,
        drag_std=std[10 : 10 + body.drag.size],
        log_lag=log_lag,
        log_lag_std=std[std.shape[0] - log_lag.size :],
        innovation=belief.innovation,
        status=belief.status,
        change=change,
    )


def _keep_regressed(belief: Belief) -> Track:
    """Mass and drag from the inverse mass and the ratios; a mass that is not positive is NaN, never a number."""
    w, std = belief.state.inverse_mass, belief.std
    mass = jnp.where(w > 0, 1.0 / w, jnp.nan)
    return Track(
        log_mass=jnp.log(mass),
        log_mass_std=std[0] * mass,
        mass_rate=jnp.zeros(()),
        drag=belief.state.drag_by_mass * mass,
        drag_std=std[1:3] * mass,
        log_lag=jnp.zeros(0),
        log_lag_std=jnp.zeros(0),
        innovation=belief.innovation,
        status=belief.status,
        change=no_change(),
    )
