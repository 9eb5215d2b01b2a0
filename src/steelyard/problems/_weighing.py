"""The ways to weigh a multirotor: for each method an estimator, a start, the samples, and what to keep."""

import dataclasses
from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from steelyard.config import Config
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
    UnscentedKalman,
)
from steelyard.geometry import SO3, tangent_names
from steelyard.models import (
    ImpulseControl,
    ImpulseState,
    Multirotor,
    MultirotorImpulse,
    MultirotorState,
    Numbers,
)
from steelyard.monitor import Change, ChangeWatch, no_change
from steelyard.problems._figures import Figures
from steelyard.problems._flight import Flight

MASS_PRIOR = 0.4
"""Standard deviation of the first guess of the logarithm of the mass."""
DRAG_PRIOR = (0.5, 0.2)
"""Standard deviation of the linear (N s/m) and quadratic (N s²/m²) drag coefficient before the flight."""


DRAG_DRIFT = 0.002
"""How fast drag may wander, in its units per √s."""
LOSS_DRIFT = 0.002
"""How fast the relative rate of loss may wander, 1/s per √s; also how large it may be at first, 1/s."""
WALK = 0.02
"""How fast the logarithm of the mass wanders in the paper's filters, per √s."""
CLONES = 10
"""Rows that `msckf` remembers."""


class Track(eqx.Module):
    """What a run keeps of every row, whatever the method."""

    log_mass: Float[Numbers, "*batch"]
    log_mass_std: Float[Numbers, "*batch"]
    log_mass_rate: Float[Numbers, "*batch"]
    """1/s; zero where the method knows of none."""
    drag: Float[Numbers, "*batch drag"]
    """Linear, then quadratic."""
    drag_std: Float[Numbers, "*batch drag"]
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


def _filter(
    flight: Flight, figures: Figures, config: Config, mass_drift: float, may_spray: bool
) -> tuple[ExtendedKalman, Guess]:
    """The error-state filter that all Kalman methods share, and where it starts."""
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
    moving = [theta] * 3 + [x] * 3 + [max(v, 0.1)] * 3
    guess = Guess(state, jnp.asarray([*moving, MASS_PRIOR, *DRAG_PRIOR[: drag.size], *[LOSS_DRIFT] * loss.size]))
    noise = Noise(
        measurement=jnp.asarray([theta] * 3 + [x] * 3 + [v] * 3),
        control=jnp.asarray([figures.thrust] + [figures.rates] * 3),
        drift=jnp.asarray([0.0] * 9 + [mass_drift] + [DRAG_DRIFT] * drag.size + [LOSS_DRIFT] * loss.size),
        blind=jnp.asarray([0.5 * 9.81 * mass, 1.0, 1.0, 1.0]),
    )
    given = (config.multirotor.drag or 0.0, config.multirotor.quadratic_drag or 0.0)
    return ExtendedKalman(Multirotor(drag=given, gravity=config.gravity), noise), guess


@eqx.filter_jit
def _start(estimator: Estimator, guess: Guess) -> Belief:
    return estimator.init(guess)


