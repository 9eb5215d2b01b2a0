"""Pure functions that remember: the same numbers in, the same answer out, computed once."""

import functools
import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def by_content(size: int) -> Callable[[Callable[Parameters, Answer]], Callable[Parameters, Answer]]:
    """For a pure function of arrays and numbers: its last `size` answers are kept by a digest of its arguments.

    Robots that live in one process have the same sums and ask for the same fits. Nobody may write to an answer.
    """

    def decorate(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
        kept: OrderedDict[bytes, Answer] = OrderedDict()

        @functools.wraps(function)
        def remembered(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
            key = hashlib.blake2b(pickle.dumps((args, kwargs), protocol=5), digest_size=16).digest()
            if key in kept:
                kept.move_to_end(key)
                return kept[key]
            answer = kept[key] = function(*args, **kwargs)
            if len(kept) > size:
                kept.popitem(last=False)
            return answer

        return remembered

    return decorate
