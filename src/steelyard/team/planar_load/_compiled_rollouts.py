"""The same shots in machine code: a row at a time, so that a window of any length costs what it is long."""

import functools
import sys
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.models import Numbers
from steelyard.native import Code, NoCompiler, emit, load_run
from steelyard.team.planar_load._fit import N_UNKNOWNS, VISCOUS, Averaging, Rows, motion, residuals
from steelyard.team.planar_load._sums import N_SUMS

_MOVING = 4  # of the unknowns: they are those of a row's beginning
_READINGS, _PATH = 4, 6


class _Held(NamedTuple):
    """Where a shot is, what it has seen in the last row, and how both follow what it is differentiated by."""

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
    """(4, way): by what each way of differentiating moves log m and log J in this row, and by what it adds to the force
    at a place one unit along x."""


class Shots(NamedTuple):
    """Of all rows."""

    ends: np.ndarray
    """(time, 4)."""
    ends_by: np.ndarray
    residuals: np.ndarray
    residuals_by: np.ndarray
    path: np.ndarray
    path_by: np.ndarray


GIVEN = 8
"""Ways in which a machine differentiates that are given to it."""


class Machine:
    """Shoots, and differentiates: by the unknowns that the rows are asked for, or in ways that each row is given."""

    def __init__(self, friction: bool, by_unknowns: bool):
        ways = GIVEN if not by_unknowns else N_UNKNOWNS if friction else VISCOUS
        self._ways, self._by_unknowns = ways, by_unknowns

        def step(held: _Held, row: _Row) -> _Held:
            rows = Rows(row.sums[None], row.trend[None], row.dt[None], row.weight[None])

            def of(now, unknowns, given):
                x = jnp.concatenate([now, unknowns[_MOVING:]])
                extra = jnp.concatenate([jnp.array([1.0, 0.0]), given[:2]])
                means = Averaging(*held.means)
                path, ends = motion(x, extra, rows, given[None, 2:], jnp.ones((1, 1)), means, friction)
                return ends[0], residuals(path, x, rows)[0], path[0]

            at = held.now, held.unknowns, jnp.zeros(4)
            unknowns_by = jnp.eye(N_UNKNOWNS, ways) if by_unknowns else jnp.zeros((N_UNKNOWNS, ways))
            found, by = jax.vmap(lambda *way: jax.jvp(of, at, way), in_axes=-1, out_axes=(None, -1))(
                held.now_by, unknowns_by, row.given
            )
            return _Held(held.means, held.unknowns, found[0], by[0], found[1], by[1], found[2], by[2])

        sizes = ((_MOVING,), (_READINGS,), (_PATH,))
        held = _Held(
            np.zeros(2), np.zeros(N_UNKNOWNS), *(np.zeros((*size, *by)) for size in sizes for by in ((), (ways,)))
        )
        row = _Row(np.zeros(N_SUMS), np.zeros(4), np.zeros(()), np.zeros(()), np.zeros((4, ways)))

        def code() -> Code:
            return emit(step, jax.tree.map(jnp.asarray, (held, row)))

        self._run = load_run(f"shots of a load on a plane, {friction=}, {by_unknowns=}", code)
        self._size, begin = sum(part.size for part in held), 2 + N_UNKNOWNS
        self._places: list[tuple[slice, tuple[int, ...]]] = []
        for part in held[2:]:
            self._places.append((slice(begin, begin + part.size), part.shape))
            begin += part.size

    def shoot(self, unknowns: np.ndarray, rows: Rows, means: Averaging, given: np.ndarray | None = None) -> Shots:
        """From the first row to the last; `given` (time, 4, way) are the ways, as a row has them."""
        n = len(rows.dt)
        ways = np.zeros((n, 4, self._ways)) if given is None else given
        parts = (rows.sums, rows.trend, rows.dt[:, None], rows.weights[:, None], ways.reshape(n, -1))
        samples = np.concatenate(parts, axis=1)
        state = np.zeros(self._size)
        state[:2], state[2 : 2 + N_UNKNOWNS] = means, unknowns
        (now, _), (now_by, _) = self._places[:2]
        state[now] = unknowns[:_MOVING]
        if self._by_unknowns:
            state[now_by] = np.eye(_MOVING, self._ways).ravel()
        kept = np.empty((n, self._size))
        self._run(state, samples, kept)
        return Shots(*[kept[:, place].reshape(n, *shape) for place, shape in self._places])


@functools.cache
def machine_of(friction: bool, by_unknowns: bool) -> Machine | None:
    """Compiles, or finds in the cache; None, said once, where there is no compiler."""
    try:
        return Machine(friction, by_unknowns)
    except NoCompiler as error:
        _say(str(error))
        return None


@functools.cache
def _say(error: str) -> None:
    print(f"steelyard: {error}; a team on a plane thinks without machine code, and longer.", file=sys.stderr)
