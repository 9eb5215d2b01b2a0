"""`identify --as spatial-load`: each robot of a team estimates a load in space, in its own frame and from messages."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Knowledge, Trust
from steelyard.logs import Log
from steelyard.models import WRIST_SIGNALS
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Series
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems._team_results import change_event, series_of_estimates, traffic_notes
from steelyard.problems.spatial_load._channel_faults import find_faults
from steelyard.problems.spatial_load._method import SpatialTeamResult, run_spatial_load_team
from steelyard.problems.spatial_load._reading import SpatialRecord, read_spatial_record
from steelyard.problems.spatial_load._sensor_errors import sensor_error_fit
from steelyard.problems.spatial_load._single_axis import AXIS_INERTIA, axis_inertia
from steelyard.problems.spatial_load._tuning import TUNING
from steelyard.problems.spatial_load._verdict import false_changes, odd_channels, poor_motion, spatial_verdict

METHODS = ("consensus",)
_CAVEAT = (
    "The logged wrenches are taken for all that the load feels beside gravity: whatever else touches it would be "
    "weighed with it; and if all forces are 1 % too high throughout, so is the mass."
)

_UNCHECKED = (
    "Offsets, scales, delays and lever arms of the sensors were not looked for: this log is too noisy or too short for "
    "that. A newton of offset along gravity would be {mass:.2g} kg, and an inertial sensor away from its force sensor "
    "would move the centre of mass. "
)
"""Where sensor errors are not looked for."""


def identify_spatial_load(
    log: Log, config: Config, method: str = "consensus", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Answers per robot: mass, centre of mass and inertia in its own frame, and the frames of its neighbours."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}" for spatial-load; {nearest(method, list(METHODS))}')
    faults = find_faults(read_spatial_record(log.without_truth(), config))
    record = faults.record
    result = run_spatial_load_team(record, progress)
    reasons, poor = [*faults.reasons], poor_motion(record)
    contradicted = result.state.estimator.failed or bool(odd_channels(record, result.state))
    if not reasons and poor and contradicted and not result.state.estimator.gap:
        pass  # without information the fit diverges: that is no sensor's fault
    elif not reasons and (result.state.estimator.failed or _lost(record, result)):
        reasons.append(_why_failed(record, result))
    elif not reasons and (odd := odd_channels(record, result.state)) and len(record.graph.names) > 1:
        reasons.append(f"{', '.join(odd)} cannot be right, by all other channels together")
    why: Knowledge | None = "failed" if reasons else "not-identifiable" if poor and contradicted else None
    robots = {name: _unknown(estimates, why) if why else estimates for name, estimates in result.last.items()}
    trust, unchecked = {}, ""
    if why is None:
        false, known = false_changes(result), config.wrist
        errors = sensor_error_fit(record, result.state, known.tared, known.calibrated, whole=bool(false))
        if errors is not None:
            false = (*errors.reasons(robots, record.graph.names), *false)
            robots = errors.widened(robots)
        elif not (known.tared and known.calibrated):
            unchecked = _UNCHECKED.format(mass=1.0 / float(np.linalg.norm(config.gravity)))
        trust = dict.fromkeys(record.graph.names, Trust(false))
        robots = {
            name: estimates | _about_axis(record, result, i) for i, (name, estimates) in enumerate(robots.items())
        }
    return Identification(
        problem="spatial-load",
        method=method,
        origin=log.origin,
        robots=robots,
        events=_events(record, result, faults.events, believed=not reasons),
        verdict=f"{spatial_verdict(record, robots, result.state, reasons)} {unchecked}{_CAVEAT}",
        notes=(*record.notes, *faults.notes, *traffic_notes(result.bytes_a_second)),
        series={name: series_of_estimates(history) for name, history in result.history.items()},
        truth=truth_of(log, record),
        settings=settings_of(log, config, {"team": record.noise})
        | {"links": ", ".join(f"{a}-{b}" for a, b in record.graph.links)},
        trust=trust,
        seconds_a_row=result.seconds_a_step,
    )


def _why_failed(record: SpatialRecord, result: SpatialTeamResult) -> str:
    odd = odd_channels(record, result.state)
    if result.state.estimator.gap:
        return "somebody's wrench is missing, and without it nobody knows what acts on the load"
    worst = f", most of all {', '.join(odd)}" if odd else ""
    return f"what was read contradicts one rigid load and these wrenches{worst}; look at units, clocks and stated noise"


def _about_axis(record: SpatialRecord, result: SpatialTeamResult, robot: int) -> dict[str, Estimate]:
    """One number of an inertia that is not known as a whole."""
    whole = result.last[record.graph.names[robot]]["inertia"]
    found = axis_inertia(record, result.state, robot, whole.time) if whole.value is None else None
    return {} if found is None else {AXIS_INERTIA: found}


def _unknown(estimates: Mapping[str, Estimate], why: Knowledge) -> dict[str, Estimate]:
    return {what: Estimate.unknown(why, one.unit, one.frame, one.time) for what, one in estimates.items()}


def _lost(record: SpatialRecord, result: SpatialTeamResult) -> bool:
    """Whether the rows would have been enough, and nothing was found that they agree with."""
    return (
        result.state.estimator.filter_pass is None
        and result.state.estimator.history.end > TUNING.failed_after * record.rate
    )


def _events(record: SpatialRecord, result: SpatialTeamResult, faults: Sequence[Event], believed: bool) -> list[Event]:
    """Faulty channels, channels that fell silent, and changes of the load, in the order of time."""
    changes = result.events if believed else []
    events = [*faults]
    for robot, noticed, found in changes:
        times = [other.time for who, _, other in result.events if who == robot]
        event = Event(found.time, "change", robot, "mass", "The load changed.", found.size)
        events.append(change_event(robot, event, noticed, result.history[robot], times))
    faulty = {(event.robot, event.quantity) for event in faults}
    for i, name in enumerate(record.graph.names):
        for k, signal in enumerate(WRIST_SIGNALS):
            if (name, signal) not in faulty:
                events += silences(record.time, record.readings[:, i, 3 * k : 3 * k + 3], name, signal)
    return sorted(events, key=lambda event: event.time)


def truth_of(log: Log, record: SpatialRecord) -> dict[str, Series]:
    """What the log knows to be true, as the robots see it."""
    wanted = {"mass": "kg"}
    for robot in record.graph.names:
        wanted |= {f"{robot}/mass": "kg", f"{robot}/com": "m", f"{robot}/inertia": "kg m²"}
    found = truth_in(log, wanted)
    for robot in record.graph.names:
        for other in record.graph.neighbours(robot):
            parts = [log.truth(f"{robot}/pose/{other}/{part}") for part in ("position", "attitude")]
            if parts[0] is not None and parts[1] is not None:
                value = np.concatenate([parts[0], parts[1]], axis=1)
                found[f"{robot}/pose/{other}"] = Series(np.asarray(log.time), value, np.zeros_like(value), "m")
    return found
