"""Numbers that tune models."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class ModelTuning:
    """Of friction and of what a URDF may say."""

    least_speed: float = 0.01
    """m/s: the sliding speed below which Coulomb friction fades to nothing; a jump there has no derivative."""
    moments_miss: float = 1e-6
    """Share by which moments may miss the triangle inequality: files are rounded."""


TUNING = ModelTuning()
