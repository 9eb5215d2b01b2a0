"""Rows of numbers in a block of text, by pyarrow where it is installed: about ten times faster than cell by cell."""

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.logs.formats._dialect import COMMENTS, MISSING, Dialect
from steelyard.logs.formats._text import Block

_MARKS = (b'"', *(mark.encode() for mark in COMMENTS))


def decoded(block: Block, dialect: Dialect, columns: Sequence[int]) -> list[np.ndarray] | None:
    """Some of a block's columns; None where it is not plain rows of numbers, or where there is no pyarrow.

    Comments, quotes, words, dates and rows of another width are left to the way that reads cell by cell.
    """
    csv = _pyarrow_csv()
    if csv is None or dialect.separator == " " or any(mark in block.raw for mark in _MARKS):
        return None
    arrow = importlib.import_module("pyarrow")
    names = [str(k) for k in range(dialect.width)]
    try:
        table = csv.read_csv(
            arrow.BufferReader(block.raw),
            csv.ReadOptions(use_threads=False, block_size=len(block.raw) + 1, column_names=names),
            csv.ParseOptions(delimiter=dialect.separator, quote_char=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, arrow.float64()),
                include_columns=[names[k] for k in columns],
                null_values=_MISSING,
                decimal_point="," if dialect.comma else ".",
            ),
        )
    except arrow.ArrowInvalid:
        return None
    return [column.to_numpy() for column in table.columns]


_MISSING = [form for word in MISSING for form in dict.fromkeys((word, word.upper(), word.capitalize()))] + ["NaN"]


@functools.cache
def _pyarrow_csv() -> Any:
    try:
        return importlib.import_module("pyarrow.csv")
    except ImportError:
        return None
