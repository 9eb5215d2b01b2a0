"""The force a robot applies until its next sample, by stage."""

import cmath
import math
import random

from steelyard.papers.planar.robots._complex_vectors import turned
from steelyard.papers.planar.robots._procedure import Mode, PaperState, Procedure, Stage


def choose_force(state: PaperState, name: str, time: float, procedure: Procedure) -> complex:
    """N, world axes."""
    match state.stage:
        case Stage.SPIN:
            return spinning_force(state, name, time, procedure)
        case Stage.TURN if state.mode == Mode.TURN:
            return turning_force(state, procedure)
        case Stage.TURN if state.mode == Mode.BRAKE:
            return damping_force(state, procedure)
        case Stage.SLOW:
            fast = abs(state.omega or 0.0) > procedure.observer_spin
            return damping_force(state, procedure) if fast else 0j
        case Stage.OBSERVE | Stage.WEIGH:
            own = own_force(name, time, procedure) if procedure.arbitrary else 1.0
            return common_force(state, procedure) * own
    return 0j


def spinning_force(state: PaperState, name: str, time: float, procedure: Procedure) -> complex:
    """The arbitrary force of the first step: along each ż_ij, once there is one to see; before that, at random.

    Opposite at the two ends of a link, so the load turns faster and does not run away. Road not taken: constant random
    forces, under which the load swings to and fro like a pendulum, slowly, and accelerates without end.
    """
    seen = [link.zdot for link in state.links.values() if abs(link.zdot) >= procedure.link.min_speed]
    if seen:
        return sum((procedure.push * zdot / abs(zdot) for zdot in seen if abs(zdot) < procedure.spin_speed), 0j)
    angle = random.Random(f"{procedure.seed}/{name}/{math.floor(time)}").uniform(0.0, math.tau)
    return procedure.kick * cmath.exp(1j * angle)


def turning_force(state: PaperState, procedure: Procedure) -> complex:
    """f_i = k_z z_i^⊥ [icra15, Eq. (18)], [cdc14, Eq. (14)]: constant in the body, so it turns in the world.

    k_z takes the sign of the spin: towards rest z_ij, and so this force, would be lost. z_i is of this sample; the
    force is held until the next, so it aims at the middle between them.
    """
    if state.values is None or state.omega is None:
        return 0j
    z_i = complex(state.values[0], state.values[1])
    return state.turn_sign * procedure.k_z * 1j * turned(z_i, 0.5 * state.omega / procedure.rate)


def damping_force(state: PaperState, procedure: Procedure) -> complex:
    """Against the robot's own velocity."""
    return -procedure.damping * state.velocities.get(state.key, 0j)


def common_force(state: PaperState, procedure: Procedure) -> complex:
    """One force for all, f̄ J / n [cdc14, Eq. (17)]; [cdc14, Sec. VI] prints f_x for f_y there."""
    size = procedure.f_bar * (state.inertia or 0.0) / procedure.n_robots
    return size * complex(*procedure.force_direction)


def own_force(name: str, time: float, procedure: Procedure) -> complex:
    """A sinusoid for each component, its amplitude, frequency and phase drawn once a robot [icra15, Sec. VI].

    A factor of order one to the common force. Slow, because the dynamic consensus on f_mean and η lags behind by a few
    samples of whatever changes differently at different robots.
    """
    draw = random.Random(f"{procedure.seed}/{name}/own")
    along, across = (
        draw.uniform(0.5, 1.5) * math.sin(math.tau * draw.uniform(0.02, 0.08) * time + draw.uniform(0.0, math.tau))
        for _ in range(2)
    )
    return complex(along, across)
