"""The mass as a robot would have known it at each moment: the fit of a whole flight, undone to its past.

The whitening filter is causal, so that the rows up to a moment are the fit of the flight up to it. A change counts from
when it was noticed on. The sizes of what is random, and which forces act, are those of the whole flight: a robot that
flies the same machine again knows them.
"""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._changes import noticed, persistent_error
from steelyard.problems.multirotor._piecewise import Fit, shapes
from steelyard.problems.multirotor._push import push_error
from steelyard.problems.multirotor._reading import FlightRecord
from steelyard.problems.multirotor._smoothed import Smoothed
from steelyard.problems.multirotor._tuning import TUNING


def causal(record: FlightRecord, found: Smoothed) -> Smoothed:
    """The same answer with the mass, and its deviation, of each row from what was before it; NaN while not known."""
    blocks, fit = found.fit.blocks, found.fit
    since = [
        -np.inf if kind == "level" or begin <= record.time[0] else noticed(fit, (kind, begin))
        for kind, begin in fit.unknowns.pieces
    ]
    value, std = np.full(len(blocks), np.nan), np.full(len(blocks), np.nan)
    moments = sorted({-np.inf, *since})
    for begin, end in zip(moments, [*moments[1:], np.inf], strict=True):
        rows = np.flatnonzero((blocks.time >= begin) & (blocks.time < end))
        if rows.size:
            value[rows], std[rows] = _until(fit, rows, [s <= begin for s in since])
    early = blocks.time < blocks.time[0] + TUNING.first_mass_span
    value[early | ~(std < TUNING.known_mass_below * np.abs(value))] = np.nan
    at = np.clip(np.searchsorted(blocks.time, record.time, side="right") - 1, 0, len(blocks) - 1)
    mass = value[at]
    lasting = np.hypot(persistent_error(fit), record.thrust_uncertainty)
    lasting = np.hypot(lasting, push_error(fit, record.time)) * mass
    return dataclasses.replace(found, mass=mass, mass_std=np.where(np.isnan(mass), np.nan, np.hypot(std[at], lasting)))


def _until(fit: Fit, rows: np.ndarray, pieces: list[bool]) -> tuple[np.ndarray, np.ndarray]:
    """Mass and deviation at these blocks, each from the blocks up to it, with some of the pieces."""
    count = len(fit.unknowns.pieces)
    used = [k for k in range(fit.white.shape[2]) if k >= count or pieces[k]]
    y = fit.left + fit.white @ fit.values
    W = fit.white[:, :, used]
    normal = np.cumsum(np.einsum("bip,biq->bpq", W, W), axis=0)[rows] + np.diag(fit.unknowns.prior[used] + 1e-9)
    right = np.cumsum(np.einsum("bip,bi->bp", W, y), axis=0)[rows]
    covariance = np.linalg.inv(normal)
    theta = np.einsum("bpq,bq->bp", covariance, right)
    few = sum(pieces)
    shape = shapes(tuple(p for p, on in zip(fit.unknowns.pieces, pieces, strict=True) if on), fit.blocks.time[rows])
    variance = np.einsum("bp,bpq,bq->b", shape, covariance[:, :few, :few], shape)
    return np.sum(shape * theta[:, :few], axis=1), np.sqrt(np.maximum(variance, 0.0))
