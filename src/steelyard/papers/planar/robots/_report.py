"""The estimates that a robot of the planar papers reports: a number only once it is known.

Deviations of J, m and distances are those of their least squares, which is what [icra15, Sec. VI] states: they leave
the bias of squared noise out. Those of vectors and of ω come from the scatter of ω.
"""

from steelyard.estimators import Estimate, Knowledge
from steelyard.papers.planar.robots._link import Link
from steelyard.papers.planar.robots._low_pass import LineFit
from steelyard.papers.planar.robots._procedure import PaperState, Procedure, Stage
from steelyard.papers.planar.robots._stages import arm_from_center, reference_link


def report(state: PaperState, procedure: Procedure) -> dict[str, Estimate]:
    """Every quantity, at the time to which the robot's knowledge refers: the sample before its last."""
    time = (state.key - 1) / procedure.rate

    def why_not(stage: Stage) -> Knowledge:
        """Why there is no number for what is known from a stage on."""
        if state.fault or state.silent > procedure.rate:
            return "failed"
        return "not-identifiable" if state.halted_in is not None and state.halted_in < stage else "not-yet-known"

    def scalar(value: float | None, fit: LineFit, unit: str, stage: Stage) -> Estimate:
        if not value:
            return Estimate.unknown(why_not(stage), unit, None, time)
        return Estimate.known(value, value * fit.gradient_std / fit.gradient, unit, None, time)

    def vector(value: complex | None, std: float, stage: Stage) -> Estimate:
        if value is None:
            return Estimate.unknown(why_not(stage), "m", "world", time)
        return Estimate.known([value.real, value.imag], [std, std], "m", "world", time)

    arm, reference = arm_from_center(state, 1.0 / procedure.rate), reference_link(state)
    estimates = {
        "inertia": scalar(state.inertia, state.inertia_fit, "kg m²", Stage.OBSERVE),
        "mass": scalar(state.mass, state.mass_fit, "kg", Stage.DONE),
        "com": vector(None if arm is None else -arm, _com_std(state, arm, reference, procedure), Stage.WEIGH),
    }
    if state.omega is None:
        estimates["omega"] = Estimate.unknown(why_not(Stage.COAST), "rad/s", None, time)
    else:
        shares = [link.distance_std / link.distance for link in state.links.values() if link.distance]
        std = (state.omega_variance + (state.omega * max(shares, default=0.0)) ** 2) ** 0.5
        estimates["omega"] = Estimate.known(state.omega, std, "rad/s", None, time)
    for neighbour in state.heard:
        link = state.links.get(neighbour)
        current = link is not None and link.distance and link.z is not None and link.key == state.key - 1
        if link is None or not current or link.distance is None or link.z is None:
            estimates[f"distance/{neighbour}"] = Estimate.unknown(why_not(Stage.COAST), "m", None, time)
            estimates[f"contact/{neighbour}"] = vector(None, 0.0, Stage.COAST)
            continue
        std = (link.distance_std**2 + (link.distance * _angle_std(state)) ** 2) ** 0.5
        estimates[f"distance/{neighbour}"] = Estimate.known(link.distance, link.distance_std, "m", None, time)
        estimates[f"contact/{neighbour}"] = vector(-link.z, std, Stage.COAST)
    return estimates


def _angle_std(state: PaperState) -> float:
    """rad: noise across ż_ij turns it by as much as noise along it changes ω, relatively."""
    return state.omega_variance**0.5 / abs(state.omega) if state.omega else 0.0


def _com_std(state: PaperState, arm: complex | None, reference: Link | None, procedure: Procedure) -> float:
    """m: the scatter of the observer, of the link that carries z_c along, and of z_i, which averages over time."""
    if arm is None or reference is None or reference.z is None or state.center_ratio is None:
        return 0.0
    z_c = state.center_ratio * reference.z
    angle, smooth = _angle_std(state), (0.5 * procedure.centroid_gain) ** 0.5
    parts = (0.7 * state.center.spread * abs(reference.z), abs(z_c) * angle, abs(arm - z_c) * angle * smooth)
    return sum(part * part for part in parts) ** 0.5


def trace(state: PaperState) -> dict[str, float | complex]:
    """Running numbers, known or not, for plots of how they converge; never for use.

    `inertia` (kg m²) and `mass` (kg) of the robot's own fit, `z_c` (m, world axes, x + iy) and `omega` (rad/s) as
    observed, `stage`, and the distance (m) to each neighbour.
    """
    shown: dict[str, float | complex] = {"stage": int(state.stage)}
    fits = {"inertia": state.inertia_fit, "mass": state.mass_fit}
    shown |= {name: 1.0 / fit.gradient for name, fit in fits.items() if fit.gradient > 0.0}
    shown |= {
        f"distance/{name}": link.fit.gradient**0.5 for name, link in state.links.items() if link.fit.gradient > 0.0
    }
    if state.observer is not None:
        shown |= {"z_c": state.observer.z_c, "omega": state.observer.omega}
    elif state.omega is not None:
        shown["omega"] = state.omega
    return shown
