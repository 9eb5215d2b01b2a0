"""A replay in chunks of one fixed size: one compilation for logs of every length, and progress on the way."""

from collections.abc import Callable, Iterator

import jax
import numpy as np

from steelyard.estimators._estimator import Belief, Estimator, Sample
from steelyard.estimators._run import Recorded, campaign, everything, replay
from steelyard.estimators._tuning import RUN


def replay_in_chunks(
    estimator: Estimator,
    belief: Belief,
    samples: Sample,
    keep: Callable[[Belief], Recorded] = everything,
    progress: Callable[[int], None] = lambda rows: None,
) -> Recorded:
    """What `replay` keeps of every step, as NumPy arrays; `progress` receives the number of rows done.

    The last chunk is filled up with rows in which nothing happens: no time passes and every channel is silent.
    """
    recorded = []
    for chunk, rows in _chunks(samples):
        result = replay(estimator, belief, chunk, keep)
        belief = result.belief
        recorded.append(jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[:rows], result.recorded))
        progress(rows)
    return jax.tree.map(lambda *parts: np.concatenate(parts), *recorded)


def campaign_in_chunks(
    estimator: Estimator,
    beliefs: Belief,
    samples: Sample,
    keep: Callable[[Belief], Recorded] = everything,
    progress: Callable[[int], None] = lambda rows: None,
) -> Recorded:
    """The same of logs of one length side by side: everything has a leading axis of logs, `samples` then time."""
    recorded, by_time = [], jax.tree.map(lambda leaf: np.moveaxis(np.asarray(leaf), 0, 1), samples)
    for chunk, rows in _chunks(by_time):
        result = campaign(estimator, beliefs, jax.tree.map(lambda leaf: np.moveaxis(leaf, 0, 1), chunk), keep, "xla")
        beliefs = result.belief
        recorded.append(jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[:, :rows], result.recorded))
        progress(rows)
    return jax.tree.map(lambda *parts: np.concatenate(parts, axis=1), *recorded)


def _chunks(samples: Sample) -> Iterator[tuple[Sample, int]]:
    total = samples.dt.shape[0]
    for begin in range(0, total, RUN.chunk):
        rows = min(RUN.chunk, total - begin)
        chunk = jax.tree.map(lambda leaf, begin=begin, rows=rows: np.asarray(leaf)[begin : begin + rows], samples)
        yield _filled_up(chunk, RUN.chunk - rows), rows


def _filled_up(chunk: Sample, idle: int) -> Sample:
    def with_last_repeated(leaf):
        return np.concatenate([leaf, np.repeat(leaf[-1:], idle, axis=0)])

    def with_silence(leaf):
        return np.concatenate([leaf, np.full((idle, *leaf.shape[1:]), np.nan)])

    return Sample(
        np.concatenate([chunk.dt, np.zeros((idle, *chunk.dt.shape[1:]))]),
        jax.tree.map(with_last_repeated, chunk.control),
        jax.tree.map(with_silence, chunk.measurement),
    )
