"""The coefficients of a jet engine from a record of throttle and thrust, three ways [ironcub, Sec. III-B].

An extended Kalman filter, as the paper's reference; least squares on the whole record, which is the best of them; and
a sparse choice among more terms, which shows the form of equation that fits the record.
"""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.errors import BadInput
from steelyard.estimators import Damping, ExtendedKalman, Guess, Noise, Sample, damped_step, gauss_newton, replay
from steelyard.models import EngineType, Model, Numbers, Seconds, jet_acceleration
from steelyard.papers.ironcub._tuning import TRIAL

_DAMPING = Damping(first=1e-3, shrink=0.2, least=1e-9, most=1e7)


@dataclasses.dataclass(frozen=True, eq=False)
class BenchRecord:
    """An engine on a bench."""

    time: Float[np.ndarray, " time"]
    """s, evenly spaced."""
    throttle: Float[np.ndarray, " time"]
    """Percent, held until the next row."""
    thrust: Float[np.ndarray, " time"]
    """Measured, N."""

    def __post_init__(self) -> None:
        steps = np.diff(self.time)
        if not self.time[-1] - self.time[0] >= TRIAL.fewest_seconds or np.ptp(steps) > 0.01 * steps.mean():
            raise BadInput(
                f"An engine's coefficients need {TRIAL.fewest_seconds:g} s or more at an even rate; record longer, or "
                "resample the record."
            )
        if np.ptp(self.throttle) < 20.0:
            raise BadInput(
                f"The throttle moves by {np.ptp(self.throttle):.3g} % only, which excites little; move it "
                "over most of its range."
            )


def predicted_thrust(jet_parameters, record: BenchRecord, first: float | None = None) -> Float[np.ndarray, " time"]:
    """What an engine with these coefficients would have given under the record's throttle, from rest."""
    start = float(np.mean(record.thrust[:20])) if first is None else first
    dt = float(np.mean(np.diff(record.time)))
    return np.asarray(_simulate(jnp.asarray(jet_parameters, float), jnp.asarray(record.throttle), start, 0.0, dt))


def fit_engine(record: BenchRecord) -> tuple[float, ...]:
    """The ten coefficients under which the simulated thrust is nearest to the measured one, by Gauss and Newton.

    They start from a regression in the weak form. At first the simulation is pulled towards the measured thrust, so
    that errors do not add up over the record; each round pulls less, and the last not at all, so that noise does not
    bias the answer as it does a regression on derivatives. Without the pull one record in four met a false minimum.
    """
    theta = _regression(record)
    start = float(np.mean(record.thrust[:20]))
    unknowns = np.concatenate([theta, [start, 0.0]])
    for pull in TRIAL.pulls:
        unknowns = _nearest(record, unknowns, pull)
    return tuple(float(x) for x in unknowns[:10])


@dataclasses.dataclass(frozen=True, eq=False)
class _Fit:
    """Ten coefficients, the first thrust and its rate, with what they leave of a record."""

    unknowns: Float[np.ndarray, "12"]
    record: tuple[Array, Array, float, float]
    """Throttle, thrust, step (s), and the pull towards the record (rad/s)."""
    residuals: Float[np.ndarray, " time"]

    @staticmethod
    def of(unknowns: Float[np.ndarray, "12"], record: tuple[Array, Array, float, float]) -> "_Fit":
        """With the residuals there."""
        return _Fit(unknowns, record, np.asarray(_off(unknowns, *record)))

    @property
    def cost(self) -> float:
        """Sum of squares; not finite where the engine runs away."""
        return float(self.residuals @ self.residuals)

    @functools.cached_property
    def jacobian(self) -> Float[np.ndarray, "time 12"]:
        """Of the residuals; rejected points need none."""
        return np.asarray(_jacobian(self.unknowns, *self.record))


def _nearest(record: BenchRecord, unknowns: Float[np.ndarray, "12"], pull: float) -> Float[np.ndarray, "12"]:
    """Coefficients, first thrust and its rate after damped steps towards the least squares."""
    data = jnp.asarray(record.throttle), jnp.asarray(record.thrust), float(np.mean(np.diff(record.time))), pull

    def attempt(now: _Fit, damping: float) -> _Fit:
        J = now.jacobian
        return _Fit.of(now.unknowns - damped_step(J.T @ J, J.T @ now.residuals, damping), data)

    def settled(before: _Fit, after: _Fit) -> bool:
        return before.cost - after.cost < TRIAL.fit_settled * before.cost

    return gauss_newton(_Fit.of(unknowns, data), attempt, settled, _DAMPING, trials=TRIAL.fit_trials).unknowns


