"""Results that several agents of one process need: computed once, and owned by whoever runs the agents."""

import hashlib
import itertools
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

Result = TypeVar("Result")


class _Entry(msgspec.Struct):
    result: Any
    seconds: float
    """What it took to compute."""
    users: set[int]
    """Views that have asked for it."""


class Cache:
    """Results of pure functions, found again by the content of their arguments.

    Robots of one process have the same sums and ask for the same fits. A cache changes what a step costs and never what
    it returns. The runner makes one and hands a `view` to each agent; an agent that is given none makes its own, for
    what its own step needs several times. Nobody may write to a result.
    """

    def __init__(self) -> None:
        self._tables: dict[str, OrderedDict[bytes, _Entry]] = {}
        self._numbers = itertools.count()
        self._user = next(self._numbers)
        self.borrowed = 0.0
        """s that other views spent on results that this one took from them: without them it had spent this itself."""

    def view(self) -> "Cache":
        """The same results for one more agent, with an account of its own."""
        view = Cache()
        view._tables, view._numbers, view._user = self._tables, self._numbers, next(self._numbers)
        return view

    def call(
        self, function: Callable[..., Result], *arguments: Any, given: tuple[Any, ...] = (), keep: int = 32
    ) -> Result:
        """`function(*arguments, *given)`, computed unless it is among its last `keep` results.

        Arguments must be picklable. `given` are those that follow from the others, and so are no part of the key.
        """
        key = hashlib.blake2b(pickle.dumps(arguments, protocol=5), digest_size=16).digest()
        kind = f"{function.__module__}.{function.__qualname__}"
        return self.find(kind, key, lambda: function(*arguments, *given), keep)

    def find(self, kind: str, key: bytes, compute: Callable[[], Result], keep: int = 32) -> Result:
        """The result of this kind under `key`, which must stand for all that it depends on; computed where missing."""
        table = self._tables.setdefault(kind, OrderedDict())
        entry = table.get(key)
        if entry is None:
            begin, borrowed = time.perf_counter(), self.borrowed
            result = compute()
            seconds = time.perf_counter() - begin + self.borrowed - borrowed
            table[key] = _Entry(result, seconds, {self._user})
            if len(table) > keep:
                table.popitem(last=False)
            return result
        table.move_to_end(key)
        if self._user not in entry.users:
            entry.users.add(self._user)
            self.borrowed += entry.seconds
        return entry.result
