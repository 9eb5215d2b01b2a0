"""What every reproduction of a paper gives: rows for machines and for a terminal, sections for a page."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from steelyard.problems import numbers
from steelyard.report import Section


@dataclasses.dataclass(frozen=True)
class ReproductionRow:
    """One quantity: the published value, what its method gives here, what ours gives, and what is attainable.

    None where there is none.
    """

    quantity: str
    """What was measured, and in which case."""
    unit: str
    """Of all four numbers."""
    published: float | None = None
    """As the paper prints it."""
    paper_method: float | None = None
    """RMS error of the paper's method here, over the trials, at the worst robot."""
    steelyard: float | None = None
    """RMS error of our method here, over the trials, at the worst robot."""
    bound: float | None = None
    """The Cramér-Rao bound, or the error of the centralised answer."""

    def as_json(self) -> dict[str, Any]:
        """As `steelyard reproduce --json` prints it."""
        return {name: numbers(value) if isinstance(value, float) else value for name, value in vars(self).items()}


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """A paper, reproduced."""

    paper: str
    """Which."""
    trials: int
    """How many runs each figure is over."""
    rows: Sequence[ReproductionRow]
    """One a quantity."""
    findings: Sequence[str]
    """Conclusions, as sentences with numbers."""
    sections: Sequence[Section]
    """Of the report."""

    def as_json(self) -> dict[str, Any]:
        """The object that `steelyard reproduce --json` prints."""
        return {
            "paper": self.paper,
            "trials": self.trials,
            "rows": [row.as_json() for row in self.rows],
            "findings": list(self.findings),
        }
