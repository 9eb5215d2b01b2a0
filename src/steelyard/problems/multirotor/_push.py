"""A steady push across the weight: wind, or an attitude that is tilted; what each would mean for the mass.

Where heading and motion tell little, tilt and wind look alike: a push p leaves the mass as it is if it is wind, and
changes it by (p/g)²/2 if the attitude is off. A share of that is added to the deviation. It follows the push over time,
since an attitude may drift.
"""

import numpy as np

from steelyard.problems.multirotor._piecewise import Fit
from steelyard.problems.multirotor._tuning import TUNING
from steelyard.problems.multirotor._wind import pushed


def push_error(found: Fit, time: np.ndarray) -> np.ndarray:
    """Relative standard deviation of the mass at each time, for what a push across the weight may be."""
    motion, blocks, left = found.motion, found.blocks, pushed(found)
    count = max(1, round(motion.seconds / TUNING.push_window))
    part = np.minimum((count * (blocks.time - blocks.time[0]) / motion.seconds).astype(int), count - 1)
    run = np.cumsum(~blocks.used)  # the velocity goes on within a run only
    when, size = [], []
    for k in range(count):
        rows = np.flatnonzero((part == k) & blocks.used)
        if rows.size < 10:
            continue
        longest = rows[run[rows] == np.bincount(run[rows]).argmax()]
        t = blocks.time[longest] - blocks.time[longest].mean()
        if longest.size < 10:
            continue
        when.append(float(blocks.time[longest].mean()))
        size.append(float(np.linalg.norm(t @ left[longest, :2]) / (t @ t)))
    if not when:
        return np.zeros_like(time)
    weight = float(np.linalg.norm(motion.gravity)) or 1.0
    return TUNING.push_share * 0.5 * np.interp(time, when, np.square(size)) / weight**2
