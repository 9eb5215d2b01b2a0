"""Whether innovations are as large as a filter expected: if not, its intervals are wrong."""

import numpy as np


def mean_nis(value: np.ndarray, variance: np.ndarray) -> float:
    """Mean normalised innovation squared (NIS) a channel, the largest thousandth left out: 1 for a consistent filter.

    `value` and `variance` have one shape; NaN where a channel was silent.
    """
    z2 = (value**2 / variance)[np.isfinite(value)]
    return float(np.mean(z2[z2 <= np.quantile(z2, 0.999)])) if z2.size else float("nan")


def believable(value: np.ndarray, variance: np.ndarray, remedy: str) -> str:
    """A sentence on the intervals, from the innovations of a run; `remedy`: what to do where they are too narrow."""
    nis = mean_nis(value, variance)
    if nis > 1.5:
        return (
            f"The measurements are {np.sqrt(nis):.2g} times as far off as the stated noise allows, so the "
            f"interval is too narrow: {remedy}."
        )
    if nis < 0.5:
        return "The measurements are quieter than the stated noise, so the interval is wider than it need be."
    return "The measurements are as noisy as expected, so the interval can be believed."
