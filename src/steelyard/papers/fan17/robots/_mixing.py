"""Consensus in different coordinates, one round a sample, for many samples at once.

Every row is the same kind of vector at one time, each robot's in its own coordinates: round by round a robot adds what
its neighbours have at that round, moved into its own coordinates [fan17, Eq. (34)], and after enough rounds holds the
mean [fan17, Eq. (35)]. A round needs a message, so a row is done as many samples later as it has rounds, and as many
rows are under way. The rounds are a sampled form of Eq. (34) with Metropolis weights, which keep the mean.
"""

from collections.abc import Mapping

import msgspec
import numpy as np

from steelyard.team.membership._graph import metropolis_weight


class SentRows(msgspec.Struct, frozen=True, array_like=True):
    """What a robot sends of its rows: how many neighbours it has, the rows' sample numbers, rounds and values."""

    degree: int
    keys: tuple[int, ...] = ()
    rounds: tuple[int, ...] = ()
    values: tuple[float, ...] = ()


class Rows(msgspec.Struct, frozen=True):
    """Rows under way, oldest first."""

    keys: np.ndarray
    rounds: np.ndarray
    values: np.ndarray
    """(row, size), own coordinates."""
    gathered: np.ndarray
    """(row, size): the weighted differences to the neighbours that have been heard in this round."""
    heard: np.ndarray
    """(row, neighbour): which have."""

    @staticmethod
    def none(size: int, neighbours: int) -> "Rows":
        """Before the first."""
        empty = np.zeros(0, int)
        return Rows(empty, empty, np.zeros((0, size)), np.zeros((0, size)), np.zeros((0, neighbours), bool))

    def begin(self, key: int, value: np.ndarray) -> "Rows":
        """With one row more."""
        return Rows(
            np.append(self.keys, key),
            np.append(self.rounds, 0),
            np.concatenate([self.values, value[None]]),
            np.concatenate([self.gathered, np.zeros((1, len(value)))]),
            np.concatenate([self.heard, np.zeros((1, self.heard.shape[1]), bool)]),
        )

    def only(self, selected: np.ndarray) -> "Rows":
        """Some of them, by flags or indices."""
        return Rows(
            self.keys[selected],
            self.rounds[selected],
            self.values[selected],
            self.gathered[selected],
            self.heard[selected],
        )

    def to_message(self, degree: int) -> SentRows:
        """For a message."""
        return SentRows(
            degree, tuple(self.keys.tolist()), tuple(self.rounds.tolist()), tuple(self.values.ravel().tolist())
        )


def hear_rows(rows: Rows, received: Mapping[int, SentRows], moves: Mapping[int, np.ndarray], degree: int) -> Rows:
    """A round of every row whose neighbours all have been heard; `moves` are the A_ij, by the neighbour's number."""
    gathered, heard = rows.gathered.copy(), rows.heard.copy()
    for nth, theirs in received.items():
        if not theirs.keys:
            continue
        mine, its = _common(rows.keys, np.array(theirs.keys, int))
        at_same = np.flatnonzero((rows.rounds[mine] == np.array(theirs.rounds, int)[its]) & ~heard[mine, nth])
        mine, its = mine[at_same], its[at_same]
        moved = np.reshape(theirs.values, (len(theirs.keys), -1))[its] @ moves[nth].T
        gathered[mine] += metropolis_weight(degree, theirs.degree) * (moved - rows.values[mine])
        heard[mine, nth] = True
    done = np.all(heard, axis=1)
    values = np.where(done[:, None], rows.values + gathered, rows.values)
    gathered[done], heard[done] = 0.0, False
    return Rows(rows.keys, rows.rounds + done, values, gathered, heard)


def _common(keys: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the keys that both have; both ascend."""
    if not len(others) or not len(keys):
        return np.zeros(0, int), np.zeros(0, int)
    at = np.searchsorted(others, keys)
    at[at == len(others)] = 0
    mine = np.flatnonzero(others[at] == keys)
    return mine, at[mine]
