"""Errors that the model of a robot on jets lacks: of its sensors, and wrenches that nothing accounts for.

Each is a rate of the momentum of unknown size. The filter follows what a unit of it would do to its state (`Shadows`).
"""

from collections.abc import Sequence

import numpy as np

from steelyard.estimators import Shadows
from steelyard.problems._unmodelled import ErrorEvidence, ModelError, smoothed_rate
from steelyard.problems.jets._reading import JetsRecord
from steelyard.problems.jets._tuning import TUNING

_AXES = tuple((kind, axis) for kind in ("torque", "force") for axis in "xyz")
_UNITS = {"torque": "N m", "force": "N"}
_ACTS = "acts that nothing accounts for"
_BESIDE = "beside where joints and attitude have them"
_TOUCH = "look at the zeros of the joints, the attitude, a velocity that drifts, or what touches the robot"


_BOTH = (
    ModelError(
        "The feet's sensors would be {size} off in scale, by engines and rotor speeds: weigh the robot.", "%", 1e2, 0.3
    ),
    ModelError("The feet's wrenches come late by {size}: look at their filter and their clock.", "ms", 1e3, 0.2),
    *(
        ModelError(
            f"A steady {kind} along {axis} of {{size}} acts that nothing accounts for: {_TOUCH}.",
            _UNITS[kind],
            1.0,
            TUNING.largest_error[kind],
        )
        for kind, axis in _AXES
    ),
    *(
        ModelError(
            f"A {kind} along {axis} that grows by {{size}} a second {_ACTS}: look for a foot's "
            "sensor or a velocity that drifts, and at the joints.",
            _UNITS[kind],
            1.0,
            0.25 * TUNING.largest_error[kind],
        )
        for kind, axis in _AXES
    ),
    *(ModelError(f"The soles' forces act {{size}} along {axis} {_BESIDE}: {_TOUCH}.", "mm", 1e3, 0.1) for axis in "yx"),
)


def errors_of(feet: Sequence[str]) -> tuple[ModelError, ...]:
    """In the order of `error_rates`; names of feet as the log has them."""
    each = (f"{foot}/wrench would be {{size}} off in scale, by the other feet and the engines." for foot in feet)
    return (*_BOTH, *(ModelError(sentence, "%", 1e2, 0.3) for sentence in each))


def error_rates(record: JetsRecord) -> np.ndarray:
    """(n, 6, error): of the momentum, for one unit of each, SI."""
    n, t = len(record.time), (record.time - record.time[0])[:, None, None]
    standing = np.repeat(record.contact.astype(float), 6, axis=1)
    read = standing * np.nan_to_num(record.wrench)
    on_soles = np.einsum("nij,nj->ni", record.foot_matrix, read)
    late = np.einsum("nij,nj->ni", record.foot_matrix, standing * smoothed_rate(record.time, read))
    axes, beside = np.broadcast_to(np.eye(6), (n, 6, 6)), np.zeros((n, 6, 2))
    beside[:, 0, 0] = beside[:, 1, 1] = on_soles[:, 5]
    by_foot = (record.foot_matrix * read[:, None, :]).reshape(n, 6, -1, 6).sum(axis=3)
    return np.concatenate([-on_soles[:, :, None], late[:, :, None], axes, t * axes, beside, -by_foot], axis=2)


def error_evidence(found: Shadows, std: np.ndarray) -> ErrorEvidence | None:
    """From the shadows after the last row, their columns being those of the answers with deviations `std` (answer,)."""
    score, information, columns = (np.asarray(x) for x in (found.score, found.information, found.columns))
    return ErrorEvidence(score, information, columns, std) if score.size else None
