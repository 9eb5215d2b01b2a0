"""Everybody's way to a drone's mass."""

from collections.abc import Callable

import numpy as np

from steelyard.bench.peers import _batch_fits, _compiled_filters, _filters, _ours, _textbook_methods
from steelyard.bench.peers._flight import SCENARIOS, Flight, MassEstimate, fly
from steelyard.bench.peers._scoreboard import Answer, PeerMethod, PeerRow, Stated, compare

MassMethod = Callable[[Flight], MassEstimate | None]
MASS_METHODS: dict[str, MassMethod] = {
    "steelyard, identify": _ours.by_identify,
    "steelyard, the same filter": _ours.by_our_filter,
    "filterpy": _filters.by_filterpy,
    "pykalman": _filters.by_pykalman,
    "kalman-py": _filters.by_kalman_py,
    "gtsam": _filters.by_gtsam,
    "fast-kalman": _filters.by_fast_kalman,
    "cuthbert": _compiled_filters.by_cuthbert,
    "dynamax": _compiled_filters.by_dynamax,
    "symforce, with Numba": _compiled_filters.by_symforce,
    "pyceres, batch fit": _batch_fits.by_ceres,
    "mujoco.sysid, batch fit": _batch_fits.by_mujoco_sysid,
    "PX4's hover-thrust filter": _textbook_methods.by_hover_thrust_filter,
    "least squares, Savitzky-Golay": _textbook_methods.by_least_squares,
    "regression on the thrust axis": _textbook_methods.by_body_axis_regression,
    "recursive least squares": _textbook_methods.by_recursive_least_squares,
    "TAG-K (Kaczmarz)": _textbook_methods.by_tail_averaged_kaczmarz,
}


def drone_methods() -> dict[str, PeerMethod]:
    """As the scoreboard calls them."""
    return {name: _answering(method) for name, method in MASS_METHODS.items()}


def _answering(method: MassMethod) -> PeerMethod:
    def answer(flight: Flight) -> Answer | None:
        found = method(flight)
        if found is None:
            return None
        return {"mass": Stated(np.array([found.mass]), None if found.std is None else np.array([found.std]))}

    return answer


def compare_on_flights(
    flights: int = 20, seed: int = 0, advance: Callable[[int], None] = lambda steps: None
) -> list[PeerRow]:
    """All methods on simulated flights; each kind of flight has rows of its own."""
    methods = drone_methods()
    return [
        row
        for scenario in SCENARIOS
        for row in compare(methods, scenario, [fly(scenario, seed + k) for k in range(flights)], advance)
    ]
