"""Whether the motion itself, and not the noise of its sensors, moved the load.

The fitted trajectory follows some noise, which looks like motion: with hardly any true motion, the information about
the load would come from noise alone. Splines through every other sample have independent noise, so that the product of
the two is the motion's own power.
"""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._residuals import Channel
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._start import quaternions_of


@dataclasses.dataclass(frozen=True)
class Excitation:
    """Shares of the power of the fitted motion that are the motion's own, from 0 to 1."""

    specific_force: float
    """Of the changes of the specific force: what mass, first moment and offsets are told apart by."""
    angular_acceleration: float
    """Of the angular acceleration about the axis where it is least: what the inertia is known by. Splines through half
    of the samples each, about an axis that the load does not turn about, have nothing in common."""


def excitation_of(record: WristRecord, spacing: float) -> Excitation:
    """From the record's own signals, at the spacing of the fit's knots."""
    motion = record.motion
    if "specific_force" in motion:
        felt = _halves(motion["specific_force"], motion["specific_force"].value, spacing, 0)
    else:
        felt = _halves(motion["twist/linear"], motion["twist/linear"].value, spacing, 1)
    if "twist/angular" in motion:
        turning = _halves(motion["twist/angular"], motion["twist/angular"].value, spacing, 1)
    else:
        turning = _halves(motion["attitude"], quaternions_of(motion["attitude"].value), spacing, 2)
    return Excitation(_share(*felt), _least_share(*turning))


def _halves(channel: Channel, values: np.ndarray, spacing: float, derivative: int) -> tuple[np.ndarray, np.ndarray]:
    """Two (n, k): a derivative of splines through every other sample, without its mean."""
    time = channel.time
    step = float(np.median(np.diff(time)))
    spline = Spline.covering(time[0], time[-1], max(spacing, 6.0 * step))
    inner = time[(time > time[0] + spline.spacing) & (time < time[-1] - spline.spacing)]
    if len(inner) < 10:
        inner = time
    one, other = (spline.evaluate(spline.fit(time[k::2], values[k::2]), inner, derivative) for k in (0, 1))
    return one - one.mean(axis=0), other - other.mean(axis=0)


def _share(one: np.ndarray, other: np.ndarray) -> float:
    """Of all directions together."""
    own, total = float(np.sum(one * other)), 0.5 * float(np.sum(one**2) + np.sum(other**2))
    both = 0.5 * (total + own)  # the power of a fit through all samples: half of the noise
    return float(np.clip(own / max(both, 1e-300), 0.0, 1.0))


def _least_share(one: np.ndarray, other: np.ndarray) -> float:
    """The same along the direction where it is smallest; quaternions have one that is no rotation."""
    own, total = 0.5 * (one.T @ other + other.T @ one), 0.5 * (one.T @ one + other.T @ other)
    sizes, axes = np.linalg.eigh(0.5 * (total + own))
    turns = axes[:, -3:] / np.sqrt(np.maximum(sizes[-3:], 1e-300))
    return float(np.clip(np.linalg.eigvalsh(turns.T @ own @ turns)[0], 0.0, 1.0))
