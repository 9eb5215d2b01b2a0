"""Roll, pitch and yaw in a table: by their names, or three numbered columns of an orientation."""

from collections.abc import Callable, Iterator

import numpy as np

from steelyard.logs.mapping._phrases import ESTIMATE, LOAD
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tables import Column, named
from steelyard.logs.mapping._tuning import TUNING

_ANGLES = {"roll": "roll", "pitch": "pitch", "yaw": "yaw", "phi": "roll", "theta": "pitch", "psi": "yaw"}
_NO_ANGLE = {"rate", "rates", "speed", "pid", "cmd", "controller"} | LOAD
_WHOLE = {"orientation", "attitude", "att", "euler", "rpy"}


def angle_columns(columns: list[Column], who: Callable[[Column], str]) -> Iterator[SignalSource]:
    """Attitudes as three angles, an estimate's after others."""
    groups: dict[tuple, dict[str, Column]] = {}
    for one in columns:
        word = next((word for word in _ANGLES if word in one.name.words), None)
        if one.any_of(_NO_ANGLE):
            continue
        if word is not None:
            words = tuple(other for other in one.name.words if other != word)
            key = (1 + 2 * one.any_of(ESTIMATE), who(one), one.stream.name, words)
            groups.setdefault(key, {})[_ANGLES[word]] = one
        elif one.any_of(_WHOLE) and one.name.axis in ("0", "1", "2", "3"):
            key = (2 + 2 * one.any_of(ESTIMATE), who(one), one.stream.name, one.name.words)
            groups.setdefault(key, {})[one.name.axis] = one
    for (_, robot, _, _), axes in sorted(groups.items(), key=lambda item: item[0][0]):
        for names in (("roll", "pitch", "yaw"), ("0", "1", "2"), ("1", "2", "3")):
            if set(axes) == set(names):
                yield _attitude(robot, [axes[name] for name in names])


def _attitude(robot: str, three: list[Column]) -> SignalSource:
    stated = three[0].name.unit
    largest = [float(np.nanmax(np.abs(one.values), initial=0.0)) for one in three]
    unit = stated or _unit(max(largest[:2]), max(largest), three[2].values)
    why = f"{named(three)} look like roll, pitch and yaw; the largest angle is {max(largest):.3g}."
    source = tuple(one.source for one in three)
    return SignalSource(f"{robot}/attitude", source, unit, why, order="rpy", certain=stated is not None)


def _unit(tilt: float, largest: float, yaw: np.ndarray) -> str:
    """By size: no tilt is beyond half a turn, and small angles may be in rad or deg; so may a yaw that counts turns."""
    if largest <= 2 * np.pi + 0.1 or (tilt <= np.pi + 0.1 and _counts_turns(yaw[np.isfinite(yaw)])):
        return "?"
    fits = (unit for unit, turn in (("deg", 1), ("deg/10", 10), ("deg/100", 100)) if tilt <= TUNING.steepest * turn)
    return next(fits, "deg")


def _counts_turns(yaw: np.ndarray) -> bool:
    """Whether this may be an angle in rad that goes on beyond a full turn: it begins within one, and never jumps."""
    return bool(yaw.size and abs(yaw[0]) <= 2 * np.pi and np.max(np.abs(np.diff(yaw)), initial=0.0) < np.pi)
