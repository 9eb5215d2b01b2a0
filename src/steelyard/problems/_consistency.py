"""Whether measurements are as far off as a filter expected: if not, its interval cannot be believed."""

import numpy as np


def surprise_ratio(value: np.ndarray, variance: np.ndarray) -> float:
    """Mean square of the normalised innovations, the largest thousandth left out: 1 when the filter is honest."""
    z2 = (value**2 / variance)[np.isfinite(value)]
    return float(np.mean(z2[z2 <= np.quantile(z2, 0.999)])) if z2.size else float("nan")


def believable(value: np.ndarray, variance: np.ndarray, remedy: str) -> str:
    """A sentence on the interval, from the innovations of a run; `remedy` says what to do where it is too narrow."""
    surprise = surprise_ratio(value, variance)
    if surprise > 1.5:
        return (
            f"The measurements are {np.sqrt(surprise):.2g} times as far off as the noise figures allow, so the "
            f"interval is too narrow: {remedy}."
        )
    if surprise < 0.5:
        return "The measurements are quieter than the noise figures say, so the interval is wider than it need be."
    return "The measurements are as noisy as expected, so the interval can be believed."
