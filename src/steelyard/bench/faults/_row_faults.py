"""Faults of the rows of a log, whatever it is of."""

from steelyard.bench.faults._edits import clock_jump, doubled, gap, jitter, repeated, spliced, thinned, wandering
from steelyard.bench.faults._fault import Fault


def row_faults(named: str | None = None, gaps: tuple[float, float] = (2.0, 0.4)) -> tuple[Fault, ...]:
    """Rows that are missing, doubled, or at wrong times.

    `named` is what names any of them but doubled rows, by default a text for each; `gaps` are strong and mild, s.
    """
    return (
        Fault("gap in the rows", named or r"gap|missing|rows", gap(gaps[0]), gap(gaps[1])),
        Fault("rows lost", named or r"gap|missing|rows|lost", thinned(0.6), thinned(0.1)),
        Fault("clock jumps", named or r"clock|time|gap|rows", clock_jump(2.0), clock_jump(0.2)),
        Fault("spliced", named or r"clock|time|gap|splic|rows|jump", spliced(gaps[0]), spliced(0.3)),
        Fault("rows doubled", r"twice|doubl|repeat" + ("" if named else "|held"), doubled(0.5), doubled(0.05)),
        Fault("rows repeated", named or r"twice|repeat|rows|clock|time|jump", repeated(gaps[0]), repeated(0.2)),
        Fault("clock wanders", named or r"clock|time", wandering(0.2), wandering(0.01)),
        Fault("time jitter", named or r"jitter|time|clock", jitter(0.9), jitter(0.3)),
    )
