"""How well a planar team knows its load, as text; and where it does not, what the motion lacked."""

from collections.abc import Mapping
from itertools import combinations

import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Estimate, Guess, Noise, Sample
from steelyard.geometry import SO2
from steelyard.information import verdict
from steelyard.models import PlanarLoad, PlanarLoadState
from steelyard.problems.planar_load import _explanations as _explanations  # registers the sentences of a planar load
from steelyard.problems.planar_load._reading import PlanarRecord
from steelyard.problems.planar_load._tuning import TUNING

FRICTION = ("viscous_friction", "coulomb_friction")
"""Names of the friction quantities; estimated only where the configuration asks for friction."""


def planar_verdict(record: PlanarRecord, robots: Mapping[str, Mapping[str, Estimate]], misfit: float = 1.0) -> str:
    """From the estimated trajectory where the team knows one, else from the velocities and forces themselves.

    `misfit`: the mean squared residual of a fit that the readings contradict, in variances; 1 for none.
    """
    state = first_state(record, robots)
    if state is None:
        return _lacking(record, robots, misfit)
    n = len(record.graph.names)
    size, channels = 6 + 2 * n + state.friction.size, 2 * n
    noise = Noise(
        jnp.full(channels, record.velocity_noise),
        jnp.full(channels, record.force_noise),
        jnp.zeros(size),
        jnp.ones(channels),
    )
    dt = jnp.asarray(np.diff(record.time, prepend=record.time[:1]))
    samples = Sample(dt, jnp.asarray(np.nan_to_num(record.force)), jnp.asarray(record.velocity))
    model = PlanarLoad(friction_radius=float(jnp.exp(0.5 * (state.log_inertia - state.log_mass))))
    found = verdict(model, noise, Guess(state, jnp.ones(size).at[0].set(0.0)), samples)
    return " ".join([_how_well(robots), _named(found.text, record), _relative(robots)])


def _relative(robots: Mapping[str, Mapping[str, Estimate]]) -> str:
    """What no motion tells, in these robots' own numbers: forces and time have the scale that the log gives them.

    Forces that are f times as large make the same motion with f times the mass and inertia; a clock that is k times as
    fast makes it with k times the mass, k times the lengths and k cubed times the inertia.
    """
    mass = float(next(iter(robots.values()))["mass"].value)  # type: ignore[arg-type]
    less = f"{0.99 * mass:.4g} kg"
    return (
        f"{mass:.4g} kg is relative to force and clock, whose scales no motion can tell: if every force is 1 % too "
        f"high, it is {less} and the inertia 1 % less; if the clock is 1 % fast, {less}, lengths 1 % and the inertia "
        "3 % less."
    )


def first_state(record: PlanarRecord, robots: Mapping[str, Mapping[str, Estimate]]) -> PlanarLoadState | None:
    """The load's state at the first row, from the estimates at the last; None where one of them is unknown.

    The load is integrated back from the last row by the angular velocity that the contacts' velocities give.
    """
    known = [[robots[name][quantity].value for quantity in ("mass", "inertia", "com")] for name in record.graph.names]
    if any(value is None for values in known for value in values):
        return None
    masses, inertias, coms = (np.array(values, float) for values in zip(*known, strict=True))
    coefficients = [one for name in FRICTION if (one := robots[record.graph.names[0]].get(name)) is not None]
    friction = [0.0 if one.value is None else max(float(one.value), 0.0) for one in coefficients]
    ends = -coms @ np.array([1.0, 1j])
    v = np.nan_to_num(record.velocity) @ np.array([1.0, 1j])
    present = np.asarray(np.isfinite(record.velocity).all(axis=2))
    angle, omega, along = 0.0, np.zeros(len(record.time)), np.zeros(len(record.time), complex)
    for row in range(len(record.time) - 1, -1, -1):
        omega[row], along[row] = spin_of(ends * np.exp(1j * angle), v[row], present[row])
        if row:
            angle -= omega[row] * (record.time[row] - record.time[row - 1])
    few = slice(0, min(TUNING.first_rows, len(omega)))
    first = ends * np.exp(1j * angle)
    velocity = complex(np.mean(along[few]))
    return PlanarLoadState(
        heading=SO2(jnp.array([1.0, 0.0])),
        angular_velocity=jnp.asarray(np.mean(omega[few])),
        velocity=jnp.array([velocity.real, velocity.imag]),
        contacts=jnp.asarray(np.stack([first.real, first.imag], axis=1)),
        log_mass=jnp.asarray(np.log(masses.mean())),
        log_inertia=jnp.asarray(np.log(inertias.mean())),
        friction=jnp.asarray(friction, float),
    )


