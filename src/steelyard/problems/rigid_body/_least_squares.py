"""Dense least squares that never hands LAPACK a number that is not finite: it would print that on standard output."""

import numpy as np


def least_squares(A: np.ndarray, b: np.ndarray, rcond: float | None = None) -> np.ndarray:
    """As `np.linalg.lstsq`; `LinAlgError` where a number is not finite."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        raise np.linalg.LinAlgError("numbers that are not finite in a least-squares problem")
    return np.linalg.lstsq(A, b, rcond=rcond)[0]
