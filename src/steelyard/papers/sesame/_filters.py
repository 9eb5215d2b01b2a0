"""The paper's four filters as the paper describes them, and ours, each over a flight."""

import dataclasses
import functools
import math
import time
from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.config import Guess as GuessConfig
from steelyard.config import Multirotor as MultirotorConfig
from steelyard.errors import BadInput
from steelyard.estimators import (
    Estimator,
    ExtendedKalman,
    Guess,
    MultiStateKalman,
    Noise,
    SlidingWindow,
    UnscentedKalman,
    replay,
)
from steelyard.models import Multirotor, MultirotorReading, MultirotorState, common_rotor_bench
from steelyard.papers.sesame._data import Flown, as_log
from steelyard.papers.sesame._samples import as_the_paper_says, sensor_noise
from steelyard.problems import identify
from steelyard.worlds import SESAME_AIRFRAME

FAITHFUL = ("ekf", "ukf", "msckf", "swls")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the paper leaves open, or varies."""

    window: int = 10
    """Rows that MSCKF and SWLS look back on."""
    nodes: int = 500
    """Of the learning machines."""
    regularisation: float = 1e-5
    """Of RELM and OSELM."""

    def __post_init__(self):
        if self.window < 1:
            raise BadInput(f"--window is {self.window}; give at least one row.")
        if self.nodes < 1:
            raise BadInput(f"--nodes is {self.nodes}; give at least one.")
        if not 0 < self.regularisation < math.inf:
            raise BadInput(
                f"--regularisation is {self.regularisation:g}; learning online starts from it, so give a finite number "
                "above 0."
            )


@dataclasses.dataclass(frozen=True)
class Run:
    """A method's mass over a flight."""

    mass: np.ndarray
    """kg, at every row."""
    std: np.ndarray
    """kg."""
    seconds_a_row: float
    """Of a compiled replay on one core."""
    events: tuple[float, ...] = ()
    """When a change was reported, s."""


@dataclasses.dataclass(frozen=True)
class Preset:
    """The `Q` that the paper calls preset and does not give, as random walks per √s; and the window."""

    velocity: float
    """m/s: all that the model lacks, drag above all."""
    log_mass: float
    window: int
    """Rows that MSCKF and SWLS look back on."""


def tune(method: str, flights: Sequence[Flown], grid: Sequence[Preset], score: Callable[[Flown, Run], float]) -> Preset:
    """The preset of a grid under which a faithful filter scores least over some flights."""

    def total(preset: Preset) -> float:
        return sum(score(flown, fly_faithful(method, preset, flown, timed=False)) for flown in flights)

    return min(grid, key=total)


def fly_faithful(method: str, preset: Preset, flown: Flown, timed: bool = True) -> Run:
    """[sesame, Eqs. (41)-(47)]: no drag, the commanded thrust taken for the one that acted, the mass a random walk."""
    samples = as_the_paper_says(flown[1])
    estimator = _estimator(method, preset)
    belief = _begin(estimator, jax.tree.map(lambda leaf: leaf[0], samples.measurement))
    run = functools.partial(replay, estimator, belief, samples, _keep)
    log_mass, std = jax.block_until_ready(run().recorded)
    mass, seconds = np.exp(np.asarray(log_mass)), float("nan")
    if timed:
        begin = time.perf_counter()
        jax.block_until_ready(run())
        seconds = (time.perf_counter() - begin) / len(mass)
    return Run(mass, mass * np.asarray(std), seconds)


def fly_ours(flown: Flown, map_known: bool = True) -> Run:
    """`steelyard identify --as multirotor`, given the first mass; and the bench's thrust map, or nothing of it."""
    flight, columns = flown
    bench = tuple(float(4 * thrust) for thrust in common_rotor_bench().thrusts)
    own = MultirotorConfig(throttle_map=bench) if map_known else MultirotorConfig(commanded=True)
    config = Config(guess=GuessConfig(mass=SESAME_AIRFRAME.mass), multirotor=own)
    found = identify(as_log(flight, columns, 0), "multirotor", config)
    series = found.series["r1"].get("mass")
    given = np.full(len(columns["time"]), SESAME_AIRFRAME.mass)
    value, std = (given * np.nan,) * 2 if series is None else (series.value, series.std)
    changes = [event for event in found.events if event.kind == "change"]
    known = np.isfinite(value)
    mass = np.where(known, value, given)  # until it is known, the given mass counts
    return Run(
        mass,
        np.where(known, std, np.inf),
        found.seconds_a_row or float("nan"),
        events=tuple(event.noticed or event.time for event in changes),
    )


def _estimator(method: str, preset: Preset) -> Estimator:
    airframe = SESAME_AIRFRAME
    noise = Noise(
        measurement=jnp.asarray(sensor_noise()),
        control=jnp.asarray([0.3] + [airframe.rates_noise] * 3),
        drift=jnp.asarray([0.0] * 6 + [preset.velocity] * 3 + [preset.log_mass]),
        blind=jnp.asarray([5.0, 1.0, 1.0, 1.0]),
    )
    model = Multirotor()
    return {
        "ekf": lambda: ExtendedKalman(model, noise),
        "ukf": lambda: UnscentedKalman(model, noise),
        "msckf": lambda: MultiStateKalman(model, noise, preset.window, cloned=tuple(range(9))),
        "swls": lambda: SlidingWindow(model, noise, preset.window),
    }[method]()


@eqx.filter_jit
def _begin(estimator: Estimator, first: MultirotorReading):
    none = jnp.zeros(0)
    state = MultirotorState(
        first.attitude, first.position, first.velocity, jnp.log(jnp.asarray(SESAME_AIRFRAME.mass)), none, none
    )
    return estimator.init(Guess(state, jnp.asarray([0.01] * 6 + [0.03] * 3 + [0.4])))


def _keep(belief):
    return belief.state.log_mass, belief.std[9]
