"""Mirror images: a world that is left-handed, an accelerometer that reads gravity itself."""

import numpy as np

from steelyard.logs.mapping._acceleration import acceleration, observed_acceleration
from steelyard.logs.mapping._compare import Alignment, compare_axes
from steelyard.logs.mapping._examination import Examination
from steelyard.logs.mapping._rotations import SIGNED_PERMUTATIONS, axes_of
from steelyard.logs.mapping._samples import vector_map
from steelyard.logs.mapping._tuning import TUNING


def reflection_of(found: Alignment) -> np.ndarray | None:
    """The mirror image that explains a comparison where no rotation of axes does nearly as well; else None."""
    scores = [found.coherence_of(-P) for P in SIGNED_PERMUTATIONS]
    best = int(np.argmax(scores))
    proper = max(found.coherence, *(found.coherence_of(P) for P in SIGNED_PERMUTATIONS))
    clear = scores[best] > TUNING.coherence and 1.0 - scores[best] < TUNING.mirrored_share * (1.0 - proper)
    return -SIGNED_PERMUTATIONS[best] if clear else None


def settle_inverted(exam: Examination, robot: str) -> None:
    """An accelerometer that reads gravity in the place of what holds against it, as telephones do.

    Turned by the attitude it is the opposite of how the machine accelerates, in all three axes: no rotation does that.
    """
    signal = f"{robot}/specific_force"
    push, moved = acceleration(exam, robot), observed_acceleration(exam, robot)
    if signal not in exam.sources or push is None or moved is None or exam.sources[signal].frame:
        return
    mirror = reflection_of(compare_axes(push, moved, TUNING.longest_delay))
    if mirror is not None and np.array_equal(mirror, -np.eye(3)):
        text = "Turned by the attitude it is the opposite of the motion: it reads gravity itself and is turned round."
        exam.change(signal, "found", text, axes=axes_of(-vector_map(exam.sources[signal])))
