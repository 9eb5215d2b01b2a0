"""Faults of a robot of one's own: a cart on a rail, its model given by its derivative."""

import functools

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.bench.faults import _edits as e
from steelyard.bench.faults._fault import Fault, TriedProblem
from steelyard.bench.faults._row_faults import row_faults
from steelyard.estimators import Guess, Noise, Sample
from steelyard.logs import Log
from steelyard.models import ContinuousModel
from steelyard.problems import OwnRobot, Quantity, identify_own

_P, _V, _F = "position", "linear_velocity", "force"
_FRICTION = 0.8


class CartState(eqx.Module):
    """Motion, and what is unknown."""

    position: Float[Array, ""]
    speed: Float[Array, ""]
    log_mass: Float[Array, ""]
    log_friction: Float[Array, ""]


class Cart(ContinuousModel):
    """A mass that is pushed along a rail with viscous friction."""

    def derivative(self, state, control):
        """Rates of all coordinates."""
        pull = control - jnp.exp(state.log_friction) * state.speed
        return CartState(state.speed, pull * jnp.exp(-state.log_mass), jnp.zeros(()), jnp.zeros(()))

    def observe(self, state, control):
        """Position and speed."""
        return jnp.stack([state.position, state.speed])

    def idle(self, state):
        """No force."""
        return jnp.zeros(())


def _samples(log: Log) -> Sample:
    force = log.columns["r1/force/x"]
    read = np.stack([log.columns["r1/position/x"], log.columns["r1/linear_velocity/x"]], axis=1)
    return Sample(np.diff(log.time, prepend=log.time[0]), np.concatenate([force[:1], force[:-1]]), read)


@functools.cache
def cart() -> OwnRobot:
    """The cart as its owner describes it; made once, so that its filter is compiled once."""
    first = CartState(*(jnp.asarray(x) for x in (0.0, 0.0, 0.0, np.log(0.5))))
    return OwnRobot(
        name="cart",
        model=Cart(),
        noise=Noise(np.array([0.01, 0.02]), np.array([0.05]), np.array([0.0, 0.0, 1e-4, 1e-4]), np.array([5.0])),
        guess=Guess(first, np.array([0.1, 0.1, 0.7, 0.7])),
        samples=_samples,
        quantities={
            "mass": Quantity(lambda state: jnp.exp(state.log_mass), "kg", "log_mass", jump=0.3),
            "friction": Quantity(lambda state: jnp.exp(state.log_friction), "N s/m", "log_friction"),
        },
    )


def clean_cart(seed: int) -> Log:
    """Carts of several masses, a box put on some of them; held forces, so that each step is an exponential."""
    rng, n, dt = np.random.default_rng([seed, 17]), 600, 0.02
    time = dt * np.arange(n, dtype=np.float64)
    mass = np.full(n, (2.0, 1.2, 3.0)[seed % 3]) + np.where((np.arange(n) >= 300) & (seed % 2 == 1), 0.6, 0.0)
    force = 3.0 * np.sin(1.3 * time + rng.uniform(0, 6)) + 2.0 * np.sin(0.7 * time + rng.uniform(0, 6))
    position, speed = np.zeros(n), np.zeros(n)
    for k in range(n - 1):
        rate, rest = _FRICTION / mass[k], force[k] / _FRICTION
        fade = np.exp(-rate * dt)
        speed[k + 1] = rest + (speed[k] - rest) * fade
        position[k + 1] = position[k] + rest * dt + (speed[k] - rest) * (1.0 - fade) / rate
    columns = {
        "r1/force/x": force + 0.05 * rng.normal(size=n),
        "r1/position/x": position + 0.01 * rng.normal(size=n),
        "r1/linear_velocity/x": speed + 0.02 * rng.normal(size=n),
        "truth/mass": mass,
        "truth/friction": np.full(n, _FRICTION),
    }
    return Log(np.asarray(time, np.float64), columns, f"cart {seed}")


def _pushed(newton: float, share: float) -> e.Edit:
    """Somebody pushes against the cart for a share of the log; the force that was logged lacks it."""

    def edit(log: Log, chance: e.Chance) -> Log:
        begin = int(chance.uniform(0.2, 0.9 - share) * len(log))
        rows = (np.arange(len(log)) >= begin) & (np.arange(len(log)) < begin + share * len(log))
        return e.changed(log, {"r1/force/x": log.columns["r1/force/x"] + newton * rows})

    return edit


def _dry_friction(newton: float) -> e.Edit:
    """Friction of a constant size that the model lacks: the logged force overcomes it, too."""

    def edit(log: Log, chance: e.Chance) -> Log:
        speed = log.columns["r1/linear_velocity/x"]
        return e.changed(log, {"r1/force/x": log.columns["r1/force/x"] + newton * np.tanh(speed / 0.1)})

    return edit