def filter_engine(record: BenchRecord, kind: EngineType, share: float = 0.1, noise: float = 0.5) -> tuple[float, ...]:
    """The coefficients by an extended Kalman filter over (T, Ṫ, θ), as the paper's reference has it.

    It starts at another engine's coefficients, each uncertain by a share of itself; `noise` of the bench is in N.
    """
    theta = jnp.asarray(kind.jet_parameters)
    state = BenchState(jnp.asarray(np.mean(record.thrust[:20])), jnp.zeros(()), jnp.ones(10))
    model = BenchEngine(theta)
    drift = jnp.concatenate([jnp.zeros(1), jnp.full(1, 0.1), jnp.zeros(10)])
    filter = ExtendedKalman(model, Noise(jnp.full(1, noise), jnp.zeros(1), drift, jnp.full(1, 30.0)))
    guess = Guess(state, jnp.concatenate([jnp.array([1.0, 1.0]), jnp.full(10, share)]))
    dt = np.diff(record.time, prepend=record.time[0])
    throttle = np.concatenate([record.throttle[:1], record.throttle[:-1]])
    samples = Sample(jnp.asarray(dt), jnp.asarray(throttle)[:, None], jnp.asarray(record.thrust)[:, None])
    belief = replay(filter, filter.init(guess), samples, lambda belief: belief.state.scale).belief
    return tuple(float(x) for x in theta * belief.state.scale)


class BenchState(eqx.Module):
    """An engine, its coefficients unknown."""

    thrust: Float[Numbers, "*batch"]
    thrust_rate: Float[Numbers, "*batch"]
    scale: Float[Numbers, "*batch 10"]
    """Of each coefficient, relative to where the filter began."""


class BenchEngine(Model):
    """A jet on a bench; the control is its throttle, the reading its thrust."""

    jet_parameters: Float[Array, "10"]

    def dynamics(self, state: BenchState, control: Float[Array, "1"], dt: Seconds) -> BenchState:
        """The midpoint rule."""
        thrust, rate = _step(state.scale * self.jet_parameters, state.thrust, state.thrust_rate, control[0], dt)
        return BenchState(thrust, rate, state.scale)

    def observe(self, state: BenchState, control: Float[Array, "1"]) -> Float[Array, "1"]:
        """The thrust."""
        del control
        return jnp.asarray(state.thrust)[None]

    def idle(self, state: BenchState) -> Float[Array, "1"]:
        """Half throttle."""
        del state
        return jnp.full(1, 50.0)


LIBRARY = {
    "1": lambda T, D, u: np.ones_like(T),
    "T": lambda T, D, u: T,
    "T²": lambda T, D, u: T**2,
    "Ṫ": lambda T, D, u: D,
    "Ṫ²": lambda T, D, u: D**2,
    "T Ṫ": lambda T, D, u: T * D,
    "u": lambda T, D, u: u,
    "T u": lambda T, D, u: T * u,
    "Ṫ u": lambda T, D, u: D * u,
    "u²": lambda T, D, u: u**2,
    "T u²": lambda T, D, u: T * u**2,
    "Ṫ u²": lambda T, D, u: D * u**2,
    "T³": lambda T, D, u: T**3,
}
"""Terms among which a sparse choice is made; throttle in percent."""


def sparse_terms(record: BenchRecord) -> dict[str, float]:
    """The few terms that T̈ needs, with their coefficients (SINDy, by elimination).

    The term that is missed the least leaves first, and so on; of all choices on the way the one with the least Bayesian
    information criterion is taken. Road not taken: a threshold on coefficients, which falls with a term's units, and
    under collinear terms such as u and u² throws out the wrong one.
    """
    columns, target = _weak(record)
    names = list(LIBRARY)
    independent = len(target) / 4  # windows overlap by three quarters

    def fit(chosen: list[int]) -> tuple[float, np.ndarray]:
        spread = np.abs(columns[:, chosen]).max(axis=0)
        weights = np.linalg.lstsq(columns[:, chosen] / spread, target, rcond=None)[0] / spread
        return float(np.mean((columns[:, chosen] @ weights - target) ** 2)), weights

    chosen = list(range(len(names)))
    best, best_score = chosen, np.inf
    while chosen:
        score = independent * np.log(fit(chosen)[0]) + len(chosen) * np.log(independent)
        if score < best_score:
            best, best_score = list(chosen), score
        left_out = [fit([k for k in chosen if k != out])[0] if len(chosen) > 1 else np.inf for out in chosen]
        chosen = [k for k in chosen if k != chosen[int(np.argmin(left_out))]]
    return {names[k]: float(w) for k, w in zip(best, fit(best)[1], strict=True)}


