"""`identify --as jets`: the thrust of every engine of a flying multibody robot, whether an engine fails or not."""

import dataclasses
import time
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Innovation, Knowledge, Reason, Shadows, Trust, replay_in_chunks
from steelyard.logs import Log
from steelyard.models import FlyingState
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Innovations, Series
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems.jets._method import ThrustRun, thrust_run
from steelyard.problems.jets._reading import JetsRecord, read_jets_record
from steelyard.problems.jets._robot import ConfiguredRobot, robot_from
from steelyard.problems.jets._thrust_filter import EngineHealth, ThrustBelief
from steelyard.problems.jets._tuning import THRUST_METHODS, TUNING
from steelyard.problems.jets._unmodelled import error_evidence, error_rates, errors_of
from steelyard.problems.jets._verdict import engine_events, thrust_verdict


class ThrustTrack(eqx.Module):
    """What a run keeps of every row."""

    state: FlyingState
    std: Float[Array, "*batch state"]
    thrust_covariance: Float[Array, "*batch engine engine"]
    innovation: Innovation
    health: EngineHealth
    unmodelled: Shadows
    """The rows of thrusts and mass only."""


def keep_thrusts(belief: ThrustBelief) -> ThrustTrack:
    """The part of a belief that the track keeps."""
    state, lacking = belief.state, belief.unmodelled
    n = state.thrust.shape[0]
    mass = n + state.thrust_rate.shape[0] + 6 + state.wrench.shape[0]
    asked = jnp.concatenate([lacking.columns[:n], lacking.columns[mass : mass + state.log_mass.shape[0]]])
    lacking = eqx.tree_at(lambda s: s.columns, lacking, asked)
    return ThrustTrack(state, belief.std, belief.covariance[:n, :n], belief.innovation, belief.health, lacking)


@dataclasses.dataclass(frozen=True, eq=False)
class Thrusts:
    """One robot's run."""

    robot: ConfiguredRobot
    record: JetsRecord
    run: ThrustRun
    track: ThrustTrack
    seconds_a_row: float


