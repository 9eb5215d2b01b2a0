"""Numbers that tune how operations are ordered and joined."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class GraphTuning:
    """Of the graph of scalar operations."""

    branch_from: int = 16
    """`select`s by one condition from which on they become a branch: a processor guesses it and goes on, where a
    `select` would have it wait for the condition. A belief that is replaced or not, as a whole, is of that kind."""
    pairwise_from: int = 8
    """Terms of a sum from which on it is added in pairs: a chain of additions waits for each one, pairs do not."""
    loop_from: int = 8
    """Consecutive scalars from which on a loop is tried."""


TUNING = GraphTuning()
