"""What every reproduction of a paper gives: rows for machines and for a terminal, sections for a page."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from steelyard.problems import numbers
from steelyard.report import Section


@dataclasses.dataclass(frozen=True)
class Row:
    """One quantity: the published value, what its method gives here, what ours gives, and what is attainable.

    The three measured ones are RMS errors over the trials at the worst robot, in `unit`; None where there is none.
    """

    quantity: str
    unit: str
    published: float | None = None
    paper_method: float | None = None
    steelyard: float | None = None
    bound: float | None = None

    def as_json(self) -> dict[str, Any]:
        """As `steelyard reproduce --json` prints it."""
        return {name: numbers(value) if isinstance(value, float) else value for name, value in vars(self).items()}


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """A paper, reproduced."""

    paper: str
    trials: int
    rows: Sequence[Row]
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