_BY_POSITION, _BY_SPEED, _BY_FORCE = r"position", r"velocity", r"force"
_BY_TIME = r"clock|time|rows|gap|late"
FAULTS = (
    Fault("time in ms", r"time|millisecond|step", e.time_unit(1e3)),
    Fault("fast clock", _BY_TIME, e.time_unit(1.2), e.time_unit(1.05)),
    *row_faults(_BY_TIME),
    Fault("position in cm", _BY_POSITION, e.on(_P, e.scale(100.0)), e.on(_P, e.scale(1.1))),
    Fault("position's sign", _BY_POSITION, e.on(_P, e.scale(-1.0))),
    Fault("position offset", _BY_POSITION, e.on(_P, e.offset(1.0)), e.on(_P, e.offset(0.05))),
    Fault("position drifts", _BY_POSITION, e.on(_P, e.drift(2.0)), e.on(_P, e.drift(0.1))),
    Fault("position late", _BY_POSITION, e.on(_P, e.delay(0.3)), e.on(_P, e.delay(0.05))),
    Fault("position filtered", _BY_POSITION, e.on(_P, e.filtered(0.3)), e.on(_P, e.filtered(0.05))),
    Fault("position held", _BY_POSITION, e.on(_P, e.held(0.4)), e.on(_P, e.held(0.1))),
    Fault("position stuck", _BY_POSITION, e.on(_P, e.stuck(0.25)), e.on(_P, e.stuck(0.03))),
    Fault("position outliers", _BY_POSITION, e.on(_P, e.outliers(0.05)), e.on(_P, e.outliers(0.01))),
    Fault("position noisy", _BY_POSITION, e.on(_P, e.noisy(0.1)), e.on(_P, e.noisy(0.02))),
    Fault("speed scale", _BY_SPEED, e.on(_V, e.scale(3.6)), e.on(_V, e.scale(1.1))),
    Fault("speed's sign", _BY_SPEED, e.on(_V, e.scale(-1.0))),
    Fault("speed offset", _BY_SPEED, e.on(_V, e.offset(0.5)), e.on(_V, e.offset(0.05))),
    Fault("speed late", _BY_SPEED, e.on(_V, e.delay(0.3)), e.on(_V, e.delay(0.05))),
    Fault("speed filtered", _BY_SPEED, e.on(_V, e.filtered(0.3)), e.on(_V, e.filtered(0.05))),
    Fault("speed stuck", _BY_SPEED, e.on(_V, e.stuck(0.25)), e.on(_V, e.stuck(0.03))),
    Fault("speed outliers", _BY_SPEED, e.on(_V, e.outliers(0.05)), e.on(_V, e.outliers(0.01))),
    Fault("speed quantised", _BY_SPEED, e.on(_V, e.quantised(0.5)), e.on(_V, e.quantised(0.05))),
    Fault("speed noisy", _BY_SPEED, e.on(_V, e.noisy(0.2)), e.on(_V, e.noisy(0.04))),
    Fault("speed zeroed", _BY_SPEED, e.on(_V, e.zeroed(0.2, 5)), e.on(_V, e.zeroed(0.02, 3))),
    Fault("speed bent", _BY_SPEED, e.on(_V, e.bent(0.5)), e.on(_V, e.bent(0.05))),
    Fault("force scale", r"relative", e.on(_F, e.scale(1.2)), e.on(_F, e.scale(1.05)), exempt=r"relative to"),
    Fault("force's sign", _BY_FORCE, e.on(_F, e.scale(-1.0))),
    Fault("force offset", _BY_FORCE, e.on(_F, e.offset(1.0)), e.on(_F, e.offset(0.1))),
    Fault("force drifts", _BY_FORCE, e.on(_F, e.drift(2.0)), e.on(_F, e.drift(0.2))),
    Fault("force late", _BY_FORCE, e.on(_F, e.delay(0.3)), e.on(_F, e.delay(0.04))),
    Fault("force stuck", _BY_FORCE, e.on(_F, e.stuck(0.25)), e.on(_F, e.stuck(0.03))),
    Fault("force saturated", _BY_FORCE, e.on(_F, e.saturated(0.3)), e.on(_F, e.saturated(0.04))),
    Fault("force outliers", _BY_FORCE, e.on(_F, e.outliers(0.05)), e.on(_F, e.outliers(0.01))),
    Fault("force spikes", _BY_FORCE, e.on(_F, e.spikes(0.05, 8, 5.0)), e.on(_F, e.spikes(0.01, 3, 3.0))),
    Fault("force zeroed", _BY_FORCE, e.on(_F, e.zeroed(0.2, 5)), e.on(_F, e.zeroed(0.02, 3))),
    Fault("force warms", _BY_FORCE, e.on(_F, e.warming(0.3)), e.on(_F, e.warming(0.03)), exempt=r"input's scale"),
    Fault(
        "force gain", _BY_FORCE, e.on(_F, e.scale_steps(1.3)), e.on(_F, e.scale_steps(1.03)), exempt=r"input's scale"
    ),
    Fault("force bent", _BY_FORCE, e.on(_F, e.bent(0.5)), e.on(_F, e.bent(0.05))),
    Fault("force hums", _BY_FORCE, e.on(_F, e.hum(2.0, 1.0)), e.on(_F, e.hum(0.2, 1.0))),
    Fault("pushed", _BY_FORCE, _pushed(2.0, 0.3), _pushed(0.3, 0.15)),
    Fault("dry friction", _BY_FORCE, _dry_friction(1.5), _dry_friction(0.15)),
)


OWN_ROBOT = TriedProblem(
    "own",
    clean_cart,
    FAULTS,
    lambda quantity: quantity in ("mass", "friction"),
    answer=lambda log: identify_own(log, cart()),
)
