"""The team's rollout, from sums over the robots, against the model with every robot's force: `models.PlanarLoad`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.geometry import SO2
from steelyard.models import PlanarLoad, PlanarLoadState
from steelyard.team import Cache
from steelyard.team.planar_load._fit import CX, CY, LOG_INERTIA, LOG_MASS, LOG_SCALE, Averaging
from steelyard.team.planar_load._rollouts import rollout_of
from steelyard.team.planar_load._sums import own_row
from steelyard.team.planar_load._window import Prior, Window

SECONDS, SUBSTEPS = 1.0, 32
POSITIONS = np.array([-1.6 + 0.9j, -0.6 - 0.6j, 1.1 - 0.5j, 2.0 + 0.9j])
"""z_j."""
FORCES = np.array([3.0 - 1.0j, -2.0 + 2.5j, 1.0 + 3.0j, -1.5 - 2.0j])
"""f_j at the start, N."""
RATES = np.array([-1.0 + 2.0j, 3.0 - 1.0j, -2.0 - 2.0j, 1.5 + 1.0j])
"""Their derivatives, N/s: forces are linear in time, as the rollout takes them."""


def unknowns(friction):
    rub = (1.5, 0.8) if friction else (0.0, 0.0)
    return np.array([0.3, 0.9, 0.4, -0.2, np.log(5.0), np.log(8.0), 0.2, -0.1, np.log(1.2), *rub])


def by_the_team(x, rows, friction):
    dt = SECONDS / rows
    middle = (np.arange(rows) + 0.5) * dt
    sums = np.stack(
        [
            sum(
                own_row(0.0, complex(z), 0j, complex(f + rate * t))
                for z, f, rate in zip(POSITIONS, FORCES, RATES, strict=True)
            )
            for t in middle
        ]
    )
    window = Window(sums, dt, Averaging(0.0, 0.0), 0.1, Prior.none(), friction)
    found = rollout_of(Cache(), window, x)
    return found.ends[-1], found.end_by_unknowns


def by_the_model(x, rows):
    """θ, ω and v at the end, by the model's own dynamics in small steps."""
    dt = SECONDS / (rows * SUBSTEPS)
    kappa, mass, inertia = jnp.exp(x[LOG_SCALE]), jnp.exp(x[LOG_MASS]), jnp.exp(x[LOG_INERTIA])
    z = jnp.stack([jnp.asarray(POSITIONS.real), jnp.asarray(POSITIONS.imag)], axis=1)
    model = PlanarLoad(friction_radius=jnp.sqrt(inertia / mass))
    start = PlanarLoadState(
        heading=SO2.from_radians(jnp.zeros(())),
        angular_velocity=x[1],
        velocity=x[2:4],
        contacts=kappa * (z - x[CX : CY + 1][None, :]) @ _turn(x[0]).T,
        log_mass=x[LOG_MASS],
        log_inertia=x[LOG_INERTIA],
        friction=x[9:],
    )

    def step(carry, t):
        state, theta = carry
        f = jnp.asarray(FORCES) + jnp.asarray(RATES) * t
        after = model.dynamics(state, jnp.stack([f.real, f.imag], axis=1), dt)
        # the midpoint rule's own angle: SO2 only has it modulo a turn
        return (after, theta + dt * 0.5 * (state.angular_velocity + after.angular_velocity)), None

    times = (jnp.arange(rows * SUBSTEPS) + 0.5) * dt
    (end, theta), _ = jax.lax.scan(step, (start, x[0]), times)
    return jnp.concatenate([jnp.stack([theta, end.angular_velocity]), end.velocity])


def _turn(angle):
    return jnp.array([[jnp.cos(angle), -jnp.sin(angle)], [jnp.sin(angle), jnp.cos(angle)]])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("friction", [False, True], ids=["no friction", "friction"])
def test_the_rollout_and_its_jacobian_converge_to_the_models_with_second_order(friction):
    """Halving the rows divides the error by four; a third is allowed for terms of higher order.

    At the rows of 0.04 s that teams use, a state and its derivatives are then right to 1e-3 of their largest number.
    """
    x, estimated = unknowns(friction), 11 if friction else 9
    wanted = np.asarray(by_the_model(jnp.asarray(x), 100))
    jacobian = np.asarray(jax.jit(jax.jacfwd(lambda x: by_the_model(x, 100)))(jnp.asarray(x)))[:, :estimated]
    errors = []
    for rows in (25, 50):
        ends, ends_by = by_the_team(x, rows, friction)
        errors.append((np.abs(ends - wanted).max(), np.abs(ends_by[:, :estimated] - jacobian).max()))
    for coarse, fine, size in zip(*errors, (np.abs(wanted).max(), np.abs(jacobian).max()), strict=True):
        assert coarse < 1e-3 * size
        assert fine < coarse / 3.0 or fine < 1e-7 * size
