"""Settings that all filters and learning machines share; those of one estimator are its own fields."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class FilterTuning:
    """How Kalman-type filters deal with outliers, beside each one's own `gate`."""

    most_outlier_rows: int = 5
    """Consecutive rows that may hold outliers; after that the belief must be wrong, and the readings count in full."""
    window_outlier_factor: float = 2.0
    """A reading further off than this multiple of a sliding window's loss threshold is reported as an outlier."""


@dataclasses.dataclass(frozen=True)
class ElmTuning:
    """Of extreme learning machines."""

    spread: float = 3.0
    """Standard deviation of what enters a node, for standardised inputs: its sigmoid is bent, and seldom saturated."""
    block: int = 128
    """Rows that an online machine takes in at once; a longer chunk is several blocks."""
    least_ridge: float = 1e-3
    """How far forgetting may wear the regularisation of a weight down, as a share of it."""
    batch_rows: int = 4096
    """Rows that a batch machine takes into its triangle at once: hidden outputs of all rows would fill the memory."""


@dataclasses.dataclass(frozen=True)
class RunTuning:
    """Of replays and campaigns."""

    chunk: int = 512
    """Rows of a replay that are compiled as one loop: progress is shown after each, and a call costs little beside
    it."""
    native_from: int = 20_000
    """Steps from which on `auto` makes machine code: they take XLA about as long as a C compiler takes."""


@dataclasses.dataclass(frozen=True)
class LeastSquaresTuning:
    """Of damped Gauss-Newton."""

    no_information: float = 1e-9
    """Added to the square roots of the diagonal, so that an unknown without information stays where it is."""


FILTERS = FilterTuning()
ELM = ElmTuning()
RUN = RunTuning()
LEAST_SQUARES = LeastSquaresTuning()
