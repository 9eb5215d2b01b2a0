"""How well a load is known, and where it changed, as text."""

import itertools
from collections.abc import Sequence

import numpy as np

from steelyard.problems._consistency import believable, mean_nis
from steelyard.problems._identification import Event
from steelyard.problems.rigid_body._changes import Piece
from steelyard.problems.rigid_body._quantities import failed, last_load, left_over

_REMEDY = (
    "state the true noise in [noise], or look for what the model lacks (a biased or late channel, a second hand on the "
    "load, a load that is not rigid)"
)


def verdict_of(piece: Piece) -> str:
    """The verdict on one robot's load."""
    robot, loads, off = piece.record.robot, last_load(piece), left_over(piece)
    if failed(piece):
        times = np.sqrt(mean_nis(off, np.ones_like(off)))
        return (
            f"{robot}: no load explains this log, the measurements are {times:.2g} times as far off as the stated "
            f"noise allows: {_REMEDY}; or log faster than the load turns."
        )
    known = {quantity: bool(flags[0]) for quantity, flags in loads.known.items()}
    parts = []
    if known["mass"]:
        parts.append(f"the mass is known to {196 * loads.mass_std[0] / loads.mass[0]:.2g} % (95 %)")
    else:
        parts.append("the mass cannot be told from this log, because hardly any force or acceleration shows")
    if known["com"]:
        parts.append(f"the centre of mass to {1960 * loads.com_std[0].max():.2g} mm")
    else:
        direction = _worst_direction(piece.fit.covariance[7:, 7:])
        parts.append(f"the centre of mass cannot be told along {direction}: tilt the load, or turn it faster")
    if known["inertia"]:
        parts.append(f"the inertia to {1.96 * loads.inertia_std[0].max():.2g} kg m² an entry")
    else:
        parts.append(f"the inertia cannot be told from this motion, {_why_no_inertia(piece)}")
    return f"{robot}: {'; '.join(parts)}. {believable(off, np.ones_like(off), _REMEDY)}"


def _why_no_inertia(piece: Piece) -> str:
    omega = piece.record.reading[:, :3]
    omega = omega[np.isfinite(omega).all(axis=1)]
    noise = piece.record.noise["twist/angular"]
    squares = omega.T @ omega / max(len(omega), 1) - noise**2 * np.eye(3)
    sizes, axes = np.linalg.eigh(squares)
    if sizes[-1] < 0.05**2:
        return "because the load hardly turned: turn it about every axis"
    if sizes[0] < 0.1 * sizes[-1]:
        return f"because the load hardly turned about {named_direction(axes[:, 0])}: turn it about that axis, too"
    return "because the load turned too little for this noise: turn it faster, or for longer"


def _worst_direction(covariance: np.ndarray) -> str:
    return named_direction(np.linalg.eigh(covariance)[1][:, -1])


def named_direction(direction: np.ndarray) -> str:
    """A direction in sensor axes, its sign of no account."""
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return f"({', '.join(f'{x + 0.0:.2f}' for x in direction)}) in sensor axes"


def events_of(pieces: Sequence[Piece]) -> list[Event]:
    """Sudden changes; noticed at the end of the log, because the fit is of the whole of it."""
    events = []
    for before, after in itertools.pairwise(pieces):
        old, new = last_load(before), last_load(after)
        robot, when = after.record.robot, 0.5 * float(before.record.time[-1] + after.record.time[0])
        size = float(new.mass[0] - old.mass[0])
        if abs(size) > 3 * np.hypot(old.mass_std[0], new.mass_std[0]):
            what = f"The mass jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} kg, to {new.mass[0]:.3g} kg."
            events.append(Event(when, "change", robot, "mass", what, size, float(pieces[-1].record.time[-1])))
        else:
            shift = float(np.linalg.norm(new.com[0] - old.com[0]))
            what = f"The load changed at the same mass: its centre of mass moved by {1000 * shift:.3g} mm."
            events.append(Event(when, "change", robot, "com", what, shift, float(pieces[-1].record.time[-1])))
    return events