def spin_of(arms: np.ndarray, v: np.ndarray, present: np.ndarray) -> tuple[float, complex]:
    """ω (rad/s) and velocity of the centre of mass (m/s, x + iy) by least squares over the `present` contacts."""
    if present.sum() < 2:
        return 0.0, 0j
    a, u = arms[present], v[present]
    spread = a - a.mean()
    omega = float(np.sum(np.conj(spread) * (u - u.mean())).imag / max(float(np.sum(np.abs(spread) ** 2)), 1e-12))
    return omega, complex(u.mean() - 1j * omega * a.mean())


def _how_well(robots: Mapping[str, Mapping[str, Estimate]]) -> str:
    """The widest of the robots' intervals of mass and inertia."""
    parts = []
    for quantity in ("mass", "inertia"):
        shares = [196 * float(one[quantity].std / one[quantity].value) for one in robots.values()]  # type: ignore[operator]
        first = next(iter(robots.values()))[quantity]
        parts.append(f"the {quantity}, {float(first.value):.4g} {first.unit}, to {max(shares):.2g} %")  # type: ignore[arg-type]
    return f"Every robot knows {' and '.join(parts)} (95 %)."


def _lacking(record: PlanarRecord, robots: Mapping[str, Mapping[str, Estimate]], misfit: float) -> str:
    """What the motion lacked, as far as the data show it; else the quantities that are unknown."""
    force, names = np.nan_to_num(record.force), record.graph.names
    few = len(record.time) < TUNING.fewest_blocks * TUNING.velocity_block
    apart = [pair for pair in combinations(range(len(names)), 2) if few or not _alike(record, *pair)]
    together = [pair for pair in combinations(range(len(names)), 2) if pair not in apart]
    sentences = []
    if not np.any(force):
        sentences.append("Neither the mass nor the inertia can be told from this motion: nobody pushed.")
    elif np.sqrt(np.mean(force.sum(axis=1) ** 2)) < TUNING.cancel_below * np.sqrt(np.mean(force**2)) * len(names):
        sentences.append(
            "The mass cannot be told from this motion: the forces cancel, so the load as a whole was not pushed."
        )
    if not apart and any(one["inertia"].value is not None for one in robots.values()):
        sentences.append("All robots hold the load at the same point: where that is cannot be told from this motion.")
    elif not apart:
        sentences.append(
            "The inertia and where the robots hold the load cannot be told from this motion: nothing turned, or all "
            "hold the load at the same point."
        )
    elif together:
        sentences += [
            f"Robots {names[i]} and {names[j]} hold the load at the same point, so the difference of their velocities "
            "says nothing."
            for i, j in together
        ]
    if not sentences:
        open_ones = {q for one in robots.values() for q in ("mass", "inertia", "com") if one[q].value is None}
        unknown = f"Not every robot knows: {', '.join(sorted(open_ones))}"
        if misfit > 1.0:
            sentences.append(
                f"{unknown}; the velocities are {np.sqrt(misfit):.2g} times as far from those of one rigid load under "
                "these forces as their noise. Look for a robot whose sensor is late, filtered, offset or in another "
                "unit, and for a force that nobody recorded."
            )
        else:
            sentences.append(f"{unknown}; a longer or stronger motion would help.")
        if not record.friction:
            sentences.append("If the load rubs on the plane, state it: [load] friction = true.")
    return " ".join(sentences)


def _alike(record: PlanarRecord, i: int, j: int) -> bool:
    """Whether two robots' velocities differ by no more than noise."""
    difference = record.velocity[:, i] - record.velocity[:, j]
    rows = len(difference) // TUNING.velocity_block * TUNING.velocity_block or len(difference)
    block = min(TUNING.velocity_block, rows)
    with np.errstate(invalid="ignore"):
        means = difference[: rows // block * block].reshape(-1, block, 2).mean(axis=1)
    means = means[np.isfinite(means).all(axis=1)]
    return (
        not means.size
        or float(np.mean(means**2)) < TUNING.equal_velocity_below * 2.0 * record.velocity_noise**2 / block
    )


def _named(text: str, record: PlanarRecord) -> str:
    """A sentence with the log's own names for robots, where they are not r1, r2, ….

    Numbers first, so that no name is replaced twice.
    """
    for k in range(len(record.graph.names), 0, -1):
        text = text.replace(f"r{k} ", f"\0{k} ").replace(f"r{k},", f"\0{k},")
    for k, name in enumerate(record.graph.names, start=1):
        text = text.replace(f"\0{k} ", f"{name} ").replace(f"\0{k},", f"{name},")
    return text
