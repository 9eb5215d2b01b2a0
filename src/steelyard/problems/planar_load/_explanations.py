"""Why a planar motion does not identify a quantity, as sentences that `information.verdict` uses for `PlanarLoad`.

Importing this module registers them.
"""

from itertools import combinations

import jax
import numpy as np

from steelyard.information import Direction, Motion, enumerated, explain, remarks
from steelyard.models import PlanarLoad
from steelyard.problems.planar_load._tuning import TUNING


@explain.register
def explain_planar_load(model: PlanarLoad, direction: Direction, motion: Motion) -> str | None:
    """The load did not turn, or the robots' forces or torques cancelled; None where it is neither."""
    del model
    stems = {name.partition("/")[0] for name in direction}
    what = _subject(direction, stems)
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
    if "log_mass" not in stems and turned < TUNING.still_below:
        return f"{what} cannot be told from this motion: nothing turned"
    if stems == {"log_inertia"} and _cancel(torques[..., None]):
        return f"{what} cannot be told from this motion: the torques cancel, so nothing changed the spin"
    return None


@remarks.register
def remarks_on_planar_load(model: PlanarLoad, motion: Motion) -> tuple[str, ...]:
    """Pairs of robots that hold the load at one point."""
    del model
    contacts = np.asarray(motion.states.contacts)[-1]
    size = max(float(np.abs(contacts).max()), 1e-9)
    pairs = [
        f"robots r{i + 1} and r{j + 1}"
        for i, j in combinations(range(len(contacts)), 2)
        if np.linalg.norm(contacts[i] - contacts[j]) < TUNING.same_point_below * size
    ]
    return tuple(
        f"{pair} hold the load at the same point, so the difference of their velocities says nothing" for pair in pairs
    )


def _subject(direction: Direction, stems: set[str]) -> str | None:
    """What a direction is about, as the subject of a sentence; None where it is about several things."""
    if stems == {"log_mass"}:
        return "the mass"
    if stems == {"log_inertia"}:
        return "the inertia"
    if "contacts" in stems and stems <= {"contacts", "heading", "log_inertia", "angular_velocity", "velocity"}:
        robots = sorted({int(name.split("/")[1]) for name in direction if name.startswith("contacts/")})
        names = [f"r{i + 1}" for i in robots]
        return f"where {names[0]} holds the load" if len(names) == 1 else f"where {enumerated(names)} hold the load"
    return None


def _cancel(parts: np.ndarray) -> bool:
    """Whether the robots' shares (time, robot, component) sum to zero at every time."""
    total = np.sqrt(np.mean(np.sum(parts, axis=1) ** 2))
    return bool(total < TUNING.cancel_below * np.sqrt(np.mean(parts**2)) * parts.shape[1] + 1e-12)
