"""The estimators that run over a robot of one's own, and what a run keeps of every row."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from steelyard.errors import BadInput
from steelyard.estimators import (
    Belief,
    Estimator,
    ExtendedKalman,
    Guess,
    Innovation,
    MultiStateKalman,
    Noise,
    Reason,
    Sample,
    SlidingWindow,
    UnscentedKalman,
    campaign_in_chunks,
    replay_in_chunks,
)
from steelyard.geometry import differentiate, local, retract, tangent_names
from steelyard.models import Numbers
from steelyard.monitor import Change, ChangeWatch, no_change
from steelyard.problems.own._columns import input_names, reading_names, without_outliers
from steelyard.problems.own._lost_rows import FilledLog
from steelyard.problems.own._named_channel import RunEvidence, named_reasons
from steelyard.problems.own._robot import OwnRobot
from steelyard.problems.own._tuning import TUNING
from steelyard.problems.own._unmodelled import tried_errors


class Track(eqx.Module):
    """What a run keeps of every row."""

    value: Float[Numbers, "*batch quantity"]
    """In the order of `OwnRobot.quantities`, each in its own unit."""
    std: Float[Numbers, "*batch quantity"]
    coordinates: Float[Numbers, "*batch quantity"]
    """Of the quantities, from the guess on."""
    coordinate_std: Float[Numbers, "*batch quantity"]
    innovation: Innovation
    status: Int[Numbers, "*batch"]
    change: Change


class OwnRun(NamedTuple):
    """What a method makes of a log."""

    track: Track
    """Time first."""
    prior: np.ndarray
    """(quantity,): standard deviations before the log."""
    reasons: tuple[Reason, ...]
    """Errors of inputs and readings that the log shows, and the channel that contradicts the others."""
    wild: int
    """Rows whose input was an outlier."""


def run_estimator(filled: FilledLog, robot: OwnRobot, method: str, progress: Callable[[int], None]) -> OwnRun:
    """The track over a log, and what speaks against it.

    A quantity that never shows in a measurement is a fault of the model or the log: a `BadInput`.
    """
    log = filled.log
    robot = dataclasses.replace(robot, noise=_with_input_noise(robot.noise, filled.input_spread))
    estimator = METHODS[method](robot)
    seen = log.without_truth()
    samples = robot.samples(seen)
    if np.size(samples.dt) != len(log):
        raise BadInput(
            f"{robot.name} makes {np.size(samples.dt)} samples of {len(log)} rows ({log.origin}); "
            "give one for every row, NaN where something is missing."
        )
    inputs, readings = input_names(seen, samples), reading_names(seen, samples)
    samples, wild = without_outliers(np.asarray(log.time), filled.masked(samples))
    keep = functools.partial(_track, robot)
    tried = tried_errors(jax.tree.map(lambda leaf: np.asarray(leaf)[-TUNING.error_rows :], samples), inputs, readings)

    def from_guess(guess: Guess, samples: Sample, progress: Callable[[int], None]) -> Track:
        """Of the log as it is and with each of the errors, side by side."""
        start = jax.tree.map(
            lambda leaf: np.repeat(np.asarray(leaf)[None], 1 + len(tried.errors), 0), estimator.init(guess)
        )
        return campaign_in_chunks(estimator, start, samples, keep, progress)

    def two_passes(samples: Sample, progress: Callable[[int], None]) -> tuple[Guess, Track]:
        """Of runs side by side; the first pass is of the log alone, which is enough for a guess."""
        alone = jax.tree.map(lambda leaf: leaf[0], samples)
        guess = _relinearised(robot, replay_in_chunks(estimator, estimator.init(robot.guess), alone, keep))
        return guess, from_guess(guess, samples, progress)

    before, whole = estimator.init(robot.guess), len(log) <= TUNING.error_rows
    guess, tracks = two_passes(tried.samples, progress if whole else lambda rows: None)
    track = _first(tracks)
    if not whole:
        track = replay_in_chunks(estimator, estimator.init(guess), samples, keep, progress)
    prior = np.asarray(_values_and_stds(robot, before)[1])
    for k, name in enumerate(robot.quantities):
        if track.std[:, k].min() >= TUNING.never_seen_above * prior[k]:
            raise BadInput(
                f"{name} is not identifiable from this log ({log.origin}): it never shows in the measurements; "
                "measure something that it moves, move differently, or take it out of the model."
            )
    guessed = np.asarray(robot.guess.std)[[robot.coordinate(quantity) for quantity in robot.quantities.values()]]

    def evidence(tracks: Track) -> RunEvidence:
        time = np.asarray(log.time)[-tracks.innovation.value.shape[1] :]
        return RunEvidence.of(tried, tracks, time, guessed)

    found = evidence(tracks)
    reasons = named_reasons(
        tried, found, lambda without: evidence(two_passes(without, lambda rows: None)[1]), inputs, readings
    )
    wider = np.hypot(track.std, found.errors.added_std())
    return OwnRun(eqx.tree_at(lambda t: t.std, track, wider), prior, reasons, wild)


def _with_input_noise(noise: Noise, factor: float) -> Noise:
    return eqx.tree_at(lambda n: n.control, noise, factor * np.asarray(noise.control))


def _first(tracks: Track) -> Track:
    return jax.tree.map(lambda leaf: leaf[0], tracks)


def _relinearised(robot: OwnRobot, track: Track) -> Guess:
    """The guess of a second pass: quantities as the first pass found them, and ten times as uncertain as it left them.

    A filter linearises where it believes to be. From a vague guess, its first rows throw the quantities far off, and
    count as more certain than they are: a friction of 0.8 that was guessed as 0.5 ended eight deviations off. That the
    log has a say in its own guess makes intervals half a percent too narrow.
    """
    settled = np.all(track.std < TUNING.relinearised_below * track.std[:1], axis=1)
    if not settled.any():
        return robot.guess
    changed = np.flatnonzero(np.asarray(track.change.found) & (np.cumsum(settled) > 0))
    first = max(int(changed[0] - TUNING.change_rows), int(np.argmax(settled))) if changed.size else -1
    rows = [-1 if quantity.jump is None else first for quantity in robot.quantities.values()]
    where = [robot.coordinate(quantity) for quantity in robot.quantities.values()]
    delta = np.zeros(len(tangent_names(robot.guess.state)))
    std, each = np.array(robot.guess.std, float), np.arange(len(rows))
    delta[where] = np.asarray(track.coordinates)[rows, each]
    std[where] = np.minimum(std[where], TUNING.relinearised_std * np.asarray(track.coordinate_std)[rows, each])
    return Guess(retract(robot.guess.state, jnp.asarray(delta)), std)


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
    where = jnp.array([robot.coordinate(quantity) for quantity in robot.quantities.values()])
    moved, spread = local(robot.guess.state, belief.state)[where], belief.std[where]
    return Track(value, std, moved, spread, belief.innovation, belief.status, getattr(belief, "change", no_change()))
