"""The methods for a multirotor: for each an estimator, a start, the samples, and what to keep of every row."""

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
    replay_in_chunks,
)
from steelyard.models import CommandedState, ImpulseState, MultirotorImpulse, Numbers
from steelyard.monitor import Change, ChangeWatch, no_change
from steelyard.problems.multirotor._impulses import impulses
from steelyard.problems.multirotor._noise import NoiseLevels, choose_noise_levels
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._setup import ModelSetup, drag_is_unknown, first_mass, set_up
from steelyard.problems.multirotor._tuning import TUNING


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
class EstimatorRun:
    """A method set up for one record: all that a replay needs."""

    estimator: Estimator
    belief: Belief
    samples: Sample
    keep: Callable[[Belief], Track]
    channels: tuple[str, ...]
    """Names of the innovations."""

    def track(self, progress: Callable[[int], None] = lambda rows: None) -> Track:
        """The replay over all rows; `progress` is called with the number of rows that are done."""
        return replay_in_chunks(self.estimator, self.belief, self.samples, self.keep, progress)


def noise_levels_of(record: FlightRecord, config: Config, method: str) -> tuple[NoiseLevels, tuple[str, ...]]:
    """The noise levels of a record, as configured or as its first rows suggest, and the notes about them."""
    return choose_noise_levels(record, config, _likelihood_of(record.head(TUNING.noise_rows), config, method))


def _likelihood_of(record: FlightRecord, config: Config, method: str) -> Callable[[NoiseLevels], float]:
    """The log-likelihood of a record as a function of the noise levels, rows around its jumps left out.

    The innovations at a jump are large and depend little on the noise. Which rows those are is settled by the first
    levels asked about, so that all others are compared on the same rows.
    """
    calm: list[np.ndarray] = []

    def log_likelihood(levels: NoiseLevels) -> float:
        track = METHODS[method](record, levels, config).track()
        if not calm:
            calm.append(_calm(record.time, track))
        value, variance = track.innovation.value[calm[0]], track.innovation.variance[calm[0]]
        return -0.5 * float(np.nansum(value**2 / variance + np.log(variance)))

    return log_likelihood


def _calm(times: np.ndarray, track: Track) -> np.ndarray:
    """Rows that are not just before or after a jump was detected."""
    calm = np.ones(len(times), bool)
    for row in np.flatnonzero(track.change.found):
        calm &= (times < times[row] - track.change.age[row] - 0.1) | (times > times[row] + 0.5)
    return calm


@eqx.filter_jit
def _start(estimator: Estimator, guess: Guess) -> Belief:
    return estimator.init(guess)


def adaptive(record: FlightRecord, levels: NoiseLevels, config: Config) -> EstimatorRun:
    """Ours: a filter with little process noise that follows a slow loss and reopens its covariance at a jump."""
    drift = config.multirotor.mass_drift
    setup = set_up(record, levels, config, TUNING.quiet_mass_walk if drift is None else drift, may_flow=True)
    estimator = ChangeWatch(
        ExtendedKalman(setup.model, setup.noise),
        watch=(setup.coordinate("log_mass"), setup.coordinate("loss/0")),
        jump_std=(TUNING.jump_std, np.asarray(TUNING.flow_jump_share * setup.mass)),  # an array: one program for all
        threshold=TUNING.jump_threshold,
        bend=TUNING.jump_bend,
    )
    return _run_of(estimator, setup, record, _keep_watched)


def ekf(record: FlightRecord, levels: NoiseLevels, config: Config) -> EstimatorRun:
    """The paper's filter, [sesame, Eqs. (3)-(8)]: the mass walks at random, fast enough for a step in a second."""
    setup = _walking(record, levels, config)
    return _run_of(ExtendedKalman(setup.model, setup.noise), setup, record, _keep_filtered)


def ukf(record: FlightRecord, levels: NoiseLevels, config: Config) -> EstimatorRun:
    """The paper's filter by points instead of derivatives, [sesame, Eqs. (15)-(17)]; all else as in `ekf`."""
    setup = _walking(record, levels, config)
    return _run_of(UnscentedKalman(setup.model, setup.noise), setup, record, _keep_filtered)


def msckf(record: FlightRecord, levels: NoiseLevels, config: Config) -> EstimatorRun:
    """The paper's filter with clones of its last rows, all but the parameters, [sesame, Eqs. (9)-(14), (49)]."""
    setup = _walking(record, levels, config)
    estimator = MultiStateKalman(setup.model, setup.noise, _window(record, config), cloned=tuple(range(9)))
    return _run_of(estimator, setup, record, _keep_filtered)


def swls(record: FlightRecord, levels: NoiseLevels, config: Config) -> EstimatorRun:
    """Least squares over the last rows, the rest a prior, [sesame, Eqs. (18)-(23), (50)-(54)]; all else as in `ekf`."""
    setup = _walking(record, levels, config)
    return _run_of(SlidingWindow(setup.model, setup.noise, _window(record, config)), setup, record, _keep_filtered)


def _window(record: FlightRecord, config: Config) -> int:
    """Rows to look back on; a record must have as many."""
    rows, window = len(record.time), config.multirotor.window
    if rows < window:
        raise BadInput(
            f"{record.robot}'s flight has {rows} rows, fewer than the {window} of the window; give a longer flight, or "
            "a smaller [multirotor] window."
        )
    return window


def rls(record: FlightRecord, levels: NoiseLevels, config: Config) -> EstimatorRun:
    """Least squares on the impulse of blocks of a quarter second, the past fading over two seconds."""
    record = record.acted(config.multirotor.motor_lag or TUNING.lag_prior[0])
    samples = impulses(record, config, TUNING.impulse_block)
    mass = float(first_mass(record, config))
    state = ImpulseState(jnp.asarray(1.0 / mass), jnp.zeros(2))
    drag_std = np.array(TUNING.drag_prior) / mass if drag_is_unknown(config) else np.full(2, 1e-9)
    guess = Guess(state, jnp.array([TUNING.mass_prior / mass, *drag_std]))
    noise = Noise(jnp.full(3, np.sqrt(2.0) * levels.linear_velocity), jnp.zeros(9), jnp.zeros(3), jnp.ones(9))
    estimator = RecursiveLeastSquares(MultirotorImpulse(), noise, memory=TUNING.rls_memory, gate=TUNING.rls_gate)
    channels = tuple(f"impulse/{axis}" for axis in "xyz")
    return EstimatorRun(estimator, _start(estimator, guess), samples, _keep_regressed, channels)


def _walking(record: FlightRecord, levels: NoiseLevels, config: Config) -> ModelSetup:
    """A vehicle whose mass walks at random."""
    drift = config.multirotor.mass_drift
    return set_up(record, levels, config, TUNING.mass_walk if drift is None else drift, may_flow=False)


def _run_of(
    estimator: Estimator, setup: ModelSetup, record: FlightRecord, keep: Callable[[Belief], Track]
) -> EstimatorRun:
    return EstimatorRun(estimator, _start(estimator, setup.guess), record.samples(), keep, _CHANNELS)


METHODS: dict[str, Callable[[FlightRecord, NoiseLevels, Config], EstimatorRun]] = {
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
