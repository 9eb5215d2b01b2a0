"""The tree's part of a message: parts of sums for a parent, totals for a child, and what has arrived."""

import msgspec
import numpy as np

Key = tuple[int, int]
"""What a sum is of; its meaning is the user's."""


class TreeMessage(msgspec.Struct, frozen=True, array_like=True):
    """The tree's part of a message to one neighbour."""

    root: str
    beat: int
    parent: str
    received: int
    """Sequence of the recipient's newest message that has arrived; −1 before any."""
    others: int
    """One bit for each of the 63 messages before it: whether it has arrived."""
    up: bytes
    """Keys and parts, float64, for the parent."""
    down: bytes
    """Keys and totals for a child."""

    def keys(self, width: int) -> np.ndarray:
        """(key, 2), of all sums in it; none where it is malformed."""
        if len(self.up + self.down) % (8 * (width + 2)):
            return np.zeros((0, 2))
        return np.frombuffer(self.up + self.down).reshape(-1, width + 2)[:, :2]


def packed(rows: list[tuple[Key, np.ndarray]]) -> bytes:
    """Keys and sums as bytes."""
    return b"".join(np.array([*key, *row]).tobytes() for key, row in rows)


def unpacked(data: bytes, width: int) -> list[tuple[Key, np.ndarray]] | None:
    """Keys and sums of so many numbers; None where the bytes are malformed."""
    if len(data) % (8 * (width + 2)):
        return None
    table = np.frombuffer(data).reshape(-1, width + 2)
    if not np.isfinite(table).all():
        return None
    return [((int(row[0]), int(row[1])), row[2:]) for row in table]
