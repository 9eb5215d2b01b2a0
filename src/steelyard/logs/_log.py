"""A log: what was recorded, as a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput, shown
from steelyard.logs._check import check
from steelyard.logs._vocabulary import choose_axes, describe, find_signal, missing_axes, nearest_column

if TYPE_CHECKING:
    from steelyard.logs.mapping import Look, SignalSource


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """Samples of named channels at increasing times; read-only.

    `time` is (n,) in seconds, strictly increasing. `columns` holds one (n,) array for each full column name,
    `<who>/<signal>[/<part>]/<axis>`, in SI units, NaN where a sample is missing. `origin`, a path or a few
    words, opens every error message about the log. `metadata` is free text by key (scenario, seed, …).

    >>> log = Log([0.0, 0.01, 0.02], {"r1/thrust": [9.8, 9.9, 9.7]}, "a short flight")
    >>> len(log), log.robots, log.signal("r1", "thrust").shape, log.unit("r1/thrust")
    (3, ('r1',), (3, 1), 'N')
    """

    time: NDArray[np.float64]
    columns: Mapping[str, NDArray[np.float64]]
    origin: str = "log"
    metadata: Mapping[str, str] = field(default_factory=dict)
    recorded: "Look | None" = None
    """Somebody's recording that the log was made of: `sy.identify` prepares the rows of a problem from it."""

    def __post_init__(self) -> None:
        time = _frozen(self.time, f"{self.origin}: time")
        for what, given in (("columns", self.columns), ("metadata", self.metadata)):
            if not isinstance(given, Mapping) or not _is_by_name(given):
                raise BadInput(f"{self.origin}: {what} is a dictionary by name, not {type(given).__name__}.")
        columns = {name: _frozen(values, f"{self.origin}: column {name}") for name, values in self.columns.items()}
        check(self.origin, time, columns)
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s"
        return f"Log({self.origin!r}, {len(self)} rows, {span}, {len(self.columns)} columns)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Log, (self.time, dict(self.columns), self.origin, dict(self.metadata))

    @property
    def mapping(self) -> "Mapping[str, SignalSource]":
        """Which field of a recording became which signal, and why; empty where the columns are our own."""
        return {} if self.recorded is None else self.recorded.mapping.signals

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the robots, in order of first appearance; `load` and `truth` are none."""
        whos = dict.fromkeys(name.partition("/")[0] for name in self.columns if "/" in name)
        return tuple(who for who in whos if who not in ("load", "truth"))

    @property
    def unknown_columns(self) -> Mapping[str, str | None]:
        """Columns outside the vocabulary, each with the known name it probably means, or None.

        They are carried along and can be read by name.
        """
        return {name: nearest_column(name) for name in self.columns if not describe(name).known}

    def signals(self, who: str) -> tuple[str, ...]:
        """The known signals of which `who` has at least one column, in order of first appearance."""
        found = (describe(name) for name in self.columns)
        return tuple(dict.fromkeys(column.signal for column in found if column.who == who and column.signal))

    def unit(self, column: str) -> str | None:
        """The unit of a full column name, `s` for `time`; None for a name outside the vocabulary."""
        self._check_names(column)
        return describe(column).unit

    def signal(self, who: str, signal: str, axes: Sequence[str] | None = None) -> NDArray[np.float64]:
        """The samples (n, k) of a signal, its axes in canonical order; a scalar is (n, 1).

        Canonical is x, y, z; w, x, y, z; 1, 2, …; xx, yy, zz, xy, xz, yz. A signal that may be planar or spatial
        comes as recorded: name `axes` where the number matters. Missing samples are NaN, and all of them may be.
        Raises `BadInput` where a column is missing.
        """
        return np.stack([self.columns[name] for name in self._names(who, signal, axes)], axis=1)

    def require(self, who: str, signal: str, axes: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Like `signal`, but raises `BadInput` also where a channel holds no sample at all."""
        names = self._names(who, signal, axes)
        empty = [name for name in names if np.isnan(self.columns[name]).all()]
        if empty:
            raise BadInput(
                f"{self.origin}: {_columns_are(empty)} empty in all {len(self)} rows, so {who} has no {signal}; "
                f"record it or leave {who} out."
            )
        return self.signal(who, signal, axes)

    def has(self, who: str, signal: str, axes: Sequence[str] | None = None) -> bool:
        """Whether `require` would succeed: all axes are there, and each has at least one sample."""
        try:
            self.require(who, signal, axes)
        except BadInput:
            return False
        return True

    def truth(self, quantity: str) -> NDArray[np.float64] | None:
        """The true value (n, k) of a quantity such as `mass`, `com` or `r1/com`; None where the log has none."""
        self._check_names(quantity)
        present = self._endings("truth", quantity)
        word = find_signal("truth", quantity)
        axes = choose_axes(word, present) or choose_axes(None, present)
        if axes is None:
            return None
        values = self.signal("truth", quantity, axes)
        return None if np.isnan(values).all() else values

    def without_truth(self) -> "Log":
        """The log less every `truth` column, and less the metadata: what an estimator may see."""
        columns = {name: values for name, values in self.columns.items() if name.partition("/")[0] != "truth"}
        return Log(self.time, columns, self.origin, recorded=self.recorded)

    def between(self, start: float, end: float) -> "Log":
        """The rows with start <= time <= end, in seconds; `BadInput` where there are none."""
        if not all(isinstance(one, Real) for one in (start, end)):
            raise BadInput(f"{self.origin}: between takes two times in seconds, not {shown(start)} and {shown(end)}.")
        rows = (self.time >= start) & (self.time <= end)
        if not rows.any():
            raise BadInput(
                f"{self.origin}: there is no row between {start:g} and {end:g} s; "
                f"choose times from {self.time[0]:g} to {self.time[-1]:g} s."
            )
        columns = {name: values[rows] for name, values in self.columns.items()}
        return Log(self.time[rows], columns, self.origin, self.metadata, self.recorded)

    def _endings(self, who: str, signal: str) -> list[str]:
        """What follows `<who>/<signal>/` in the columns there are, one part long; "" for the name itself."""
        stem = f"{who}/{signal}"
        endings = [name[len(stem) :].removeprefix("/") for name in self.columns if f"{name}/".startswith(f"{stem}/")]
        return [ending for ending in endings if "/" not in ending]

    def _names(self, who: str, signal: str, axes: Sequence[str] | None) -> list[str]:
        """Full names of a signal's columns in canonical order, all of them there."""
        if not isinstance(axes, Sequence | None):
            raise BadInput(f"{self.origin}: the axes of a signal are names such as x and y, not {type(axes).__name__}.")
        self._check_names(who, signal, *(axes or ()))
        present, word = self._endings(who, signal), find_signal(who, signal)
        chosen = choose_axes(word, present) if axes is None else tuple(axes)
        if chosen is None:
            raise self._missing(who, _full(who, signal, missing_axes(word, present)))
        missing = [axis for axis in chosen if axis not in present]
        if missing:
            raise self._missing(who, _full(who, signal, missing))
        return _full(who, signal, chosen)

    def _check_names(self, *names: object) -> None:
        for name in names:
            if not isinstance(name, str):
                raise BadInput(f"{self.origin}: {shown(name)} is no name; columns and signals are named by text.")

    def _missing(self, who: str, names: list[str]) -> BadInput:
        what = f"{self.origin}: {_columns_are(names)} missing"
        meant = [name for name, near in self.unknown_columns.items() if near in names]
        if meant:
            return BadInput(f'{what}; rename "{meant[0]}" if that is what it holds.')
        if who not in self.robots and who not in ("load", "truth"):
            there = _some(self.robots) if self.robots else "none"
            return BadInput(
                f'{what} because no column belongs to "{who}" (robots in the log: {there}); choose another.'
            )
        there = self.signals(who)
        has = f"{who} has {_some(there)}" if there else f"{who} has no known signal"
        return BadInput(f"{what} ({has}); record it, or rename the column that holds it.")


def _is_by_name(given: Mapping[Any, Any]) -> bool:
    """Whether a dictionary can be read, and all its keys are text."""
    try:
        return all(isinstance(name, str) for name in dict(given))
    except Exception:
        return False


def _frozen(values: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except Exception:  # whatever its own conversion raises
        raise BadInput(f"{what} does not hold numbers; give floats, NaN where a sample is missing.") from None
    array.setflags(write=False)
    return array


def _full(who: str, signal: str, axes: Sequence[str]) -> list[str]:
    return [f"{who}/{signal}/{axis}" if axis else f"{who}/{signal}" for axis in axes]


def _columns_are(names: list[str]) -> str:
    """The names as the subject of a sentence, with its verb: "column a is", "columns a, b are"."""
    return f"column {names[0]} is" if len(names) == 1 else f"columns {_some(names)} are"


def _some(names: Sequence[str], most: int = 8) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
