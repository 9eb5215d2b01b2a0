"""Numbers that tune how steps are compiled and run."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RuntimeTuning:
    """Of the compiler that makes machine code of a step."""

    longest_compilation: float = 300.0
    """s. The largest step of ours takes about half a minute on one slow core; a compiler that takes ten times as long
    hangs, and the step runs through XLA instead."""


TUNING = RuntimeTuning()
