"""The linearised filter in machine code, for robots in real time: `RowStep` as C, once for a team's size."""

import functools
import warnings
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.models import Numbers
from steelyard.native import FLAGS, HERE, Code, NoCompiler, NoCompilerWarning, emit, load_run
from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion
from steelyard.team.spatial_load._excitation import excitation, spurious_information
from steelyard.team.spatial_load._filter_state import FilterResult, FilterState
from steelyard.team.spatial_load._linearisation_point import LOAD, LinearisationPoint
from steelyard.team.spatial_load._linearised_filter import filter_rows, relative_to_path
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._row_step import RowBelief, RowPoint, RowSample, RowStep

_SOONER = ("-O2", "-ftree-loop-vectorize", "-fvect-cost-model=dynamic", "-fpeel-loops")
"""As quick as all of -O3, and compiled in a third of the time: a team waits for it."""


class _Carried(NamedTuple):
    """A belief, and what else the step depends on: the code is the same for every noise and gravity."""

    noise: Numbers
    gravity: Numbers
    belief: RowBelief


def _step(carried: _Carried, sample: RowSample) -> _Carried:
    belief = RowStep(carried.noise, carried.gravity).step(carried.belief, sample)
    return carried._replace(belief=belief)


class CompiledFilter:
    """Filters rows of so many robots; see `filter_rows`."""

    def __init__(self, robots: int):
        size = 13 + 6 * (robots - 1)
        belief = RowBelief(
            RowPoint(np.zeros(10), np.zeros((robots, 3, 3)), np.zeros((robots, 3))),
            *(np.zeros(shape) for shape in (9, (15, 1 + size), (15, 15), 6, (), (6, 3), (6, size), size, (size, size))),
            *(np.zeros(shape) for shape in ((), 9, (robots, 9))),
        )
        of_robots = [(robots, wide) for wide in (9, 9, 6, 6, 6, 3)]
        sample = RowSample(*(np.zeros(shape) for shape in ((), 9, *of_robots, ())))
        carried = _Carried(np.zeros(6), np.zeros(()), belief)

        def code() -> Code:
            return emit(_step, jax.tree.map(jnp.asarray, (carried, sample)))

        key = f"rows of {robots} robots in space"
        try:
            self._run = load_run(key, code, (*FLAGS, *HERE, *_SOONER))
        except NoCompiler:  # or one that has other names for these
            self._run = load_run(key, code)
        self._places: dict[str, tuple[slice, tuple[int, ...]]] = {}
        begin = 6 + 1 + sum(part.size for part in belief.point)
        for name, part in zip(belief._fields[1:], belief[1:], strict=True):
            self._places[name] = slice(begin, begin + part.size), part.shape
            begin += part.size
        self._size = begin

    def filter_rows(
        self,
        point: LinearisationPoint,
        motion: FilterState,
        path: np.ndarray,
        rows: MeasuredRows,
        noise: np.ndarray,
        first: bool,
    ) -> tuple[FilterState, FilterResult]:
        """See `filter_rows`; rows where the path is NaN are linearised where they are expected.

        The very first row has another beginning, and is left to `filter_rows`.
        """
        if not first:
            return self._after(point, motion, path, rows, noise, rows.between(1, len(path)))
        motion, begun = filter_rows(point, motion, path[:1], rows.between(0, 1), noise, first)
        if len(path) == 1:
            return motion, begun
        motion, result = self._after(point, motion, np.concatenate([motion.mean[None], path[1:]]), rows, noise, rows)
        return motion, begun.then(result)

    def _after(
        self,
        point: LinearisationPoint,
        motion: FilterState,
        path: np.ndarray,
        rows: MeasuredRows,
        noise: np.ndarray,
        counted: MeasuredRows,
    ) -> tuple[FilterState, FilterResult]:
        """Takes in all rows but the first; noise that looks like information is that of the rows that are counted."""
        equations, n = EquationsOfMotion(point, noise), len(path) - 1
        if np.isnan(path[0]).any():
            path = np.concatenate([(motion.mean + motion.columns[:9, 0])[None], path[1:]])
        path, columns = relative_to_path(point, motion, path)
        samples = np.concatenate([part.reshape(n + 1, -1) for part in rows.along(path)], axis=1)
        state = self._standing(point, noise, samples[:1])
        self._at(state[None], "columns")[0], self._at(state[None], "covariance")[0] = columns, motion.covariance
        states = np.empty((n, self._size))
        self._run(state, samples[1:], states)
        covariance, information = self._at(states[-1:], "covariance")[0], self._at(states, "information")
        end = self._at(states[-1:], "path")
        H = equations.reading_jacobian_by_state(
            end, self._at(states[-1:], "by_omega"), rows.noise_inflation[-1:]
        ).reshape(-1, 15)
        weight = rows.weight[1:].reshape(n, -1)
        result = FilterResult(
            _differences(self._at(states, "score")),
            information[-1].copy(),
            spurious_information(equations, weight[-1], H, covariance, counted),
            _differences(information[:, LOAD]),
            _differences(self._at(states, "nis")),
            np.sum(weight > 0.0, axis=1),
            excitation(equations, rows.between(1, n + 1)),
            self._at(states, "predicted").copy(),
            self._at(states, "residual").copy(),
        )
        return FilterState(end[0].copy(), self._at(states[-1:], "columns")[0].copy(), covariance.copy()), result

    def _standing(self, point: LinearisationPoint, noise: np.ndarray, sample: np.ndarray) -> np.ndarray:
        """A state at a row: what is felt there, and how it follows the point. It has no information yet."""
        state = np.zeros(self._size)
        known = np.concatenate([noise, [np.linalg.norm(point.down)], point.load, point.R.ravel(), point.t.ravel()])
        state[: len(known)] = known
        self._run(state, sample, _NOTHING)
        state[self._places["score"][0].start :] = 0.0
        return state

    def _at(self, states: np.ndarray, name: str) -> np.ndarray:
        place, shape = self._places[name]
        return states[:, place].reshape(len(states), *shape)


_NOTHING = np.empty(0)


@functools.cache
def compiled_filter(robots: int) -> CompiledFilter | None:
    """Compiles, or finds in the cache; None, with one warning, where there is no compiler."""
    try:
        return CompiledFilter(robots)
    except NoCompiler as error:
        sentence = f"{error}; a team in space computes with NumPy, which takes three times as long."
        warnings.warn(sentence, NoCompilerWarning, stacklevel=2)
        return None


def _differences(totals: np.ndarray) -> np.ndarray:
    """What each row added."""
    return np.diff(totals, axis=0, prepend=0.0)
