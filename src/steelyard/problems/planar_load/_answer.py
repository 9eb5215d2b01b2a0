"""`identify --as planar-load`: a team weighs a load on a plane, each robot from its own columns and its neighbours."""

import time
from collections.abc import Callable, Mapping

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate
from steelyard.logs import Log
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Series
from steelyard.problems._provenance import truth_in
from steelyard.problems._series import series_of_said
from steelyard.problems.planar_load._method import PlanarTeamResult, run_planar_load_team
from steelyard.problems.planar_load._reading import PlanarRecord, read_planar_record
from steelyard.problems.planar_load._verdict import planar_verdict
from steelyard.team import Graph, PlanarLoadEvent

METHODS = ("consensus",)


def identify_planar_load(
    log: Log, config: Config, method: str = "consensus", progress: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Answers per robot: mass, inertia, the centre of mass and the neighbours' contacts from its own contact."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}"; {nearest(method, list(METHODS))}')
    record = read_planar_record(log.without_truth(), config)
    begin = time.perf_counter()
    result = run_planar_load_team(record, progress)
    seconds_a_row = (time.perf_counter() - begin) / (len(record.time) * len(record.graph.names))
    robots = {name: _in_order(said) for name, said in result.last.items()}
    return Identification(
        problem="planar-load",
        method=method,
        origin=log.origin,
        robots=robots,
        events=_events(record, result),
        verdict=planar_verdict(record, robots),
        notes=(*record.notes, _traffic(result)),
        series={name: series_of_said([_in_order(one) for one in said]) for name, said in result.history.items()},
        truth=_truth(log, record.graph),
        settings=_settings(log, config, record),
        seconds_a_row=seconds_a_row,
    )


def _in_order(said: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Mass first."""
    return {name: said[name] for name in dict.fromkeys(("mass", "inertia", "com", *said))}


def _events(record: PlanarRecord, result: PlanarTeamResult) -> list[Event]:
    """Sensors that fell silent and loads that changed, in the order of time."""
    events = [_change(robot, noticed, event, result) for robot, noticed, event in result.events]
    for i, name in enumerate(record.graph.names):
        for signal, values in (("velocity", record.velocity), ("force", record.force)):
            events += silences(record.time, values[:, i], name, signal)
    return sorted(events, key=lambda event: event.time)


def _change(robot: str, noticed: float, event: PlanarLoadEvent, result: PlanarTeamResult) -> Event:
    """Its size is from the last that was known before it to the last before another one, or at the end."""
    later = [other.time for who, _, other in result.events if who == robot and other.time > event.time + 1e-6]
    until = min(later, default=float("inf"))
    known = [said[event.quantity] for said in result.history[robot] if said[event.quantity].value is not None]
    before = [float(one.value) for one in known if one.time <= event.time and one.value is not None]
    after = [float(one.value) for one in known if noticed < one.time < until and one.value is not None]
    what, size = f"The load's {event.quantity} changed.", None
    if before and after:
        size = after[-1] - before[-1]
        way = "up" if size > 0 else "down"
        what = f"The load's {event.quantity} jumped {way} by {abs(size):.3g} {known[-1].unit}, to {after[-1]:.4g}."
    return Event(event.time, "change", robot, event.quantity, what, size, noticed)


def _truth(log: Log, graph: Graph) -> dict[str, Series]:
    """What the log knows to be true of these quantities; a neighbour's contact follows from two centres of mass."""
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


def _traffic(result: PlanarTeamResult) -> str:
    sent = result.bytes_a_second
    name = max(sent, key=lambda robot: sent[robot])
    return f"The robots talk to their neighbours only; the busiest, {name}, sends {sent[name] / 1e3:.1f} kB a second."


def _settings(log: Log, config: Config, record: PlanarRecord) -> dict[str, str]:
    return {
        "log": log.origin,
        "rows": f"{len(log)}, from {log.time[0]:g} to {log.time[-1]:g} s",
        "links": ", ".join(f"{a}-{b}" for a, b in record.graph.links),
        "inputs between rows": "held" if config.inputs.hold == "step" else "sampled",
        "noise of velocity": f"{record.velocity_noise:.3g} m/s",
        "noise of force": f"{record.force_noise:.3g} N",
    }