def adaptive(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """Ours: a quiet filter that follows a slow loss and reopens at a jump."""
    drift = config.multirotor.mass_drift
    ekf, guess = _filter(flight, figures, config, 5e-4 if drift is None else drift, may_spray=True)
    names = tangent_names(guess.state)
    watched = (names.index("log_mass"), names.index("loss/0"))
    estimator = ChangeWatch(ekf, watch=watched, jump_std=(0.3, 0.03), bend=0.5)
    return Weighing(estimator, _start(estimator, guess), flight.samples(), _keep_watched, _CHANNELS)


def ekf(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """The paper's filter, [sesame, Eqs. (3)-(8)]: the mass walks at random, fast enough for a step in a second."""
    drift = config.multirotor.mass_drift
    estimator, guess = _filter(flight, figures, config, WALK if drift is None else drift, may_spray=False)
    return Weighing(estimator, _start(estimator, guess), flight.samples(), _keep_filtered, _CHANNELS)


def ukf(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """The paper's filter by points instead of derivatives, [sesame, Eqs. (15)-(17)]; all else as in `ekf`."""
    drift = config.multirotor.mass_drift
    plain, guess = _filter(flight, figures, config, WALK if drift is None else drift, may_spray=False)
    estimator = UnscentedKalman(plain.model, plain.noise)
    return Weighing(estimator, _start(estimator, guess), flight.samples(), _keep_filtered, _CHANNELS)


def msckf(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """The paper's filter with clones of its last rows, all but the parameters, [sesame, Eqs. (9)-(14), (49)]."""
    drift = config.multirotor.mass_drift
    plain, guess = _filter(flight, figures, config, WALK if drift is None else drift, may_spray=False)
    estimator = MultiStateKalman(plain.model, plain.noise, CLONES, cloned=tuple(range(9)))
    return Weighing(estimator, _start(estimator, guess), flight.samples(), _keep_filtered, _CHANNELS)


def rls(flight: Flight, figures: Figures, config: Config) -> Weighing:
    """Least squares on the impulse of blocks of a quarter second, the past fading over two seconds."""
    samples = _impulses(flight, config, block=0.25)
    mass = float(first_mass(flight, config))
    state = ImpulseState(jnp.asarray(1.0 / mass), jnp.zeros(2))
    drag_std = np.array(DRAG_PRIOR) / mass if drag_is_unknown(config) else np.full(2, 1e-9)
    guess = Guess(state, jnp.array([MASS_PRIOR / mass, *drag_std]))
    noise = Noise(jnp.full(3, np.sqrt(2.0) * figures.linear_velocity), jnp.zeros(9), jnp.zeros(3), jnp.ones(9))
    estimator = RecursiveLeastSquares(MultirotorImpulse(), noise, memory=2.0, gate=8.0)
    return Weighing(estimator, _start(estimator, guess), samples, _keep_regressed, tuple(f"impulse/{a}" for a in "xyz"))


METHODS: dict[str, Callable[[Flight, Figures, Config], Weighing]] = {
    "adaptive": adaptive,
    "ekf": ekf,
    "ukf": ukf,
    "msckf": msckf,
    "rls": rls,
}

_CHANNELS = tuple(f"{signal}/{axis}" for signal in ("attitude", "position", "linear_velocity") for axis in "xyz")


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


def _impulses(flight: Flight, config: Config, block: float) -> Sample:
    """Integrals over blocks of time; rows that end no block are silent."""
    samples = flight.samples()
    dt = np.asarray(samples.dt)
    R = _matrices(flight.attitude)
    R_mid = 0.5 * (R + np.concatenate([R[:1], R[:-1]]))
    v_body = np.einsum("nji,nj->ni", R, flight.velocity)
    forces = (
        R_mid[:, :, 2] * samples.control.thrust[:, None],
        np.einsum("nij,nj->ni", R_mid, -v_body * [1.0, 1.0, 0.0]),
        np.einsum("nij,nj->ni", R_mid, -v_body * np.abs(v_body)),
    )
    ends = np.searchsorted(flight.time, np.arange(flight.time[0] + block, flight.time[-1] + 1e-9, block))
    ends = np.unique(np.concatenate([[0], ends[ends < len(dt)]]))
    measured, *controls = (np.full((len(dt), 3), np.nan) for _ in range(4))
    if ends.size < 2:
        return Sample(dt, ImpulseControl(*controls), measured)
    for control, force in zip(controls, forces, strict=True):
        control[ends[1:]] = np.add.reduceat((force * dt[:, None])[: ends[-1] + 1], ends[:-1] + 1)
    span = (flight.time[ends[1:]] - flight.time[ends[:-1]])[:, None]
    measured[ends[1:]] = flight.velocity[ends[1:]] - flight.velocity[ends[:-1]] - np.asarray(config.gravity) * span
    return Sample(dt, ImpulseControl(*controls), measured)


def _matrices(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _first(values: np.ndarray, spare) -> np.ndarray:
    heard = np.flatnonzero(np.isfinite(values).all(axis=1))
    return values[heard[0]] if heard.size else np.asarray(spare, float)


def _keep_filtered(belief: Belief) -> Track:
    return _keep(belief, no_change())


def _keep_watched(belief: Belief) -> Track:
    return _keep(belief, belief.change)


def _keep(belief: Belief, change: Change) -> Track:
    state, std = belief.state, belief.std
    return Track(
        log_mass=state.log_mass,
        log_mass_std=std[9],
        log_mass_rate=-jnp.sum(state.loss),
        drag=state.drag,
        drag_std=std[10 : 10 + state.drag.size],
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
        log_mass_rate=jnp.zeros(()),
        drag=belief.state.drag_by_mass * mass,
        drag_std=std[1:3] * mass,
        innovation=belief.innovation,
        status=belief.status,
        change=no_change(),
    )
