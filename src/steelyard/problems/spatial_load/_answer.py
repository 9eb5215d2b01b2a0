"""`identify --as spatial-load`: a team weighs a load in space, each robot in its own frame and from its neighbours."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimate, Knowledge
from steelyard.logs import Log
from steelyard.problems._gaps import silences
from steelyard.problems._identification import Event, Identification, Series
from steelyard.problems._provenance import settings_of, truth_in
from steelyard.problems._series import series_of_said
from steelyard.problems._wrist_sensors import SIGNALS
from steelyard.problems.spatial_load._channel_faults import find_faults
from steelyard.problems.spatial_load._method import WeighedHold, weigh_hold
from steelyard.problems.spatial_load._reading import Hold, read_hold
from steelyard.problems.spatial_load._single_axis import AXIS_INERTIA, axis_inertia
from steelyard.problems.spatial_load._verdict import odd_channels, poor_motion, spatial_verdict
from steelyard.team import SpatialEvent

METHODS = ("consensus",)
_CAVEAT = (
    "The logged wrenches are taken for all that the load feels beside gravity: whatever else touches it would be "
    "weighed with it; and if all forces are 1 % too high throughout, so is the mass."
)


def identify_spatial_load(
    log: Log, config: Config, method: str = "consensus", advance: Callable[[int], None] = lambda rows: None
) -> Identification:
    """Answers per robot: mass, centre of mass and inertia in its own frame, and the frames of its neighbours."""
    if method not in METHODS:
        raise BadInput(f'Unknown method "{method}" for spatial-load; {nearest(method, list(METHODS))}')
    faults = find_faults(read_hold(log.without_truth(), config))
    hold = faults.hold
    weighed = weigh_hold(hold, advance)
    reasons, poor = [*faults.reasons], poor_motion(hold)
    contradicted = weighed.state.mind.failed or bool(odd_channels(hold, weighed.state))
    if not reasons and poor and contradicted and not weighed.state.mind.paused:
        pass  # what the motion does not tell leaves the fit nowhere to go: that is no sensor's fault
    elif not reasons and (weighed.state.mind.failed or _lost(hold, weighed)):
        reasons.append(_why_failed(hold, weighed))
    elif not reasons and (odd := odd_channels(hold, weighed.state)) and len(hold.graph.names) > 1:
        reasons.append(f"{', '.join(odd)} cannot be right, by what all other channels say together")
    why: Knowledge | None = "failed" if reasons else "not-identifiable" if poor and contradicted else None
    robots = {name: _unknown(said, why) if why else said for name, said in weighed.last.items()}
    if why is None:
        robots = {name: said | _about_axis(hold, weighed, i) for i, (name, said) in enumerate(robots.items())}
    return Identification(
        problem="spatial-load",
        method=method,
        origin=log.origin,
        robots=robots,
        events=_events(hold, weighed, faults.events, believed=not reasons),
        verdict=f"{spatial_verdict(hold, robots, weighed.state, reasons)} {_CAVEAT}",
        notes=(*hold.notes, *faults.notes, *_traffic(weighed)),
        series={name: series_of_said(history) for name, history in weighed.history.items()},
        truth=truth_of(log, hold),
        settings=settings_of(log, config, {"team": hold.noise})
        | {"links": ", ".join(f"{a}-{b}" for a, b in hold.graph.links)},
        seconds_a_row=weighed.seconds_a_step,
    )


def _why_failed(hold: Hold, weighed: WeighedHold) -> str:
    odd = odd_channels(hold, weighed.state)
    if weighed.state.mind.paused:
        return "somebody's wrench is missing, and without it nobody knows what acts on the load"
    worst = f", most of all {', '.join(odd)}" if odd else ""
    return (
        f"what was read contradicts one rigid load and these wrenches{worst}; look at units, clocks and noise figures"
    )


def _about_axis(hold: Hold, weighed: WeighedHold, robot: int) -> dict[str, Estimate]:
    """One number of an inertia that is not known as a whole."""
    whole = weighed.last[hold.graph.names[robot]]["inertia"]
    found = axis_inertia(hold, weighed.state, robot, whole.time) if whole.value is None else None
    return {} if found is None else {AXIS_INERTIA: found}


def _unknown(said: Mapping[str, Estimate], why: Knowledge) -> dict[str, Estimate]:
    return {what: Estimate.unknown(why, one.unit, one.frame, one.time) for what, one in said.items()}


def _lost(hold: Hold, weighed: WeighedHold) -> bool:
    """Whether the rows would have been enough, and nothing was found that they agree with."""
    return weighed.state.mind.course is None and weighed.state.mind.record.end > 3.0 * hold.rate


def _events(hold: Hold, weighed: WeighedHold, faults: Sequence[Event], believed: bool) -> list[Event]:
    """Bad sensors, sensors that fell silent, and loads that changed, in the order of time."""
    changes = weighed.events if believed else []
    events = [*faults, *(_change(robot, noticed, event, weighed) for robot, noticed, event in changes)]
    told = {(event.robot, event.quantity) for event in faults}
    for i, name in enumerate(hold.graph.names):
        for k, signal in enumerate(SIGNALS):
            if (name, signal) not in told:
                events += silences(hold.time, hold.readings[:, i, 3 * k : 3 * k + 3], name, signal)
    return sorted(events, key=lambda event: event.time)


def _change(robot: str, noticed: float, event: SpatialEvent, weighed: WeighedHold) -> Event:
    """Its size is from the last that was known before it to the last before another one, or at the end."""
    later = [other.time for who, _, other in weighed.events if who == robot and other.time > event.time + 1e-6]
    until = min(later, default=float("inf"))
    known = [said["mass"] for said in weighed.history[robot] if said["mass"].value is not None]
    before = [float(one.value) for one in known if one.value is not None and one.time <= event.time]
    after = [float(one.value) for one in known if one.value is not None and noticed < one.time < until]
    what, size = "The load changed.", event.size
    if before and after:
        size = after[-1] - before[-1]
        way = "up" if size > 0 else "down"
        what = f"The load's mass jumped {way} by {abs(size):.3g} kg, to {after[-1]:.4g} kg."
    return Event(event.time, "change", robot, "mass", what, size, noticed)


def truth_of(log: Log, hold: Hold) -> dict[str, Series]:
    """What the log knows to be true, as the robots see it."""
    wanted = {"mass": "kg"}
    for robot in hold.graph.names:
        wanted |= {f"{robot}/mass": "kg", f"{robot}/com": "m", f"{robot}/inertia": "kg m²"}
    found = truth_in(log, wanted)
    for robot in hold.graph.names:
        for other in hold.graph.neighbours(robot):
            parts = [log.truth(f"{robot}/pose/{other}/{part}") for part in ("position", "attitude")]
            if parts[0] is not None and parts[1] is not None:
                value = np.concatenate([parts[0], parts[1]], axis=1)
                found[f"{robot}/pose/{other}"] = Series(np.asarray(log.time), value, np.zeros_like(value), "m")
    return found


def _traffic(weighed: WeighedHold) -> tuple[str, ...]:
    sent = weighed.bytes_a_second
    name = max(sent, key=lambda robot: sent[robot])
    if sent[name] == 0.0:
        return ()
    return (
        f"The robots talk to their neighbours only; the busiest, {name}, sends {sent[name] / 1e3:.1f} kB a second.",
    )
