"""The rollout of `_fit` in compiled C: a row at a time, so that a window costs in proportion to its length."""

import functools
import warnings
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.models import Numbers
from steelyard.native import Code, NoCompiler, NoCompilerWarning, emit, load_run
from steelyard.team.planar_load._fit import N_UNKNOWNS, VISCOUS, Averaging, Rows, motion, residuals
from steelyard.team.planar_load._sums import N_SUMS
from steelyard.team.planar_load._tuning import TUNING

_MOVING = 4  # of the unknowns: they are those of a row's beginning
_READINGS, _PATH = 4, 6


class _RowState(NamedTuple):
    """The motion at the end of a row, the row's residuals and path, and their derivatives in each direction (`_by`)."""

    means: Numbers
    unknowns: Numbers
    now: Numbers
    now_by: Numbers
    residuals: Numbers
    residuals_by: Numbers
    path: Numbers
    path_by: Numbers


class _Row(NamedTuple):
    sums: Numbers
    trend: Numbers
    dt: Numbers
    weight: Numbers
    given: Numbers
    """(4, direction): the derivative of log m and log J in this row in each direction, and of a force at an arm of one
    unit along x."""


class RowRollouts(NamedTuple):
    """Of all rows; `_by` are derivatives, the direction last."""

    ends: np.ndarray
    """(time, 4)."""
    ends_by: np.ndarray
    residuals: np.ndarray
    residuals_by: np.ndarray
    path: np.ndarray
    path_by: np.ndarray


N_DIRECTIONS = TUNING.directions
"""Directions of differentiation that are given row by row."""


class CompiledRollout:
    """Integrates and differentiates: by the unknowns that are estimated, or in directions that are given row by row."""

    def __init__(self, friction: bool, by_unknowns: bool):
        directions = N_DIRECTIONS if not by_unknowns else N_UNKNOWNS if friction else VISCOUS
        self._directions, self._by_unknowns = directions, by_unknowns

        def step(state: _RowState, row: _Row) -> _RowState:
            rows = Rows(row.sums[None], row.trend[None], row.dt[None], row.weight[None])

            def of(now, unknowns, given):
                x = jnp.concatenate([now, unknowns[_MOVING:]])
                extra = jnp.concatenate([jnp.array([1.0, 0.0]), given[:2]])
                means = Averaging(*state.means)
                path, ends = motion(x, extra, rows, given[None, 2:], jnp.ones((1, 1)), means, friction)
                return ends[0], residuals(path, x, rows)[0], path[0]

            at = state.now, state.unknowns, jnp.zeros(4)
            unknowns_by = jnp.eye(N_UNKNOWNS, directions) if by_unknowns else jnp.zeros((N_UNKNOWNS, directions))
            found, by = jax.vmap(lambda *direction: jax.jvp(of, at, direction), in_axes=-1, out_axes=(None, -1))(
                state.now_by, unknowns_by, row.given
            )
            return _RowState(state.means, state.unknowns, found[0], by[0], found[1], by[1], found[2], by[2])

        sizes = ((_MOVING,), (_READINGS,), (_PATH,))
        state = _RowState(
            np.zeros(2), np.zeros(N_UNKNOWNS), *(np.zeros((*size, *by)) for size in sizes for by in ((), (directions,)))
        )
        row = _Row(np.zeros(N_SUMS), np.zeros(4), np.zeros(()), np.zeros(()), np.zeros((4, directions)))

        def code() -> Code:
            return emit(step, jax.tree.map(jnp.asarray, (state, row)))

        self._run = load_run(f"rollouts of a load on a plane, {friction=}, {by_unknowns=}", code)
        self._size, begin = sum(part.size for part in state), 2 + N_UNKNOWNS
        self._fields: list[tuple[slice, tuple[int, ...]]] = []
        for part in state[2:]:
            self._fields.append((slice(begin, begin + part.size), part.shape))
            begin += part.size

    def roll_out(
        self, unknowns: np.ndarray, rows: Rows, means: Averaging, given: np.ndarray | None = None
    ) -> RowRollouts:
        """From the first row to the last; `given` (time, 4, direction) as `_Row` has it."""
        n = len(rows.dt)
        directions = np.zeros((n, 4, self._directions)) if given is None else given
        parts = (rows.sums, rows.trend, rows.dt[:, None], rows.weights[:, None], directions.reshape(n, -1))
        samples = np.concatenate(parts, axis=1)
        state = np.zeros(self._size)
        state[:2], state[2 : 2 + N_UNKNOWNS] = means, unknowns
        (now, _), (now_by, _) = self._fields[:2]
        state[now] = unknowns[:_MOVING]
        if self._by_unknowns:
            state[now_by] = np.eye(_MOVING, self._directions).ravel()
        states = np.empty((n, self._size))
        self._run(state, samples, states)
        return RowRollouts(*[states[:, part].reshape(n, *shape) for part, shape in self._fields])


@functools.cache
def compiled_rollout(friction: bool, by_unknowns: bool) -> CompiledRollout | None:
    """Compiled, or from the cache of compiled code; None, with one warning, where there is no compiler."""
    try:
        return CompiledRollout(friction, by_unknowns)
    except NoCompiler as error:
        _warn_once(f"{error}; a team on a plane computes without compiled code, which takes longer.")
        return None


@functools.cache
def _warn_once(sentence: str) -> None:
    warnings.warn(sentence, NoCompilerWarning, stacklevel=3)
