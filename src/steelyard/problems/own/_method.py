"""The estimators that run over a robot of one's own, and what a run keeps of every row."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from steelyard.errors import BadInput
from steelyard.estimators import (
    Belief,
    Estimator,
    ExtendedKalman,
    Innovation,
    MultiStateKalman,
    SlidingWindow,
    UnscentedKalman,
    replay_in_chunks,
)
from steelyard.geometry import differentiate, tangent_names
from steelyard.logs import Log
from steelyard.models import Numbers
from steelyard.monitor import Change, ChangeWatch, no_change
from steelyard.problems.own._robot import OwnRobot
from steelyard.problems.own._tuning import TUNING


class Track(eqx.Module):
    """What a run keeps of every row."""

    value: Float[Numbers, "*batch quantity"]
    """In the order of `OwnRobot.quantities`, each in its own unit."""
    std: Float[Numbers, "*batch quantity"]
    innovation: Innovation
    status: Int[Numbers, "*batch"]
    change: Change


def run_estimator(log: Log, robot: OwnRobot, method: str, progress: Callable[[int], None]) -> tuple[Track, np.ndarray]:
    """The track over a log, time first, and the quantities' standard deviations before it.

    A quantity that never shows in a measurement is a fault of the model or the log: a `BadInput`.
    """
    estimator = METHODS[method](robot)
    before = estimator.init(robot.guess)
    samples = robot.samples(log.without_truth())
    track = replay_in_chunks(estimator, before, samples, lambda belief: _track(robot, belief), progress)
    prior = np.asarray(_values_and_stds(robot, before)[1])
    for k, name in enumerate(robot.quantities):
        if track.std[:, k].min() >= TUNING.never_seen_above * prior[k]:
            raise BadInput(
                f"{name} is not identifiable from this log ({log.origin}): it never shows in the measurements; "
                "measure something that it moves, move differently, or take it out of the model."
            )
    return track, prior


def _adaptive(robot: OwnRobot) -> Estimator:
    ekf = ExtendedKalman(robot.model, robot.noise)
    jumping = [quantity for quantity in robot.quantities.values() if quantity.jump is not None]
    if not jumping:
        return ekf
    watch = tuple(robot.coordinate(quantity) for quantity in jumping)
    stds = tuple(float(quantity.jump or 0.0) for quantity in jumping)
    return ChangeWatch(ekf, watch, stds, threshold=TUNING.jump_threshold)


def _msckf(robot: OwnRobot) -> Estimator:
    """Clones all coordinates that move: every one that determines no quantity."""
    parameters = {robot.coordinate(quantity) for quantity in robot.quantities.values()}
    moving = tuple(k for k in range(len(tangent_names(robot.guess.state))) if k not in parameters)
    return MultiStateKalman(robot.model, robot.noise, robot.window, cloned=moving)


METHODS: dict[str, Callable[[OwnRobot], Estimator]] = {
    "adaptive": _adaptive,
    "ekf": lambda robot: ExtendedKalman(robot.model, robot.noise),
    "ukf": lambda robot: UnscentedKalman(robot.model, robot.noise),
    "msckf": _msckf,
    "swls": lambda robot: SlidingWindow(robot.model, robot.noise, robot.window),
}


def _values_and_stds(robot: OwnRobot, belief: Belief) -> tuple[Any, Any]:
    """Of the quantities, in their order; standard deviations to first order."""
    values, stds = [], []
    for quantity in robot.quantities.values():
        value, J = differentiate(lambda state, quantity=quantity: jnp.asarray(quantity.of(state)), belief.state)
        values.append(value)
        stds.append(jnp.sqrt(jnp.sum(J[0] * jnp.sum(belief.covariance * J[0][None, :], axis=1))))
    return jnp.stack(values), jnp.stack(stds)


def _track(robot: OwnRobot, belief: Belief) -> Track:
    value, std = _values_and_stds(robot, belief)
    return Track(value, std, belief.innovation, belief.status, getattr(belief, "change", no_change()))
