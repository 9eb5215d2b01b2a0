"""Statistics of innovations: whether an estimator is consistent."""

import dataclasses

import numpy as np

from steelyard.problems import Innovations


@dataclasses.dataclass(frozen=True)
class Whiteness:
    """Of one channel, over all its samples."""

    samples: int
    inside: float
    """Share of normalised innovations within ±1.96: 0.95 if all is well."""
    mean_square: float
    """The mean normalised innovation squared, a channel: 1 if all is well."""

    @property
    def words(self) -> str:
        """The verdict: more than three standard errors off, and by enough to matter."""
        n = self.samples
        if n < 20:
            return "too few samples to tell"
        low = 0.95 - max(0.02, 3.0 * np.sqrt(0.95 * 0.05 / n))
        off = max(0.25, 3.0 * np.sqrt(2.0 / n))
        if self.inside < low:
            return "surer than it should be"
        if self.mean_square > 1.0 + off:
            return "a few far outliers"
        if self.mean_square < 1.0 - off:
            return "more cautious than it need be"
        return "as expected"


def normalised(innovations: Innovations) -> np.ndarray:
    """(n, channels): innovations in standard deviations, NaN where silent."""
    value, std = np.asarray(innovations.value, float), np.asarray(innovations.std, float)
    return np.divide(value, std, out=np.full(value.shape, np.nan), where=np.isfinite(value) & (std > 0.0))


def whiteness(z: np.ndarray) -> Whiteness | None:
    """None for a channel without a sample."""
    z = z[np.isfinite(z)]
    if not z.size:
        return None
    return Whiteness(z.size, float((np.abs(z) <= 1.96).mean()), float((z**2).mean()))
