"""What planar forces identify before anybody pushes: the scenario's forces, the paper's, and better ones."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Guess, Noise, Sample
from steelyard.geometry import differentiate
from steelyard.information import Bound, cramer_rao, excite, verdict
from steelyard.models import PlanarLoad, PlanarLoadState
from steelyard.planning._tuning import TUNING
from steelyard.problems import planar_load as planar_load  # registers the explanations of a planar load
from steelyard.worlds import PlanarScenario, PlanarTruth, planar_truth

_ASKED = ("log_mass", "log_inertia", "contacts")


@dataclasses.dataclass(frozen=True)
class PlannedMotion:
    """Forces, and the least standard deviations they allow; None where a quantity is not identifiable."""

    name: str
    time: np.ndarray
    """(n,), s."""
    forces: np.ndarray
    """(n, robot, 2), N, world axes."""
    mass: float | None
    """Relative standard deviation."""
    inertia: float | None
    """Relative standard deviation."""
    z_c: float | None
    """Standard deviation of the centre of mass from the middle of the contacts, m, along the worse axis."""
    com: float | None
    """Of the centre of mass from a robot's own contact, m, along the worse axis at the worst robot."""
    verdict: str

    def columns(self) -> dict[str, np.ndarray]:
        """The forces by their log names."""
        n_robots = self.forces.shape[1]
        return {f"r{i + 1}/force/{axis}": self.forces[:, i, k] for i in range(n_robots) for k, axis in enumerate("xy")}

    def as_json(self) -> dict[str, Any]:
        """As `steelyard plan --json` prints it."""
        return {
            "forces": self.name,
            "std": {"mass": self.mass, "inertia": self.inertia, "z_c": self.z_c, "com": self.com},
            "unit": {"mass": "relative", "inertia": "relative", "z_c": "m", "com": "m"},
            "verdict": self.verdict,
        }


def plan_planar(
    push: PlanarScenario, seed: int, progress: Callable[[int], None] = lambda steps: None
) -> list[PlannedMotion]:
    """The scenario's own forces, the paper's constant ones, and the best that were found within the same limit.

    `progress` is called after each of the three.
    """
    if push.velocity_noise <= 0.0:
        raise BadInput("--velocity-noise is 0, and without noise any motion tells everything; give a positive number.")
    if push.force <= 0.0:
        raise BadInput("--force is 0, and nobody can push better within that; give a positive number.")
    if push.drop_share > 0.0:
        raise BadInput("A plan is for a load that does not change; leave --drop-share out.")
    own = planar_truth(push, seed)
    motions = [_judged("as the scenario has them", push, own)]
    progress(1)
    turning = dataclasses.replace(push, spin=push.spin or TUNING.paper_spin)
    constant = planar_truth(turning, seed, _paper_forces(push, own), own.contacts)
    motions.append(_judged(f"the paper's constant force, from {turning.spin:g} rad/s", turning, constant))
    progress(1)
    better = planar_truth(push, seed, _better_forces(push, own, seed), own.contacts)
    motions.append(_judged("better ones", push, better))
    progress(1)
    return motions


def _paper_forces(push: PlanarScenario, own: PlanarTruth) -> np.ndarray:
    """One constant force for all [icra15, Sec. VI], along y of the world."""
    return np.tile(np.array([0.0, push.force]), (*own.forces.shape[:2], 1))


def _better_forces(push: PlanarScenario, own: PlanarTruth, seed: int) -> np.ndarray:
    """Gradient ascent from the scenario's own forces; a row more than intervals, the last one held."""
    rows = len(own.time) - 1
    limit = max(push.force, float(np.abs(own.forces).max()))
    start = jnp.asarray(own.forces[:rows])
    model, noise, guess = _model(push), _noise(push), Guess(own.state_at(0), _open(push))
    # Six waves are too slow for a load that is to turn: with twenty, inertia and contacts come out twice as narrow.
    reach = {"parts": _ASKED, "waves": 20, "steps": 100}
    plan = excite(model, noise, guess, start, limit, rows / push.rate, push.rate, seed=seed, **reach)
    found = np.asarray(plan.controls)
    return np.concatenate([found, found[-1:]])


def _judged(name: str, push: PlanarScenario, truth: PlanarTruth) -> PlannedMotion:
    before = np.concatenate([truth.forces[:1], truth.forces[:-1]])
    dt = np.diff(truth.time, prepend=truth.time[:1])
    samples = Sample(jnp.asarray(dt), jnp.asarray(0.5 * (before + truth.forces)), jnp.asarray(truth.contact_velocities))
    model, noise, guess = _model(push), _noise(push), Guess(truth.state_at(0), _open(push))
    bound = cramer_rao(model, noise, guess, samples)
    mass, inertia = (float(bound.std_of(part)[0]) for part in ("log_mass", "log_inertia"))
    z_c, com = (_widest(bound, of) for of in (lambda state: state.arms.mean(axis=0), lambda state: -state.arms))
    text = verdict(model, noise, guess, samples).text
    return PlannedMotion(
        name=name,
        time=truth.time,
        forces=truth.forces,
        mass=_known(mass),
        inertia=_known(inertia),
        z_c=_known(z_c),
        com=_known(com),
        verdict=text,
    )


def _widest(bound: Bound, of: Callable[[PlanarLoadState], Any]) -> float:
    """The largest least standard deviation of a function of the last state."""
    D = np.asarray(differentiate(of, bound.state)[1])
    with np.errstate(invalid="ignore"):
        return float(np.max(np.sqrt(np.einsum("ij,jk,ik->i", D, bound.covariance, D))))


def _known(std: float) -> float | None:
    return std if math.isfinite(std) and std < TUNING.planar_unknown else None


def _model(push: PlanarScenario) -> PlanarLoad:
    friction = (push.viscous_friction, push.coulomb_friction)
    return PlanarLoad(friction, push.friction_radius)


def _noise(push: PlanarScenario) -> Noise:
    channels, size = 2 * push.robots, 6 + 2 * push.robots
    force = jnp.full(channels, push.force_noise)
    return Noise(jnp.full(channels, push.velocity_noise), force, jnp.zeros(size), jnp.ones(channels))


def _open(push: PlanarScenario):
    """No prior on anything but the heading, which defines the body's axes."""
    return jnp.full(6 + 2 * push.robots, jnp.inf).at[0].set(0.0)
