"""What the model of a robot on jets lacks: errors of its sensors, as wrenches that nothing accounts for.

Each is a rate of the momentum of unknown size, `size * rate(t)`. The filter follows what a unit of it would do to its
state (`Shadows`), so that the innovations tell the size of each alone, and what it did to the answers:

    size = score / information,    in deviations score / √information,    an answer moves by column * size.

An error that is certain and moves an answer speaks against all of them. One that moves nothing is of no account.
"""

import dataclasses

import numpy as np

from steelyard.estimators import Reason, Shadows
from steelyard.problems.jets._reading import JetsRecord
from steelyard.problems.jets._tuning import TUNING

_AXES = tuple((kind, axis) for kind in ("torque", "force") for axis in "xyz")
_UNITS = {"torque": "N m", "force": "N"}
_BESIDE = "beside where joints and attitude have them"
_TOUCH = "look at the zeros of the joints, the attitude, a velocity that drifts, or what touches the robot"


@dataclasses.dataclass(frozen=True)
class Lacking:
    """One thing that the model lacks."""

    sentence: str
    """With {size} in `unit`."""
    unit: str
    factor: float = 1.0
    """From SI to that unit."""


LACKING = (
    Lacking("The feet's sensors would be {size} off in scale, by engines and rotor speeds: weigh the robot.", "%", 1e2),
    Lacking("The feet's wrenches come late by {size}: look at their filter and their clock.", "ms", 1e3),
    *(
        Lacking(f"A steady {kind} along {axis} of {{size}} acts that nothing accounts for: {_TOUCH}.", _UNITS[kind])
        for kind, axis in _AXES
    ),
    *(
        Lacking(
            f"A {kind} along {axis} that grows by {{size}} a second acts that nothing accounts for: look for a foot's "
            "sensor or a velocity that drifts, and at the joints.",
            _UNITS[kind],
        )
        for kind, axis in _AXES
    ),
    *(Lacking(f"The soles' forces act {{size}} along {axis} {_BESIDE}: {_TOUCH}.", "mm", 1e3) for axis in "yx"),
)
"""In the order of `lacking_rates`."""


def lacking_rates(record: JetsRecord) -> np.ndarray:
    """(n, 6, event): of the momentum, for one unit of each, SI."""
    n, t = len(record.time), (record.time - record.time[0])[:, None, None]
    standing = np.repeat(record.contact.astype(float), 6, axis=1)
    read = standing * np.nan_to_num(record.wrench)
    rate = np.gradient(_smoothed(read, TUNING.rate_rows), record.time, axis=0)
    on_soles = np.einsum("nij,nj->ni", record.foot_matrix, read)
    late = np.einsum("nij,nj->ni", record.foot_matrix, standing * rate)
    axes, beside = np.broadcast_to(np.eye(6), (n, 6, 6)), np.zeros((n, 6, 2))
    beside[:, 0, 0] = beside[:, 1, 1] = on_soles[:, 5]
    return np.concatenate([-on_soles[:, :, None], late[:, :, None], axes, t * axes, beside], axis=2)


def lacking_reasons(found: Shadows, std: np.ndarray) -> tuple[Reason, ...]:
    """From the shadows after the last row, their columns being those of the answers with deviations `std` (answer,)."""
    score, information, columns = (np.asarray(x) for x in (found.score, found.information, found.columns))
    if not score.size:
        return ()
    seen = np.maximum(information, 1e-12)
    size, certain = score / seen, np.abs(score) / np.sqrt(seen)
    moved = np.max(np.abs(columns * size) / std[:, None], axis=0)
    told = np.flatnonzero((certain > TUNING.lacking_certain) & (moved > TUNING.lacking_moves))
    if not told.size:
        return ()
    k = int(told[np.argmax(certain[told])])
    one = LACKING[k]
    what = one.sentence.format(size=f"{one.factor * abs(size[k]):.2g} {one.unit}")
    how = f"It is {certain[k]:.0f} deviations from none, and moves an answer by {moved[k]:.0f}."
    return (Reason("unmodelled", f"{what} {how}"),)


def _smoothed(values: np.ndarray, half: int) -> np.ndarray:
    """Means over 2 half + 1 rows."""
    padded = np.pad(values, ((half, half), (0, 0)), mode="edge")
    sums = np.cumsum(np.pad(padded, ((1, 0), (0, 0))), axis=0)
    return (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
