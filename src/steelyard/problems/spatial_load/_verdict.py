"""How well a team knows its load in space, as text; and where it does not, what the motion lacked."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate, Reason
from steelyard.models import WRIST_SIGNALS
from steelyard.problems.rigid_body._verdict import named_direction
from steelyard.problems.spatial_load._method import SpatialTeamResult
from steelyard.problems.spatial_load._reading import SpatialRecord
from steelyard.problems.spatial_load._single_axis import AXIS_INERTIA, axis_of, turning_of
from steelyard.problems.spatial_load._tuning import TUNING
from steelyard.team import SpatialState

Robots = Mapping[str, Mapping[str, Estimate]]


def spatial_verdict(record: SpatialRecord, robots: Robots, state: SpatialState, reasons: Sequence[str]) -> str:
    """How well everything is known by the robot that knows it least, and why something is not."""
    if reasons:
        return f"Nothing can be said about the load: {'; '.join(reasons)}."
    sentences = [_load(robots), _poses(robots)]
    lacking = [what for what in ("mass", "com", "inertia") if any(r[what].value is None for r in robots.values())]
    filter_pass = state.estimator.filter_pass
    if lacking and filter_pass is not None:
        sentences.append(_why(record, lacking, np.asarray(filter_pass.covariance)))
    sentences.append(_about_axis(record, robots))
    if filter_pass is None or poor_motion(record) is None or not lacking:
        sentences.append(_believable(record, state))
    return " ".join(part for part in sentences if part)


def odd_channels(record: SpatialRecord, state: SpatialState) -> list[str]:
    """Channels that are farther off than everybody else's of their kind."""
    filter_pass = state.estimator.filter_pass
    if filter_pass is None:
        return []
    squares = filter_pass.by_channel.reshape(len(record.graph.names), 3, 3).mean(axis=2)
    usual = np.median(squares, axis=0) if len(squares) > 2 else np.ones(3)
    return [
        f"{name}/{signal}"
        for i, name in enumerate(record.graph.names)
        for k, signal in enumerate(list(WRIST_SIGNALS)[:3])
        if squares[i, k] > TUNING.inconsistent_channel * max(1.0, float(usual[k]))
    ]


def false_changes(result: SpatialTeamResult) -> tuple[Reason, ...]:
    """A reason where the load changed and its mass did not: that is an error of a sensor, or of the model."""
    mass = next(iter(result.last.values()))["mass"].value
    if mass is None:
        return ()
    same = [event.time for _, _, event in result.events if abs(event.size) < TUNING.same_mass * float(mass)]
    if not same:
        return ()
    sentence = (
        f"At {min(same):.2f} s the load seemed to change while its mass did not, so something that the model lacks is "
        "taken for a change: an offset, a scale or a delay of a sensor, or something that moves inside the load."
    )
    return (Reason("false-change", sentence),)


def _load(robots: Robots) -> str:
    worst = {what: [robot[what] for robot in robots.values()] for what in ("mass", "com", "inertia")}
    known = {what: all(one.std is not None for one in estimates) for what, estimates in worst.items()}
    parts = []
    if known["mass"]:
        share = max(1.96 * float(one.std) / float(one.value) for one in worst["mass"])  # pyright: ignore
        parts.append(f"the mass, {float(worst['mass'][0].value):.4g} kg, to {100 * share:.2g} % (95 %)")  # pyright: ignore
    if known["com"]:
        parts.append(f"the centre of mass to {1960 * max(np.max(one.std) for one in worst['com']):.2g} mm")  # pyright: ignore
    if known["inertia"]:
        parts.append(f"the inertia to {1.96 * max(np.max(one.std) for one in worst['inertia']):.2g} kg m² an entry")  # pyright: ignore
    return f"Every robot knows {', '.join(parts)}." if parts else ""


def _poses(robots: Robots) -> str:
    poses = [one for robot in robots.values() for what, one in robot.items() if what.startswith("pose/")]
    stds = [one.std for one in poses if one.std is not None]
    if not poses:
        return ""
    if len(stds) < len(poses):
        return f"{len(poses) - len(stds)} of {len(poses)} poses between neighbours cannot be told yet."
    worst = np.max(stds, axis=0)
    return f"Neighbours' frames are known to {1960 * worst[:3].max():.2g} mm and {1960 * worst[3:].max():.2g} mrad."


def _about_axis(record: SpatialRecord, robots: Robots) -> str:
    for i, (name, estimates) in enumerate(robots.items()):
        one, axis = estimates.get(AXIS_INERTIA), axis_of(record, i)
        if one is not None and one.value is not None and one.std is not None and axis is not None:
            about = f"about {named_direction(axis)} ({name}), through the centre of mass"
            return f"The inertia {about}, is {float(one.value):.4g} ± {1.96 * float(one.std):.2g} kg m² (95 %)."
    return ""


def poor_motion(record: SpatialRecord) -> str | None:
    """What the motion lacked, by the angular velocities of the first robot that has any; None where it was rich."""
    heard = ((i, name) for i, name in enumerate(record.graph.names) if np.isfinite(record.readings[:, i, :3]).any())
    robot, name = next(heard, (None, ""))
    if robot is None:
        return "because every robot's twist/angular is stuck, so nobody knows how the load turned"
    sizes, axes, least = turning_of(record, robot)
    if sizes[-1] < least:
        return "because the load hardly turned: turn it about every axis"
    if sizes[0] < max(0.1 * sizes[-1], least):
        axis = named_direction(axes[:, 0])
        return f"because the load hardly turned about {axis} ({name}): turn it about that axis, too"
    return None


def _why(record: SpatialRecord, lacking: Sequence[str], P: np.ndarray) -> str:
    names = {"mass": "the mass", "com": "the centre of mass", "inertia": "the inertia"}
    what = " and ".join(names[one] for one in lacking)
    why = poor_motion(record) or "because the load turned too little for this noise: turn it faster, or for longer"
    more = ""
    if "com" in lacking:
        more = f" The centre of mass is least known along {named_direction(np.linalg.eigh(P[7:10, 7:10])[1][:, -1])}."
    return f"{what[0].upper()}{what[1:]} cannot be told from this motion, {why}.{more}"


def _believable(record: SpatialRecord, state: SpatialState) -> str:
    filter_pass = state.estimator.filter_pass
    if filter_pass is None:
        return "There were too few rows to find out where the robots hold the load."
    odd, off = odd_channels(record, state), float(np.sqrt(filter_pass.misfit / max(filter_pass.count, 1)))
    if odd:
        return (
            f"{', '.join(odd)} {'is' if len(odd) == 1 else 'are'} farther off than noise and the other robots allow; "
            "look at those sensors, their units and their clock."
        )
    if off > TUNING.consistent_below:
        return (
            f"The measurements are {off:.2g} times as far off as the stated noise allows; intervals are widened by "
            "that, but state the true noise in [noise], or look for what the model lacks."
        )
    return "The measurements are as noisy as expected, so the interval can be believed."
