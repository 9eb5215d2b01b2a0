"""Numbers that tune generated C."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class EmitTuning:
    """How far a step is written without loops."""

    scalar_limit: int = 20_000
    """Scalar operations up to which a whole step is written without loops. They run two to three times as fast as
    loops, and cost a compiler about 0.4 ms each."""
    small_array: int = 16
    """In a longer step: numbers of an array up to which it is still taken apart."""
    short_scan: int = 256
    """In a longer step: operations of a scan up to which it is still taken apart."""


@dataclasses.dataclass(frozen=True)
class ExportTuning:
    """Of an exported folder."""

    checked_calls: int = 16
    """That the check replays: enough that every channel was missing once."""


EMIT = EmitTuning()
EXPORT = ExportTuning()
