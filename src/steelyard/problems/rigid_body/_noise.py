"""How noisy each channel is where it matters: the density of its misfit at the frequencies of the motion.

Residuals of real sensors are coloured: drifting offsets, vibration, onboard filters, cables. A sum over the motion
feels the density of the noise in the motion's own band, so that density, as the standard deviation of white noise that
has it, is the noise level of a channel. Smoothness at high frequencies is not precision. The wrench, on which the load
depends most, is taken band by band: a drifting offset is noise for what changes as slowly, and none for the rest.
"""

import dataclasses
import itertools

import numpy as np
from scipy.fft import dct, rfft

from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import Block
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning


@dataclasses.dataclass(frozen=True)
class Density:
    """Of a residual in a band of frequencies."""

    variance: np.ndarray
    """(k,) an axis: the variance of white noise with the same density."""
    degrees: float
    """Degrees of freedom of one axis' variance."""


def density(time: np.ndarray, residual: np.ndarray, low: float, high: float, longest: float = 20.0) -> Density:
    """In the band from `low` to `high` (Hz); rows need not be evenly spaced; long logs are taken piece by piece."""
    span = max(float(time[-1] - time[0]), 1e-9)
    pieces = max(1, round(span / longest))
    edges = np.searchsorted(time, time[0] + span * np.arange(1, pieces) / pieces)
    total, ordinates = np.zeros(residual.shape[1]), 0
    for t, r in zip(np.split(time, edges), np.split(residual, edges), strict=True):
        if len(t) < 8:
            continue
        length = float(t[-1] - t[0])
        highest = min(high, 0.5 * (len(t) - 1) / length)
        k = np.arange(max(1, round(low * length)), max(2, round(highest * length) + 1))
        total += np.sum(np.abs(_transform(t, r, k)) ** 2, axis=0) / len(t)
        ordinates += len(k)
    if ordinates == 0:
        return Density(np.mean(residual**2, axis=0), float(len(time)))
    return Density(total / ordinates, 2.0 * ordinates)


def _transform(time: np.ndarray, values: np.ndarray, k: np.ndarray) -> np.ndarray:
    """(len(k), columns): sums of values times exp(-2 pi i k t), t the share of the whole time; by FFT of even rows."""
    share = (time - time[0]) / (time[-1] - time[0])
    rows = len(time) - 1
    if np.max(np.abs(share * rows - np.arange(rows + 1))) > 1e-5:
        return np.exp(-2j * np.pi * np.outer(k, share)) @ values
    period = values[:-1].copy()
    period[0] += values[-1]  # the last one has the phase of the first
    return np.asarray(rfft(period, axis=0))[np.minimum(k, rows - k)]  # of real values; only the size counts


def excess_of(
    record: WristRecord,
    residuals: dict[str, np.ndarray],
    weights: dict[str, np.ndarray],
    spacing: float,
    tuning: FitTuning = TUNING,
) -> dict[str, np.ndarray]:
    """(k,) by signal: variance of the misfit an axis over the variance that was assumed, in the band of the motion.

    1 where noise was stated and the misfit does not contradict it. A motion signal is judged just above the band, too,
    for the trajectory follows it inside.
    """
    edge, found = 0.5 / spacing, {}
    for signal, channel in record.channels.items():
        used = weights[signal] > 0
        time, residual = channel.time[used], residuals[signal][used]
        own = density(time, residual, 0.0, edge)
        variance, degrees = own.variance, own.degrees
        if signal != "wrench":
            above = density(time, residual, 1.5 * edge, 4.0 * edge)
            variance, degrees = np.maximum(variance, above.variance), above.degrees
        pooled = np.repeat(variance.reshape(-1, 3).mean(axis=1), 3)  # the three axes of a sensor are alike
        if signal in record.stated:
            clear = 1.0 + 4.0 * np.sqrt(2.0 / (3.0 * degrees)) + 0.1
            variance = np.where(pooled > clear, np.maximum(pooled, variance), 1.0)
        else:
            variance = np.maximum(variance, tuning.least_excess)
        found[signal] = variance
    return found


def probes_of(block: Block, count: int) -> np.ndarray:
    """(n, k, count): random signs, as if they were readings of a channel; the same ones for the same size."""
    return np.random.default_rng(0).choice([-1.0, 1.0], (*block.residual.shape, count))


def followed_by_motion(probes: np.ndarray, left: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(n, k): share of white noise that the motion explains, at each cosine over the log.

    It is the diagonal of the projection on the motion (the hat matrix), estimated by random signs [hutchinson89]:
    `probes` as readings, `left` what remains of them once the motion has followed, both (n, k, count). The motion
    follows gyro, accelerometer and wrench together: where knots are close, six unknowns explain two fifths of the
    fifteen readings of a row below the knots' own frequency.
    """
    before, after = _cosines(probes, weight), _cosines(left, weight)
    return np.mean(before * (before - after), axis=2)


def _cosines(rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Rows (n, ...) by frequency."""
    return np.asarray(dct(rows * weight.reshape(-1, *[1] * (rows.ndim - 1)), axis=0, norm="ortho"))


def coloured_rows(
    record: WristRecord,
    rows: np.ndarray,
    residual: np.ndarray,
    weight: np.ndarray,
    inverse: np.ndarray,
    followed: np.ndarray,
    tuning: FitTuning = TUNING,
) -> np.ndarray:
    """(n, 6, size): effective rows of the wrench, whose products are those of its misfit's own colour.

    Row k is that of cosine k over the log (a discrete cosine transform is orthogonal), times the misfit's standard
    deviation in the band of that cosine. With `inverse`, the covariance of the unknowns under white noise, and
    `followed`, the share that the motion explains, each band's degrees of freedom are known: slow parts of a misfit are
    mostly explained by load and offsets.
    """
    cosines = _cosines(rows, weight)
    power = _cosines(residual, weight) ** 2
    unexplained = 1.0 - np.sum((cosines @ inverse) * cosines, axis=2)
    time = record.wrench.time
    step = 0.5 / max(float(time[-1] - time[0]), 1e-9)  # Hz, from one cosine to the next
    edges = [0, *(max(tuning.fewest_modes, round(f / step)) for f in tuning.bands), len(rows)]
    scale = np.ones_like(power)
    for a, b in itertools.pairwise(np.minimum(edges, len(rows))):
        for axes in (slice(0, 3), slice(3, 6)):  # the three axes of a sensor are alike
            degrees = float(np.sum(unexplained[a:b, axes]))
            degrees -= min(float(np.sum(followed[a:b, axes])), tuning.most_followed * degrees)
            if degrees < 1.0:
                continue
            left = float(np.sum(power[a:b, axes]))
            if "wrench" in record.stated:
                clear = 1.0 + 4.0 * np.sqrt(2.0 / degrees) + 0.1
                variance = left / degrees if left / degrees > clear else 1.0
            else:  # a variance that is found from few degrees scatters, and is as large as this on average
                variance = left / max(degrees - 2.0, 0.5 * degrees)
            scale[a:b, axes] = max(variance, tuning.least_excess)
    return cosines * np.sqrt(scale)[:, :, None]