def identify_jets(
    log: Log, config: Config, method: str = "adaptive", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """The thrusts of every robot on jets of a log; `progress` is called with the number of rows done."""
    if method not in THRUST_METHODS:
        raise BadInput(f'Unknown method "{method}" for jets; {nearest(method, list(THRUST_METHODS))}')
    configured = robot_from(config)
    judged = {
        robot: _judged(estimate_thrusts(log.without_truth(), robot, configured, config, method, progress))
        for robot in _robots(log, config)
    }
    runs = {robot: one for robot, (one, _) in judged.items()}
    events = [event for one in runs.values() for event in (*_engine_events(one), *_silences(one.record, configured))]
    units = {"mass": "kg"} | {f"thrust/{name}": "N" for name in configured.names}
    units |= {f"bias/{foot}/wrench/{part}": unit for foot in configured.feet for part, unit in _PARTS}
    return Identification(
        problem="jets",
        method=method,
        origin=log.origin,
        robots={robot: _estimates(one, config) for robot, one in runs.items()},
        events=sorted(events, key=lambda event: event.time),
        verdict=" ".join(thrust_verdict(one.robot, one.record, one.track) for one in runs.values()),
        notes=[note for one in runs.values() for note in one.record.notes],
        series={robot: _series(one) for robot, one in runs.items()},
        innovations={robot: _innovations(one) for robot, one in runs.items()},
        truth=truth_in(log, units),
        settings=settings_of(log, config, {robot: one.record.noise for robot, one in runs.items()}),
        trust={robot: Trust(reasons) for robot, (_, reasons) in judged.items()},
        seconds_a_row=max(one.seconds_a_row for one in runs.values()),
    )


_PARTS = (("torque", "N m"), ("force", "N"))


def _judged(one: Thrusts) -> tuple[Thrusts, tuple[Reason, ...]]:
    """With the deviations that count what the model may lack, and what the innovations show that it lacks."""
    where = [one.run.names.index(name) for name in one.run.names if name.split("/")[0] in ("thrust", "log_mass")]
    found = error_evidence(
        jax.tree.map(lambda leaf: leaf[-1], one.track.unmodelled), np.asarray(one.track.std)[-1, where]
    )
    if found is None:
        return one, ()
    std = np.array(one.track.std)
    std[:, where] = np.hypot(std[:, where], found.added_std())
    return dataclasses.replace(one, track=eqx.tree_at(lambda t: t.std, one.track, std)), found.reasons(
        errors_of(one.robot.feet)
    )


def estimate_thrusts(
    log: Log,
    robot: str,
    configured: ConfiguredRobot,
    config: Config,
    method: str = "adaptive",
    progress: Callable[[int], None] = lambda rows: None,
) -> Thrusts:
    """Reads one robot's columns and runs a method over them."""
    begin = time.perf_counter()
    record = read_jets_record(log, robot, configured, config, progress)
    unmodelled = error_rates(record) if method == "adaptive" else None
    run = thrust_run(record, configured, config, THRUST_METHODS[method], unmodelled)
    track = run_thrusts(run, lambda rows: progress(rows // 2))
    return Thrusts(configured, record, run, track, (time.perf_counter() - begin) / len(record.time))


def run_thrusts(run: ThrustRun, progress: Callable[[int], None] = lambda rows: None) -> ThrustTrack:
    """The filter over its samples; NumPy arrays, time first."""
    return replay_in_chunks(run.estimator, run.belief, run.samples, keep_thrusts, progress)


def _robots(log: Log, config: Config) -> tuple[str, ...]:
    """Those that the configuration names; else those with throttles; else all, for the error message."""
    if config.team.robots is not None:
        return config.team.robots
    return tuple(robot for robot in log.robots if "throttle" in log.signals(robot)) or log.robots or ("r1",)


def _parts(one: Thrusts, part: str, track: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A part of the state over time, and its standard deviations."""
    columns = [k for k, name in enumerate(one.run.names) if name == part or name.startswith(f"{part}/")]
    return np.asarray(getattr(one.track.state, part)), np.asarray(one.track.std)[:, columns]


def _shown(std: np.ndarray) -> np.ndarray:
    """Whether a part is known much better than before the log."""
    return std < TUNING.shown_below * std[:1] + 1e-12


def _estimates(one: Thrusts, config: Config) -> dict[str, Estimate]:
    end, robot = float(one.record.time[-1]), one.record.robot
    answers = {}
    thrust, std = _parts(one, "thrust")
    for e, name in enumerate(one.robot.names):
        known = std[-1, e] < TUNING.known_below * one.robot.maximum[e]
        answers[f"thrust/{name}"] = (
            Estimate.known(thrust[-1, e], std[-1, e], "N", robot, end)
            if known
            else Estimate.unknown("not-identifiable", "N", robot, end)
        )
    unknown: Knowledge = (
        "not-identifiable" if end - one.record.time[0] > TUNING.identifiable_within else "not-yet-known"
    )
    log_mass, log_std = _parts(one, "log_mass")
    if log_mass.shape[1]:
        mass = one.robot.multibody.mass * np.exp(log_mass[-1, 0])
        shown = bool(_shown(log_std)[-1, 0])
        answers["mass"] = (
            Estimate.known(mass, mass * log_std[-1, 0], "kg", None, end)
            if shown
            else Estimate.unknown(unknown, "kg", None, end)
        )
    bias, bias_std = _parts(one, "foot_bias")
    for f, foot in enumerate(one.robot.feet if bias.shape[1] else ()):
        for k, (part, unit) in enumerate(_PARTS):
            span = slice(6 * f + 3 * k, 6 * f + 3 * k + 3)
            shown = bool(_shown(bias_std)[-1, span].all())
            answers[f"bias/{foot}/wrench/{part}"] = (
                Estimate.known(bias[-1, span], bias_std[-1, span], unit, foot, end)
                if shown
                else Estimate.unknown(unknown, unit, foot, end)
            )
    return answers


def _series(one: Thrusts) -> dict[str, Series]:
    times = one.record.time
    thrust, std = _parts(one, "thrust")
    series = {f"thrust/{name}": Series(times, thrust[:, e], std[:, e], "N") for e, name in enumerate(one.robot.names)}
    log_mass, log_std = _parts(one, "log_mass")
    if log_mass.shape[1]:
        mass = np.where(_shown(log_std)[:, 0], one.robot.multibody.mass * np.exp(log_mass[:, 0]), np.nan)
        series["mass"] = Series(times, mass, mass * log_std[:, 0], "kg")
    return series


def _innovations(one: Thrusts) -> Innovations:
    axes = [f"{kind}/{axis}" for kind in ("angular", "linear") for axis in "xyz"]
    feet = [f"{foot}/{part}/{axis}" for foot in one.robot.feet for part, _ in _PARTS for axis in "xyz"]
    value = np.asarray(one.track.innovation.value)
    speeds = [f"rpm/{e + 1}" for e in one.robot.model.engines.with_speed]
    channels = [f"momentum/{axis}" for axis in axes] + [f"{name}" for name in feet] + speeds
    if value.shape[1] == 6 + len(speeds):
        channels = channels[:6] + speeds
    variance = np.asarray(one.track.innovation.variance)
    return Innovations(one.record.time, tuple(channels[: value.shape[1]]), value, np.sqrt(variance))


def _engine_events(one: Thrusts) -> list[Event]:
    return engine_events(one.record.time, np.asarray(one.track.health.failed), one.record.robot, one.robot.names)


def _silences(record: JetsRecord, configured: ConfiguredRobot) -> list[Event]:
    found = silences(record.time, record.throttle, record.robot, "throttle")
    found += silences(record.time, record.momentum, record.robot, "base and joints")
    for f, foot in enumerate(configured.feet):
        found += silences(record.time, record.wrench[:, 6 * f : 6 * f + 6], record.robot, f"{foot}/wrench")
    return found
