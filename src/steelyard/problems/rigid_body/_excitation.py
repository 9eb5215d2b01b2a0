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
    """Of the angular acceleration: what the inertia is known by."""


def excitation_of(record: WristRecord, spacing: float) -> Excitation:
    """From the record's own signals, at the spacing of the fit's knots."""
    motion = record.motion
    if "specific_force" in motion:
        force = _share(motion["specific_force"], motion["specific_force"].value, spacing, 0)
    else:
        force = _share(motion["twist/linear"], motion["twist/linear"].value, spacing, 1)
    if "twist/angular" in motion:
        turning = _share(motion["twist/angular"], motion["twist/angular"].value, spacing, 1)
    else:
        turning = _share(motion["attitude"], quaternions_of(motion["attitude"].value), spacing, 2)
    return Excitation(force, turning)


def _share(channel: Channel, values: np.ndarray, spacing: float, derivative: int) -> float:
    time = channel.time
    step = float(np.median(np.diff(time)))
    spline = Spline.covering(time[0], time[-1], max(spacing, 6.0 * step))
    inner = time[(time > time[0] + spline.spacing) & (time < time[-1] - spline.spacing)]
    if len(inner) < 10:
        inner = time
    one, other = (spline.evaluate(spline.fit(time[k::2], values[k::2]), inner, derivative) for k in (0, 1))
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    own, total = float(np.sum(one * other)), 0.5 * float(np.sum(one**2) + np.sum(other**2))
    both = 0.5 * (total + own)  # the power of a fit through all samples: half of the noise
    return float(np.clip(own / max(both, 1e-300), 0.0, 1.0))
