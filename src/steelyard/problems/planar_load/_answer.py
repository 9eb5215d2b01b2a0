"""`identify --as planar-load`: each robot of a team estimates a load on a plane, from its own columns and messages."""

from collections.abc import Callable, Mapping

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Reason, Trust
from steelyard.logs import Log
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Series
from steelyard.problems._provenance import truth_in
from steelyard.problems._team_results import change_event, series_of_estimates, traffic_notes
from steelyard.problems.planar_load._method import PlanarTeamResult, run_planar_load_team
from steelyard.problems.planar_load._reading import PlanarRecord, read_planar_record
from steelyard.problems.planar_load._sensor_errors import sensor_error_reasons
from steelyard.problems.planar_load._tuning import TUNING
from steelyard.problems.planar_load._verdict import planar_verdict
from steelyard.team import Graph

METHODS = ("consensus",)


def identify_planar_load(
    log: Log, config: Config, method: str = "consensus", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Answers per robot: mass, inertia, the centre of mass and the neighbours' contacts from its own contact."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}"; {nearest(method, list(METHODS))}')
    record = read_planar_record(log.without_truth(), config)
    result = run_planar_load_team(record, progress)
    robots = {name: _in_order(estimates) for name, estimates in result.last.items()}
    changes = [event.time for _, _, event in result.events]
    reasons = sensor_error_reasons(record, robots, max(changes, default=-np.inf)) if not record.friction else []
    reasons += _unheard(record, robots)
    return Identification(
        problem="planar-load",
        method=method,
        origin=log.origin,
        robots=robots,
        events=_events(record, result),
        verdict=planar_verdict(record, robots, result.misfit),
        trust=dict.fromkeys(record.graph.names, Trust(tuple(reasons))),
        notes=(*record.notes, *traffic_notes(result.bytes_a_second)),
        series={name: series_of_estimates([_in_order(one) for one in track]) for name, track in result.history.items()},
        truth=_truth(log, record.graph),
        settings=_settings(log, config, record),
        seconds_a_row=result.seconds_a_step,
    )


def _unheard(record: PlanarRecord, robots: Mapping[str, Mapping[str, Estimate]]) -> list[Reason]:
    """A reason where the team's answers are not of the log's end: the load may be another since, and has turned."""
    end = float(record.time[-1])
    known = [one.time for estimates in robots.values() for one in estimates.values() if one.value is not None]
    if not known or end - min(known) <= TUNING.extrapolate_within:
        return []
    missing = [
        f"{name}/{signal}"
        for i, name in enumerate(record.graph.names)
        for signal, values in (("velocity", record.velocity), ("force", record.force))
        if np.isnan(values[record.time > end - TUNING.extrapolate_within, i]).any(axis=1).all()
    ]
    why = f": {', '.join(missing)} {'ends' if len(missing) == 1 else 'end'} before" if missing else ""
    sentence = (
        f"The team's answers are of {min(known):.2f} s, {end - min(known):.1f} s before the log's end{why}. The load "
        "may have changed since, and vectors in world axes have turned."
    )
    return [Reason("unheard", sentence)]


def _in_order(estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Mass first, then inertia and centre of mass."""
    return {name: estimates[name] for name in dict.fromkeys(("mass", "inertia", "com", *estimates))}


def _events(record: PlanarRecord, result: PlanarTeamResult) -> list[Event]:
    """Sensors that fell silent and changes of the load, in the order of time."""
    events = []
    for robot, noticed, found in result.events:
        changes = [other.time for who, _, other in result.events if who == robot]
        message = f"The load's {found.quantity} changed."
        event = Event(found.time, "change", robot, found.quantity, message)
        events.append(change_event(robot, event, noticed, result.history[robot], changes))
    for i, name in enumerate(record.graph.names):
        for signal, values in (("velocity", record.velocity), ("force", record.force)):
            events += silences(record.time, values[:, i], name, signal)
    return sorted(events, key=lambda event: event.time)


def _truth(log: Log, graph: Graph) -> dict[str, Series]:
    """The true values in the log; a neighbour's contact follows from two centres of mass."""
    wanted = {
        "mass": "kg",
        "inertia": "kg m²",
        "viscous_friction": "N s/m",
        "coulomb_friction": "N",
        **{f"{robot}/com": "m" for robot in graph.names},
    }
    found = truth_in(log, wanted)
    for robot in graph.names:
        for other in graph.neighbours(robot):
            if (own := found.get(f"{robot}/com")) and (others := found.get(f"{other}/com")):
                z = own.value - others.value
                found[f"{robot}/contact/{other}"] = Series(own.time, z, np.zeros_like(z), "m")
    return found


def _settings(log: Log, config: Config, record: PlanarRecord) -> dict[str, str]:
    return {
        "log": log.origin,
        "rows": f"{len(log)}, from {log.time[0]:g} to {log.time[-1]:g} s",
        "links": ", ".join(f"{a}-{b}" for a, b in record.graph.links),
        "inputs between rows": "held" if config.inputs.hold == "step" else "sampled",
        "noise of velocity": f"{record.velocity_noise:.3g} m/s",
        "noise of force": f"{record.force_noise:.3g} N",
    }
