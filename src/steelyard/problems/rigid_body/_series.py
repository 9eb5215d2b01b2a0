"""What the samples up to each moment tell of the load, all linearised at the final answer."""

import numpy as np

from steelyard.problems._identification import Series
from steelyard.problems.rigid_body._events import Piece
from steelyard.problems.rigid_body._quantities import UNITS, Load, load_jacobian, load_numbers, symmetric
from steelyard.problems.rigid_body._tuning import TUNING


def series_of(pieces: list[Piece]) -> dict[str, Series]:
    """Mass, centre of mass and inertia over time; NaN while they are not known."""
    parts = [_on_the_way(piece) for piece in pieces]
    return series_from(np.concatenate([time for time, _ in parts]), [load for _, found in parts for load in found])


def series_from(times: np.ndarray, loads: list[Load]) -> dict[str, Series]:
    """The same from loads at these times (s)."""
    found = {}
    for quantity, unit in UNITS.items():
        pairs = [load.of(quantity) if load.known[quantity] else _nothing(load, quantity) for load in loads]
        found[quantity] = Series(times, np.array([v for v, _ in pairs]), np.array([s for _, s in pairs]), unit)
    return found


def _nothing(load: Load, quantity: str) -> tuple[np.ndarray, np.ndarray]:
    nothing = np.full(load.of(quantity)[0].shape, np.nan)
    return nothing, nothing


def _on_the_way(piece: Piece) -> tuple[np.ndarray, list[Load]]:
    """The step from the final answer to that of the samples so far, by sums of effective rows."""
    fit = piece.fit
    times = np.linspace(piece.record.start, piece.record.end, TUNING.shown)
    size = fit.at.size
    M, g = np.zeros((len(times), size, size)), np.zeros((len(times), size))
    for signal, channel in fit.record.channels.items():
        weight = fit.weights[signal] > 0
        scale = 1.0 / np.sqrt(fit.excess[signal])
        rows, residual = fit.rows[signal][weight] * scale[:, None], fit.residuals[signal][weight] * scale
        ends = np.searchsorted(channel.time[weight], times, side="right")
        products = np.concatenate([rows.reshape(len(rows), -1, size), residual[:, :, None]], axis=2)
        for k, (begin, end) in enumerate(zip(np.concatenate([[0], ends[:-1]]), ends, strict=True)):
            block = products[begin:end].reshape(-1, size + 1)
            M[k] += block[:, :size].T @ block[:, :size]
            g[k] += block[:, :size].T @ block[:, size]
    M, g = np.cumsum(M, axis=0), np.cumsum(g, axis=0)
    prior = np.diag(fit.at.prior**-2.0)
    now = fit.unknowns.vector(fit.at)
    loads = []
    for k in range(len(times)):
        covariance = np.linalg.inv(M[k] + prior)
        step = -covariance @ (g[k] + prior @ now)
        loads.append(rough_load(fit.unknowns.load + step[:10], covariance[:10, :10]))
    return times, loads


def rough_load(parameters: np.ndarray, covariance: np.ndarray) -> Load:
    """Of a moment on the way: no search for the nearest possible one."""
    if parameters[0] <= 1e-6:
        parameters = np.concatenate([[1e-6], parameters[1:]])
    values, J = load_numbers(parameters), load_jacobian(parameters)
    std = np.sqrt(np.maximum(np.einsum("ia,ab,ib->i", J, covariance, J), 0.0))
    return Load(float(values[0]), float(std[0]), values[1:4], std[1:4], symmetric(values[4:]), symmetric(std[4:]))
