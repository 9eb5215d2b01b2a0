"""A robot of one's own: a model, and what to read and to tell; every method, the verdict and the report follow."""

import dataclasses
import importlib.util
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from steelyard.errors import BadInput, nearest
from steelyard.estimators import (
    Belief,
    Estimate,
    Estimator,
    ExtendedKalman,
    Guess,
    Innovation,
    MultiStateKalman,
    Noise,
    Sample,
    SlidingWindow,
    UnscentedKalman,
    replay_in_chunks,
)
from steelyard.geometry import differentiate, tangent_names
from steelyard.logs import Log
from steelyard.models import Model, Numbers, State
from steelyard.monitor import Change, ChangeWatch, no_change
from steelyard.problems._consistency import believable
from steelyard.problems._identification import Event, Identification, Innovations, Series
from steelyard.problems._provenance import truth_in

LEARNT = 0.5
"""Share of its standard deviation before the log below which a quantity counts as known."""
SETTLED_AFTER = 1.0
"""Seconds after a jump at which its size is read off."""


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A number to tell of a robot."""

    of: Callable[[State], Any]
    """From a state."""
    unit: str
    coordinate: str
    """The tangent coordinate that carries it, as `geometry.tangent_names` calls it: `log_mass`."""
    jump: float | None = None
    """Standard deviation of a jump of that coordinate, where it may jump."""


@dataclasses.dataclass(frozen=True)
class OwnRobot:
    """Everything that `identify` needs to know of a robot that nobody here has heard of."""

    model: Model
    noise: Noise
    guess: Guess
    samples: Callable[[Log], Sample]
    """A row of the log each; the control of a row is what acted until then."""
    quantities: Mapping[str, Quantity]
    name: str = "r1"
    window: int = 10
    """Rows that `msckf` and `swls` look back on."""


def load_robot(path: str) -> OwnRobot:
    """The `ROBOT` that a Python file defines. The file is run: it is a program of yours."""
    file = Path(path)
    if not file.is_file():
        raise BadInput(f"{path} does not exist; give the Python file that defines your ROBOT.")
    spec = importlib.util.spec_from_file_location(f"steelyard_robot_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is no Python file; give one that defines your ROBOT.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{path} fails with {type(error).__name__}: {error}; mend it first.") from error
    robot = getattr(module, "ROBOT", None)
    if not isinstance(robot, OwnRobot):
        raise BadInput(f"{path} defines no ROBOT; add ROBOT = OwnRobot(...) of steelyard.problems.")
    return robot


class _Track(eqx.Module):
    """What a run keeps of every row."""

    value: Float[Numbers, "*batch quantity"]
    std: Float[Numbers, "*batch quantity"]
    innovation: Innovation
    status: Int[Numbers, "*batch"]
    change: Change


def identify_own(
    log: Log, robot: OwnRobot, method: str = "adaptive", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Runs a method over a log, and tells each quantity with its interval, its jumps and what it is worth."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}"; {nearest(method, list(METHODS))}')
    _check(robot, log)
    estimator = METHODS[method](robot)
    before = estimator.init(robot.guess)
    begin = time.perf_counter()
    samples = robot.samples(log.without_truth())
    track = replay_in_chunks(estimator, before, samples, lambda belief: _keep(robot, belief), progress)
    seconds_a_row = (time.perf_counter() - begin) / len(log)
    prior = np.asarray(_told(robot, before)[1])
    _demand_learning(robot, track, prior, log)
    known = track.std < LEARNT * prior
    return Identification(
        problem=robot.name,
        method=method,
        origin=log.origin,
        robots={robot.name: _estimates(robot, log, track, known)},
        events=_events(robot, log, track),
        verdict=_verdict(robot, track, known),
        series={robot.name: _series(robot, log, track, known)},
        innovations={robot.name: _innovations(log, track)},
        truth=truth_in(log, {name: quantity.unit for name, quantity in robot.quantities.items()}),
        settings={"log": log.origin, "rows": f"{len(log)}, from {log.time[0]:g} to {log.time[-1]:g} s"},
        seconds_a_row=seconds_a_row,
    )


def _adaptive(robot: OwnRobot) -> Estimator:
    ekf = ExtendedKalman(robot.model, robot.noise)
    jumping = [quantity for quantity in robot.quantities.values() if quantity.jump is not None]
    if not jumping:
        return ekf
    watch = tuple(_coordinate(robot, quantity) for quantity in jumping)
    return ChangeWatch(ekf, watch, tuple(float(quantity.jump or 0.0) for quantity in jumping), threshold=10.0)


def _msckf(robot: OwnRobot) -> Estimator:
    """Clones of all that moves: everything but the coordinates of the quantities."""
    parameters = {_coordinate(robot, quantity) for quantity in robot.quantities.values()}
    moving = tuple(k for k in range(len(tangent_names(robot.guess.state))) if k not in parameters)
    return MultiStateKalman(robot.model, robot.noise, robot.window, cloned=moving)


METHODS: dict[str, Callable[[OwnRobot], Estimator]] = {
    "adaptive": _adaptive,
    "ekf": lambda robot: ExtendedKalman(robot.model, robot.noise),
    "ukf": lambda robot: UnscentedKalman(robot.model, robot.noise),
    "msckf": _msckf,
    "swls": lambda robot: SlidingWindow(robot.model, robot.noise, robot.window),
}


def _check(robot: OwnRobot, log: Log) -> None:
    names = tangent_names(robot.guess.state)
    for name, quantity in robot.quantities.items():
        if quantity.coordinate not in names:
            raise BadInput(
                f'{name} is said to be carried by "{quantity.coordinate}", which the state does not have; '
                f"{nearest(quantity.coordinate, names)}"
            )
    if robot.window < 1:
        raise BadInput(f"{robot.name}'s window is {robot.window}; give at least one row.")
    if len(log) < max(2, robot.window):
        raise BadInput(
            f"{log.origin} has {len(log)} rows, fewer than the {robot.window} of {robot.name}'s window; "
            "give a longer log, or a smaller window."
        )


def _coordinate(robot: OwnRobot, quantity: Quantity) -> int:
    return tangent_names(robot.guess.state).index(quantity.coordinate)


def _told(robot: OwnRobot, belief: Belief) -> tuple[Any, Any]:
    """Values and standard deviations of the quantities; what a belief says of a function of the state."""
    values, stds = [], []
    for quantity in robot.quantities.values():
        value, slope = differentiate(lambda state, quantity=quantity: jnp.asarray(quantity.of(state)), belief.state)
        values.append(value)
        stds.append(jnp.sqrt(jnp.sum(slope[0] * jnp.sum(belief.covariance * slope[0][None, :], axis=1))))
    return jnp.stack(values), jnp.stack(stds)


def _keep(robot: OwnRobot, belief: Belief) -> _Track:
    value, std = _told(robot, belief)
    return _Track(value, std, belief.innovation, belief.status, getattr(belief, "change", no_change()))


def _demand_learning(robot: OwnRobot, track: _Track, prior: np.ndarray, log: Log) -> None:
    """A parameter that never shows in a measurement is a fault of the model or the log, and no estimate."""
    for k, name in enumerate(robot.quantities):
        if track.std[:, k].min() >= 0.999 * prior[k]:
            raise BadInput(
                f"{name} is not identifiable from this log ({log.origin}): it never shows in the measurements; "
                "measure something that it moves, move differently, or take it out of the model."
            )


def _estimates(robot: OwnRobot, log: Log, track: _Track, known: np.ndarray) -> dict[str, Estimate]:
    end = float(log.time[-1])
    return {
        name: Estimate.known(track.value[-1, k], track.std[-1, k], quantity.unit, None, end)
        if known[-1, k]
        else Estimate.unknown("not-identifiable", quantity.unit, None, end)
        for k, (name, quantity) in enumerate(robot.quantities.items())
    }


def _series(robot: OwnRobot, log: Log, track: _Track, known: np.ndarray) -> dict[str, Series]:
    return {
        name: Series(
            np.asarray(log.time),
            np.where(known[:, k], track.value[:, k], np.nan),
            np.where(known[:, k], track.std[:, k], np.nan),
            quantity.unit,
        )
        for k, (name, quantity) in enumerate(robot.quantities.items())
    }


def _events(robot: OwnRobot, log: Log, track: _Track) -> list[Event]:
    """Jumps; their size is read off once the estimate has settled."""
    jumping = [name for name, quantity in robot.quantities.items() if quantity.jump is not None]
    times, events = np.asarray(log.time), []
    for row in np.flatnonzero(track.change.found):
        name = jumping[int(track.change.watched[row])]
        k = list(robot.quantities).index(name)
        onset = float(times[row] - track.change.age[row])
        before = track.value[max(int(np.searchsorted(times, onset)) - 1, 0), k]
        after = track.value[int(np.searchsorted(times, onset + SETTLED_AFTER, side="right")) - 1, k]
        unit, size = robot.quantities[name].unit, float(after - before)
        what = f"{name} jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} {unit}, to {after:.3g} {unit}."
        events.append(Event(onset, "change", robot.name, name, what, size, float(times[row])))
    return events


def _verdict(robot: OwnRobot, track: _Track, known: np.ndarray) -> str:
    said = []
    for k, name in enumerate(robot.quantities):
        if known[-1, k]:
            half_width = 196 * track.std[-1, k] / max(abs(track.value[-1, k]), 1e-300)
            said.append(f"{name} is known to {half_width:.2g} % (95 %).")
        else:
            said.append(f"{name} cannot be told from this motion.")
    remedy = "state the true noise, or look for what the model lacks"
    return " ".join([*said, believable(track.innovation.value, track.innovation.variance, remedy)])


def _innovations(log: Log, track: _Track) -> Innovations:
    channels = tuple(f"channel {k + 1}" for k in range(track.innovation.value.shape[1]))
    return Innovations(np.asarray(log.time), channels, track.innovation.value, np.sqrt(track.innovation.variance))
