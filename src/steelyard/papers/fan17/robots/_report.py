"""Estimates of a robot of the spatial paper: a number only once it is known, a load only if it is possible."""

import jax
import numpy as np
from jaxtyping import Array, Bool, Float

from steelyard.estimators import Estimate
from steelyard.geometry import MOMENT_PLACES, Inertia, is_physical, matrix_from_moments
from steelyard.papers.fan17.robots._pose import fit_pose
from steelyard.papers.fan17.robots._procedure import Fan17Procedure, Fan17State
from steelyard.papers.fan17.robots._tuning import TUNING


def report(state: Fan17State, name: str, procedure: Fan17Procedure) -> dict[str, Estimate]:
    """Every quantity; deviations are those of the paper's least squares, which do not know of its bias.

    Poses are those of the filter, which goes on after the load's identification has taken one for good.
    """
    estimates = _load(state, name, procedure)
    for neighbour, sums in state.sums.items():
        fit = fit_pose(sums, *procedure.noise[:2]) if sums.samples else None
        estimates[f"pose/{neighbour}"] = (
            Estimate(
                np.concatenate([fit.t_ji, fit.q_real]),
                np.diag(np.concatenate([fit.position_std, fit.rotation_std]) ** 2),
                "m",
                name,
                state.time,
                "known",
            )
            if fit is not None and fit.known
            else Estimate.unknown("not-yet-known", "m", name, state.time)
        )
    return estimates


def _load(state: Fan17State, name: str, procedure: Fan17Procedure) -> dict[str, Estimate]:
    time = state.last_row / procedure.rate
    units = {"mass": "kg", "com": "m", "inertia": "kg m²"}
    unknown = {q: Estimate.unknown("not-yet-known", unit, name, state.time) for q, unit in units.items()}
    if state.load is None or state.P is None or state.last_row < 0:
        return unknown
    com, moments, inverse_mass = state.load[:3], state.load[3:9], state.load[9]
    if not np.isfinite(state.load).all() or inverse_mass <= 0.0:
        return unknown
    mass, I_c = 1.0 / inverse_mass, moments[np.array(MOMENT_PLACES)]
    std = np.sqrt(np.maximum(np.diag(np.asarray(state.P)), 0.0))
    sure = std[9] < 0.5 * inverse_mass and std[:3].max() < TUNING.com_known and std[3:9].max() < 0.5 * np.trace(I_c)
    if not sure or not _is_possible(mass, com, moments):
        return unknown
    spread = std[3:9][np.array(MOMENT_PLACES)]
    return {
        "mass": Estimate.known(mass, std[9] * mass**2, units["mass"], name, time),
        "com": Estimate.known(com, std[:3], units["com"], name, time),
        "inertia": Estimate.known(I_c, spread, units["inertia"], name, time),
    }


@jax.jit
def _is_possible(mass: Float[Array, ""], com: Float[Array, "3"], moments: Float[Array, "6"]) -> Bool[Array, ""]:
    """Whether some body has this mass (kg), centre (m) and moments about it (kg m²)."""
    return is_physical(Inertia.from_com(mass, com, matrix_from_moments(moments)))
