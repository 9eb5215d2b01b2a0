"""A cache without anything in it, so that compilation is timed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def fresh_cache() -> Iterator[None]:
    """Nothing was compiled before."""
    before = os.environ.get("STEELYARD_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STEELYARD_CACHE"] = folder
        try:
            yield
        finally:
            os.environ.pop("STEELYARD_CACHE")
            os.environ.update({} if before is None else {"STEELYARD_CACHE": before})
