"""The estimating steps of the planar papers, each from what a robot has by itself and from its neighbours."""

import msgspec

from steelyard.papers.planar.robots._low_pass import RateFilter
from steelyard.papers.planar.robots._observer import CenterObserver, observability, observer_step
from steelyard.papers.planar.robots._procedure import Channel, Mode, PaperState, Procedure, Stage
from steelyard.papers.planar.robots._stages import arm_from_center, reference_link


def average_arm(state: PaperState, time: float, procedure: Procedure) -> PaperState:
    """Σ ‖z_i‖² by consensus, before the forces that need it [icra15, Sec. V-A]; over the last quarter of COAST."""
    if state.stage != Stage.COAST or state.values is None or time - state.since < 0.75 * procedure.settle:
        return state
    total, count = state.arm
    return msgspec.structs.replace(state, arm=(total + float(state.values[Channel.ARM]), count + 1))


def arm_sum(state: PaperState, procedure: Procedure) -> float:
    """The constant k_z Σ ‖z_i‖², N m; w in the papers."""
    total, count = state.arm
    return procedure.k_z * procedure.n_robots * total / count if count else 0.0


def estimate_inertia(state: PaperState, procedure: Procedure) -> PaperState:
    """1/J as the gradient of ω over w [cdc14, Eq. (15)], [icra15, Eq. (18)].

    The filters start from the mean spin of the coasting before, when the input was known to be zero.
    """
    if state.stage != Stage.TURN or state.omega is None:
        return state
    if state.mode == Mode.COAST:
        total, count = state.coast
        return msgspec.structs.replace(state, coast=(total + state.omega, count + 1))
    total, count = state.coast
    if state.mode != Mode.TURN or not count:
        return state
    if state.inertia_filter is None:
        mean = total / count if procedure.share else state.omega
        return msgspec.structs.replace(state, inertia_filter=RateFilter(complex(state.omega), complex(mean), 0j))
    k_f, turning = procedure.k_f_inertia, state.turning[1]
    u = complex(state.turn_sign * arm_sum(state, procedure) if turning else 0.0)
    filters = state.inertia_filter.step(complex(state.omega), u, k_f, 1.0 / procedure.rate)
    fit = state.inertia_fit
    if turning:
        fit = fit.add(filters.input_low.real, filters.rate(k_f).real, procedure.memory)
    return msgspec.structs.replace(state, inertia_filter=filters, inertia_fit=fit)


def mean_force(state: PaperState, procedure: Procedure) -> complex:
    """f_mean (N) over the interval before the last: the common force, or the estimate of dynamic consensus."""
    if state.values is None or not procedure.share:
        return state.forces[1]
    return complex(state.values[Channel.FORCE], state.values[Channel.FORCE + 1])


def observe_center(state: PaperState, procedure: Procedure) -> PaperState:
    """z_c by the observer, and whether it stays where it is in the body; windows without excitation do not count."""
    if state.stage != Stage.OBSERVE or state.omega is None or state.omega_before is None or not state.inertia:
        return state
    n, J = procedure.n_robots, state.inertia
    observer = state.observer or CenterObserver(0j, state.omega_before)
    f_bar = n * mean_force(state, procedure) / J
    eta = 0.0
    if procedure.share and state.values is not None:
        eta = n * float(state.values[Channel.TORQUE + 1]) / J
    observer = observer_step(observer, state.omega_before, state.omega, f_bar, eta, procedure.k_e, 1.0 / procedure.rate)
    link, center = reference_link(state), state.center
    if link is not None and link.z is not None:
        window = round(procedure.center_window * procedure.rate)
        before = f_bar if state.observer is None or state.observer.f_bar is None else state.observer.f_bar
        excitation = observability(state.omega, f_bar, (f_bar - before) * procedure.rate)
        center = center.add(observer.z_c / link.z, excitation, window, procedure.least_observability)
    return msgspec.structs.replace(state, observer=observer, center=center)


def estimate_mass(state: PaperState, procedure: Procedure) -> PaperState:
    """ṙ_c from the robot's own velocity, and 1/m as its gradient over the total force.

    [icra15, Eq. (8)] and [cdc14, Eq. (7)]; [icra15, Eq. (31)] adds where it must subtract.
    """
    if state.stage < Stage.WEIGH:
        return state
    dt = 1.0 / procedure.rate
    arm, velocity = arm_from_center(state, dt), state.velocities.get(state.key - 1)
    if arm is None or velocity is None or state.omega is None:
        return msgspec.structs.replace(state, mass_filter=None)
    velocity_c = velocity - state.omega * 1j * arm
    if state.stage != Stage.WEIGH:
        return msgspec.structs.replace(state, velocity_c=velocity_c)
    if state.mass_filter is None:
        return msgspec.structs.replace(state, velocity_c=velocity_c, mass_filter=RateFilter.start(velocity_c))
    k_f = procedure.k_f_mass
    filters = state.mass_filter.step(velocity_c, procedure.n_robots * mean_force(state, procedure), k_f, dt)
    u, rate = filters.input_low, filters.rate(k_f)
    fit = state.mass_fit.add(u.real, rate.real, procedure.memory).add(u.imag, rate.imag)
    return msgspec.structs.replace(state, velocity_c=velocity_c, mass_filter=filters, mass_fit=fit)