def _regression(record: BenchRecord) -> Float[Array, "10"]:
    """The twelve products that the equation is linear in, and from them the ten coefficients."""
    columns, target = _weak(record)
    names = list(LIBRARY)
    used = [names.index(name) for name in names if name != "T³"]
    spread = columns[:, used].std(axis=0) + columns[:, used].mean(axis=0) ** 2 + 1e-12
    w = np.linalg.lstsq(columns[:, used] / spread, target, rcond=None)[0] / spread
    c, K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, *squares = w
    B = np.array([B_U, B_T, B_D]) * np.array([1.0, record.thrust.mean(), 5.0])
    S = np.array(squares) * np.array([1.0, record.thrust.mean(), 5.0])
    B_UU = float(B @ S / (B @ B))
    return jnp.array([K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c])


def _weak(record: BenchRecord) -> tuple[np.ndarray, np.ndarray]:
    """Every term of the library and T̈, each averaged under smooth windows: derivatives fall on the windows instead."""
    dt = float(np.mean(np.diff(record.time)))
    half = max(round(0.5 * TRIAL.derivative_window / dt), 4)
    s = np.arange(-half, half + 1) / (half + 1)
    window = (1 - s**2) ** 4
    derivative = -8 * s * (1 - s**2) ** 3 / ((half + 1) * dt)
    curve = (-8 * (1 - s**2) ** 3 + 48 * s**2 * (1 - s**2) ** 2) / ((half + 1) * dt) ** 2
    total = window.sum()
    smooth = np.hanning(2 * max(round(0.15 / dt), 1) + 3)
    T = np.convolve(np.pad(record.thrust, len(smooth) // 2, mode="edge"), smooth / smooth.sum(), "valid")
    D = np.gradient(T, dt)
    u = record.throttle
    rows = np.arange(half, len(u) - half, max(half // 4, 1))
    about = rows[:, None] + np.arange(-half, half + 1)

    def mean(values, weights):
        return values[about] @ weights / total

    columns = []
    for name, term in LIBRARY.items():
        columns.append(-mean(record.thrust, derivative) if name == "Ṫ" else mean(term(T, D, u), window))
    return np.stack(columns, axis=1), mean(record.thrust, curve)


def _step(theta, T, T_dot, u, dt):
    middle = T_dot + 0.5 * dt * jet_acceleration(theta, T, T_dot, u)
    rate = T_dot + dt * jet_acceleration(theta, T + 0.5 * dt * T_dot, middle, u)
    return T + dt * middle, rate


@jax.jit
def _simulate(theta, throttle, start, rate, dt, thrust=0.0, pull=0.0):
    """Thrust at every row; held within a wide range, so that a poor guess does not end in infinities.

    With a `pull`, rad/s, it follows a measured thrust as an observer would, critically damped.
    """

    def step(carry, row):
        u, measured = row
        off = measured - carry[0]
        T, T_dot = _step(theta, carry[0] + dt * 2.0 * pull * off, carry[1] + dt * pull**2 * off, u, dt)
        after = (jnp.clip(T, -50.0, 500.0), jnp.clip(T_dot, -200.0, 200.0))
        return after, carry[0]

    begin = (jnp.asarray(start, float), jnp.asarray(rate, float))
    return jax.lax.scan(step, begin, (throttle, jnp.broadcast_to(thrust, throttle.shape)))[1]


@jax.jit
def _off(unknowns, throttle, thrust, dt, pull):
    """Simulated less measured thrust."""
    return _simulate(unknowns[:10], throttle, unknowns[10], unknowns[11], dt, thrust, pull) - thrust


_jacobian = jax.jit(jax.jacfwd(_off))
