"""How well the quantities of a robot of one's own are known, and where they jumped, as text."""

from collections.abc import Sequence

import numpy as np

from steelyard.estimators import Reason
from steelyard.logs import Log
from steelyard.problems._consistency import believable
from steelyard.problems._identification import Event
from steelyard.problems.own._method import Track
from steelyard.problems.own._robot import OwnRobot
from steelyard.problems.own._tuning import TUNING

_SCALE = (
    "These numbers are relative to the logged inputs: a scale of an input that is wrong throughout is not told where "
    "the quantities can make up for it."
)
_JUMPED = "A change of an input's scale may look like the jump, and what came after is then off by as much."
_REMEDY = "state the true noise, or look for what the model lacks"


def own_verdict(robot: OwnRobot, track: Track, known: np.ndarray, jumped: bool = False) -> str:
    """One sentence a quantity, and some on the intervals; `known` is (n, quantity), `jumped` whether anything did."""
    sentences = []
    for k, name in enumerate(robot.quantities):
        if known[-1, k]:
            half_width = 196 * track.std[-1, k] / max(abs(track.value[-1, k]), 1e-300)
            value = f"{track.value[-1, k]:.4g} {robot.quantities[name].unit}".strip()
            sentences.append(f"{name} is {value}, known to {half_width:.2g} % (95 %).")
        else:
            sentences.append(f"{name} cannot be told from this motion.")
    intervals = believable(track.innovation.value, track.innovation.variance, _REMEDY)
    return " ".join([*sentences, intervals, _SCALE, *([_JUMPED] if jumped else [])])


def late_jumps(events: Sequence[Event], end: float) -> list[Reason]:
    """A jump that the log ends on."""
    return [
        Reason(
            "late-change",
            f"{one.quantity} seemed to jump {end - one.time:.2f} s before the end of the log: a few bad samples of an "
            "input look the same, and nothing afterwards tells them apart.",
        )
        for one in events
        if end - one.time < TUNING.jump_confirmed_after
    ][:1]


def jump_events(robot: OwnRobot, log: Log, track: Track) -> list[Event]:
    """Jumps of the quantities; a size is read from the estimate once that has settled."""
    jumping = [name for name, quantity in robot.quantities.items() if quantity.jump is not None]
    times, events = np.asarray(log.time), []
    for row in np.flatnonzero(track.change.found):
        name = jumping[int(track.change.watched[row])]
        k = list(robot.quantities).index(name)
        onset = float(times[row] - track.change.age[row])
        before = track.value[max(int(np.searchsorted(times, onset)) - 1, 0), k]
        after = track.value[int(np.searchsorted(times, onset + TUNING.jump_settled_after, side="right")) - 1, k]
        unit, size = robot.quantities[name].unit, float(after - before)
        message = f"{name} jumped {'up' if size > 0 else 'down'} by {abs(size):.3g} {unit}, to {after:.3g} {unit}."
        events.append(Event(onset, "change", robot.name, name, message, size, float(times[row])))
    return events
