"""What a motion could not tell, in words; the authors of a model may add their own."""

from collections.abc import Mapping
from functools import singledispatch
from itertools import combinations

import jax
import numpy as np

from steelyard.information._fisher import Motion
from steelyard.models import Model, PlanarLoad

Direction = Mapping[str, float]
"""The coordinates that a direction changes, and by how much; the largest share is one."""

_STILL = 0.01
"""Turning by less than this counts as none, rad."""
_CANCEL = 1e-3
"""Forces or torques that leave less than this share of themselves cancel."""


@singledispatch
def explain(model: Model, direction: Direction, motion: Motion) -> str | None:
    """A sentence on why nothing is known along a direction, or None to leave it to the names of the coordinates.

    A hook: a model's author registers words with `explain.register`.
    """
    del model, direction, motion
    return None


@singledispatch
def remarks(model: Model, motion: Motion) -> tuple[str, ...]:
    """What else there is to say about a motion; a hook like `explain`."""
    del model, motion
    return ()


def describe(direction: Direction) -> str:
    """A direction by the names of its coordinates.

    >>> describe({"log_inertia": 1.0})
    'the inertia cannot be told from this motion'
    >>> describe({"mass": 1.0, "drag/0": -0.5})
    'the mass and the drag/0 cannot be told apart by this motion'
    """
    parts = [f"the {name.removeprefix('log_').replace('_', ' ')}" for name in direction]
    if len(parts) == 1:
        return f"{parts[0]} cannot be told from this motion"
    return f"{_list(parts)} cannot be told apart by this motion"


@explain.register
def explain_planar_load(model: PlanarLoad, direction: Direction, motion: Motion) -> str | None:
    """Why a push did not tell: it did not turn the load, or its forces cancelled."""
    del model
    stems = {name.partition("/")[0] for name in direction}
    what = _planar_subject(direction, stems)
    if what is None:
        return None
    forces = np.asarray(motion.controls)
    arms = np.asarray(jax.vmap(lambda state: state.arms)(motion.states))
    torques = arms[..., 0] * forces[..., 1] - arms[..., 1] * forces[..., 0]
    omega = np.asarray(motion.states.angular_velocity)
    turned = np.ptp(np.cumsum(omega * np.asarray(motion.dt)))
    if not np.any(forces):
        return f"{what} cannot be told from this motion: nobody pushed"
    if stems == {"log_mass"} and _cancel(forces):
        return f"{what} cannot be told from this motion: the forces cancel, so the load as a whole was not pushed"
    if "log_mass" not in stems and turned < _STILL:
        return f"{what} cannot be told from this motion: nothing turned"
    if stems == {"log_inertia"} and _cancel(torques[..., None]):
        return f"{what} cannot be told from this motion: the torques cancel, so nothing changed the spin"
    return None


@remarks.register
def remarks_on_planar_load(model: PlanarLoad, motion: Motion) -> tuple[str, ...]:
    """Robots that hold the load at one point."""
    del model
    contacts = np.asarray(motion.states.contacts)[-1]
    size = max(float(np.abs(contacts).max()), 1e-9)
    pairs = [
        f"robots r{i + 1} and r{j + 1}"
        for i, j in combinations(range(len(contacts)), 2)
        if np.linalg.norm(contacts[i] - contacts[j]) < 1e-3 * size
    ]
    return tuple(
        f"{pair} hold the load at the same point, so the difference of their velocities says nothing" for pair in pairs
    )


def _planar_subject(direction: Direction, stems: set[str]) -> str | None:
    if stems == {"log_mass"}:
        return "the mass"
    if stems == {"log_inertia"}:
        return "the inertia"
    if "contacts" in stems and stems <= {"contacts", "heading", "log_inertia", "angular_velocity", "velocity"}:
        robots = sorted({int(name.split("/")[1]) for name in direction if name.startswith("contacts/")})
        names = [f"r{i + 1}" for i in robots]
        return f"where {names[0]} holds the load" if len(names) == 1 else f"where {_list(names)} hold the load"
    return None


def _list(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _cancel(parts: np.ndarray) -> bool:
    """Whether the robots' shares sum to nothing at every time; the axes are time, robot, component."""
    together = np.sqrt(np.mean(np.sum(parts, axis=1) ** 2))
    return bool(together < _CANCEL * np.sqrt(np.mean(parts**2)) * parts.shape[1] + 1e-12)
